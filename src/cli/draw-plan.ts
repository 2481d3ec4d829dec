import { figure } from '../gateway/judge-plan.js'
import { missingKey } from '../gateway/to-request.js'
import { drawValue } from '../gateway/tools/draw-plan.js'
import type { Json, JsonObject } from '../model/json.js'
import type { ArgumentOrigin, IntentPlan, PlannedTask } from '../model/plan.js'
import { redactJson } from '../model/redact.js'
import { parseReference, readPath } from '../model/reference.js'
import { shorten } from '../model/shorten.js'
import type { PlanExplanation } from '../plan/explain-plan.js'
import type { Colours } from './colour.js'
import { fitLine } from './format-table.js'

export interface PlanReply {
  readonly status: 'explicit_required' | 'suggestion'
  readonly why: string
  readonly plan: IntentPlan
  readonly explanation: PlanExplanation
  /** Those whose tools may be missing. */
  readonly servers: readonly { readonly name: string; readonly status: string }[]
}

export interface DrawPlanOptions {
  /** Columns of the terminal. */
  readonly width: number
  /** A terminal shows lines, a file gets plain letters. */
  readonly isTerminal: boolean
  readonly colours: Colours
  /** Where everything comes from, too. */
  readonly why: boolean
}

/**
 * The DAG, layers from top to bottom; tasks of the same number run together.
 *
 *     1  search  files:search_files
 *          path     "data"             literal .95
 *        |
 *     2  read    files:read_text_file  for each of search.content[*]
 *          needs    search .93
 *          path     search.content[*]  wired .88
 */
export function drawPlan(given: PlanReply, options: DrawPlanOptions): string {
  const reply = redactJson(given, withoutUnseen)
  const { plan, status, why } = reply
  const lines = [
    options.colours.bold(plan.intent.replace(/\s+/g, ' ')),
    `${status}, confidence ${figure(plan.confidence)}. ${why}`,
    ...drawLayers(plan, options),
    ...drawOpen(plan, options),
    ...section(
      'NOT READY, THEIR TOOLS MAY BE MISSING',
      reply.servers.map(({ name, status: state }) => `${name} is ${state}; see: pml status`),
      options.colours,
    ),
    ...(options.why ? drawWhy(reply, options) : []),
  ]
  return lines.map((line) => fitLine(line, options.width)).join('\n')
}

/** What servers and requests hold must not move the cursor, paint, or hide. */
function withoutUnseen(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '))
    .join('\n')
}

/** As much of a plan as its drawing is made of. */
export type DrawnPlan = Pick<IntentPlan, 'plan' | 'layers' | 'edges' | 'arguments' | 'missing'>

export function drawLayers(plan: DrawnPlan, options: DrawPlanOptions): readonly string[] {
  const tasks = new Map(plan.plan.tasks.map((task) => [task.id, task]))
  const widths = {
    id: longest(plan.plan.tasks.map(({ id }) => id)),
    number: String(plan.layers.length).length,
  }
  const bar = `${' '.repeat(widths.number + 2)}${options.isTerminal ? '│' : '|'}`
  return plan.layers.flatMap((ids, layer) => [
    layer === 0 ? '' : bar,
    ...ids.flatMap((id) => {
      const task = tasks.get(id)
      return task === undefined
        ? []
        : drawTask(task, `${layer + 1}`.padStart(widths.number), widths.id, plan, options)
    }),
  ])
}

function drawTask(
  task: PlannedTask,
  number: string,
  idWidth: number,
  plan: DrawnPlan,
  { colours, why }: DrawPlanOptions,
): readonly string[] {
  const each = task.each === undefined ? '' : `  ${colours.yellow(`for each of ${task.each.join(', ')}`)}`
  const needs = needsOf(task, plan, why)
  const rows: Row[] = [
    ...(needs.length > 0 ? [{ name: 'needs', value: needs.join(', '), origin: '' }] : []),
    ...argumentRows(task, plan, why),
    ...plan.missing
      .filter((one) => one.task === task.id)
      .map(({ argument }) => ({ name: argument, value: '?', origin: 'missing' })),
  ]
  const nameWidth = longest(rows.map(({ name }) => name))
  const valueWidth = longest(rows.map(({ value, origin }) => (origin === '' ? '' : value)))
  const indent = ' '.repeat(number.length + 4)
  return [
    `${colours.dim(number)}  ${colours.bold(task.id.padEnd(idWidth))}  ${task.tool}${each}`,
    ...rows.map(({ name, value, origin }) => {
      const shown = origin === 'missing' ? colours.red(origin) : colours.dim(origin)
      return `${indent}${name.padEnd(nameWidth)}  ${value.padEnd(origin === '' ? 0 : valueWidth)}  ${shown}`.trimEnd()
    }),
  ]
}

