// How well are tools linked into plans? Sets with dags.jsonl, with the gold tools given and from the intent: the table of README.md.
//   npm run bench:plan                                  nestful_glaive, nestful_sgd and gnn4tp_ultratool of ../shared/eval
//   npm run bench:plan -- --sets DIR,DIR --seeds 42-46  other sets; --train: those that learn from themselves first (gnn4tp_ultratool)

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const home = '../shared/eval'
const { values } = parseArgs({
  options: {
    sets: {
      type: 'string',
      default: ['nestful_glaive', 'nestful_sgd', 'gnn4tp_ultratool'].map((set) => join(home, set)).join(','),
    },
    train: { type: 'string', default: 'gnn4tp_ultratool' },
    seeds: { type: 'string', default: '42-46' },
    'from-intent': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
const sets = values.sets.split(',')
const missing = sets.filter((set) => !existsSync(join(set, 'dags.jsonl')))
if (missing.length > 0) {
  console.error(`There are no plans in ${missing.join(', ')}. Name folders with dags.jsonl: --sets DIR,DIR`)
  process.exit(1)
}
const learns = new Set(values.train.split(','))
const links = ['link_precision', 'link_recall', 'link_f1', 'exact_graph']
const columns = [...links, 'field_f1', 'exact_stages', 'node_f1']
const floors = {
  all_pairs: 'all pairs',
  identical_names: 'identical names',
  order_of_mention: 'order of mention',
}

const all = {}
if (!values.json) {
  console.log(`| set (samples) | | ${columns.join(' | ')} | p95 ms |`)
  console.log(`|---|---|${columns.map(() => '---').join('|')}|---|`)
}
for (const set of sets) {
  const trained = learns.has(basename(set))
  const given = bench(set, trained ? ['--train', set] : [])
  const rows = { 'tools given': given }
  if (trained) {
    // Without anything to learn from there is no split: all of them are asked for.
    const plain = bench(set, [])
    rows[`tools given, nothing learned (all ${plain.samples})`] = plain
  }
  if (values['from-intent'])
    rows['from the intent'] = bench(set, ['--from-intent', ...(trained ? ['--train', set] : [])])
  all[basename(set)] = rows
  if (!values.json) print(`${basename(set)} (${Math.round(given.samples)})`, given, rows)
}
if (values.json) console.log(JSON.stringify(all))

function bench(set, more) {
  const args = [bin, 'bench', 'plan', '--set', set, '--seeds', values.seeds, '--json', ...more]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n').at(-1))
}

function print(set, given, rows) {
  for (const [floor, name] of Object.entries(floors))
    line(floor === 'all_pairs' ? set : '', name, given.floors[floor])
  for (const [name, figures] of Object.entries(rows)) line('', `**${name}**`, figures)
  const [low, high] = given.link_f1_interval.map(share)
  const [least, most] = given.exact_graph_interval.map(share)
  console.log(`|  | 95 % of resamples |  |  | ${low} to ${high} | ${least} to ${most} |  |  |  |  |`)
}

function line(set, name, figures) {
  const speed = figures.p95_ms === undefined ? '' : figures.p95_ms.toFixed(1)
  console.log(
    `| ${set} | ${name} | ${columns.map((column) => share(figures[column])).join(' | ')} | ${speed} |`,
  )
}

function share(value) {
  return typeof value === 'number' ? value.toFixed(3).replace(/^0/, '') : ''
}