/** What it waits for; a reference is a need in any case, however probable. */
function needsOf({ id, dependsOn }: PlannedTask, { edges }: DrawnPlan, why: boolean): readonly string[] {
  const weighed = edges.filter(({ to }) => to === id)
  const plain = dependsOn.filter((task) => !weighed.some(({ from }) => from === task))
  return [
    ...weighed.map(({ from, probability, why: reason }) => {
      const because = why && reason !== '' ? ` (${reason})` : ''
      return `${from} ${figure(probability)}${because}`
    }),
    ...plain,
  ]
}

interface Row {
  readonly name: string
  readonly value: string
  readonly origin: string
}

/** By where a value comes from; a value that nobody accounts for is shown all the same. */
function argumentRows(task: PlannedTask, plan: DrawnPlan, why: boolean): readonly Row[] {
  const origins = plan.arguments.filter((origin) => origin.task === task.id)
  const known = origins.flatMap((origin) => {
    const value = valueAt(task.arguments, origin.argument)
    return value === undefined
      ? []
      : [{ name: origin.argument, value: show(value), origin: describe(origin, why) }]
  })
  const others = Object.entries(task.arguments).filter(
    ([key]) => !origins.some(({ argument }) => isWithin(argument, key)),
  )
  return [...known, ...others.map(([name, value]) => ({ name, value: show(value), origin: '' }))]
}

/** `entities[0].name` stands in `entities`. */
function isWithin(argument: string, key: string): boolean {
  return argument === key || (argument.startsWith(key) && /^[.[]/.test(argument.slice(key.length)))
}

function describe({ source, confidence, why: reason, coerced }: ArgumentOrigin, why: boolean): string {
  const made = coerced === undefined ? '' : `, ${coerced}`
  return `${source} ${figure(confidence)}${made}${why ? `: ${reason}` : ''}`
}

function valueAt(args: JsonObject, argument: string): Json | undefined {
  if (Object.hasOwn(args, argument)) return args[argument]
  try {
    const found = readPath(args, parseReference(`a.${argument}`).path)
    return found.found ? found.value : undefined
  } catch {
    // A name that no reference can write stands for itself alone.
    return undefined
  }
}

const longestValue = 60

function show(value: Json): string {
  return shorten(drawValue(value), longestValue)
}

function drawOpen(plan: IntentPlan, { colours }: DrawPlanOptions): readonly string[] {
  const keys = longest(plan.missing.map(missingKey))
  const missing = plan.missing.map((one) =>
    `  ${missingKey(one).padEnd(keys)}  ${[one.type, one.description].filter(Boolean).join('  ')}`.trimEnd(),
  )
  return [
    ...(missing.length === 0 ? [] : ['', colours.bold('MISSING'), ...missing]),
    ...section('NO TOOL FOR', plan.unserved, colours),
    ...section('NOTES', plan.notes, colours),
  ]
}

function drawWhy({ explanation }: PlanReply, { colours }: DrawPlanOptions): readonly string[] {
  const ranks = explanation.tools.flatMap(({ tool, pageRank }) =>
    pageRank === undefined ? [] : [`${tool} ${pageRank.toFixed(3)}`],
  )
  return [
    ...section('WHY', explanation.text.split('\n').filter(Boolean), colours),
    ...section('SHARE OF ALL WAYS THAT LEAD TO IT', ranks, colours),
  ]
}

function section(title: string, lines: readonly string[], colours: Colours): readonly string[] {
  return lines.length === 0 ? [] : ['', colours.bold(title), ...lines.map((line) => `  ${line}`)]
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0)
}
