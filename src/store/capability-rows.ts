import { StoreError } from '../errors.js'
import type { Capability, CapabilityId, CapabilityUse, NotedUse } from '../model/capability.js'
import type { JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import { addToCapabilityDependencies, selectCapabilityDependenciesOf } from './capability-dependency-rows.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { jsonOrNull, textOrNull, wholeIfCut } from './optional-columns.js'
import type { CapabilityChanges } from './store.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'

/** What the benefit is judged by (DESIGN 10: the last 20 uses). */
const mostRecent = 20
/** Enough to tell what it is asked for; each of them is embedded. */
const mostIntents = 8

/** One row, as JSON: the columns in the order in which they are selected. */
type CapabilityRow = readonly [
  id: string,
  name: string,
  description: string,
  intents: string,
  code: string,
  structure: string,
  inputSchema: string,
  outputSchema: string | null,
  tools: string,
  calls: string,
  origin: Capability['origin'],
  uses: number,
  successes: number,
  meanMs: number,
  recent: string,
  createdAt: number,
  lastUsedAt: number,
]

const asJson = `json_build_array(
  coalesce(whole_id, id), coalesce(whole_name, name), description, intents, code, coalesce(whole_structure, structure),
  input_schema, output_schema, tools, calls, origin, uses, successes, mean_ms, recent,
  ${epochMs('created_at')}, ${epochMs('last_used_at')})`

/** As one text, because the embedded database spends 20 microseconds on each row it hands over (edge-rows.ts). */
export async function selectCapabilities(database: Queryable): Promise<readonly Capability[]> {
  const [all] = await database.query<{ readonly capabilities: string | null }>(
    `select json_agg(${asJson})::text as capabilities
    from (select * from capability order by created_at, id collate "C") as capability`,
  )
  const rows: readonly CapabilityRow[] = JSON.parse(all!.capabilities ?? '[]')
  return rows.map(toCapability)
}

/** Under the lock of the capabilities. */
export async function insertCapability(transaction: Queryable, capability: Capability): Promise<Capability> {
  capability.recent.forEach(requireNumbers)
  const inserted = await transaction.query(
    `insert into capability (id, whole_id, name, whole_name, structure, whole_structure, description, intents, code,
      input_schema, output_schema, tools, calls, origin, uses, successes, mean_ms, recent, created_at, last_used_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
      to_timestamp($19::double precision / 1000), to_timestamp($20::double precision / 1000))
    on conflict do nothing returning 1 as one`,
    toColumns(capability),
  )
  if (inserted.length > 0) {
    await insertToolsOf(transaction, capability)
    return capability
  }
  const known = await selectWhere(transaction, 'structure = $1 or id = $2 order by structure = $1 desc', [
    encodeKey(capability.structure),
    encodeKey(capability.id),
  ])
  if (known !== undefined) return known
  throw new StoreError(
    `The name "${capability.name}" is another capability's.`,
    'Give it a name that none has.',
  )
}

/** Whoever notes a use of the same one waits here, so that none is lost. */
export async function addCapabilityUse(
  transaction: Queryable,
  id: CapabilityId,
  use: NotedUse,
): Promise<boolean> {
  requireNumbers(use)
  const known = await lockCapability(transaction, id)
  if (known === undefined) return false
  const { at, success, ms, callsMs, intent, outputSchema } = use
  const successes = known.successes + (success ? 1 : 0)
  await updateFigures(transaction, {
    ...known,
    uses: known.uses + 1,
    successes,
    meanMs: success ? known.meanMs + (ms - known.meanMs) / successes : known.meanMs,
    recent: newestOf([...known.recent, { at, success, ms, callsMs }]),
    lastUsedAt: Math.max(known.lastUsedAt, at),
    intents: intent === undefined ? known.intents : firstIntents([intent, ...known.intents]),
    ...(outputSchema !== undefined && { outputSchema }),
  })
  return true
}

/** Under the lock of the capabilities. */
export async function renameCapability(
  transaction: Queryable,
  id: CapabilityId,
  { name, description }: CapabilityChanges,
): Promise<boolean> {
  const renamed = await transaction.query(
    `update capability set name = coalesce($2::text, name), description = coalesce($4::text, description),
      whole_name = case when $2::text is null then whole_name else $3::text end
    where id = $1 and not exists (select 1 from capability as other where other.name = $2::text and other.id <> $1)
    returning 1 as one`,
    [
      encodeKey(id),
      name === undefined ? null : encodeKey(name),
      name === undefined ? null : wholeIfCut(name),
      textOrNull(description),
    ],
  )
  return renamed.length > 0
}

/** Under the lock of the capabilities and that of the traces. */
export async function mergeCapabilities(
  transaction: Queryable,
  keptId: CapabilityId,
  goneId: CapabilityId,
): Promise<boolean> {
  if (keptId === goneId) return false
  const kept = await lockCapability(transaction, keptId)
  const gone = await lockCapability(transaction, goneId)
  if (kept === undefined || gone === undefined) return false
  const dependencies = await selectCapabilityDependenciesOf(transaction, goneId)
  await moveBetaState(transaction, keptId, goneId)
  await deleteCapability(transaction, goneId)
  await updateFigures(transaction, withFiguresOf(kept, gone))
  await callInstead(transaction, keptId, goneId)
  await addToCapabilityDependencies(
    transaction,
    dependencies.map((one) => ({
      ...one,
      from: one.from === goneId ? keptId : one.from,
      to: one.to === goneId ? keptId : one.to,
    })),
  )
  return true
}

/** Its tools and dependencies go with it. Under the lock of the capabilities and that of the traces. */
export async function deleteCapability(transaction: Queryable, id: CapabilityId): Promise<boolean> {
  const deleted = await transaction.query('delete from capability where id = $1 returning 1 as one', [
    encodeKey(id),
  ])
  await transaction.query('delete from capability_thompson_states where id = $1', [encodeKey(id)])
  return deleted.length > 0
}

/** What `contains` says stands in the code, and stays with it. Under the lock of the capabilities. */
export async function forgetLearnedCapabilities(transaction: Queryable): Promise<void> {
  await transaction.query(`delete from capability where origin = 'learned'`)
  await transaction.query(`delete from capability_dependency where not is_manual and type <> 'contains'`)
}

function withFiguresOf(kept: Capability, gone: Capability): Capability {
  const successes = kept.successes + gone.successes
  const [newer, older] = gone.lastUsedAt > kept.lastUsedAt ? [gone, kept] : [kept, gone]
  const outputSchema = kept.outputSchema ?? gone.outputSchema
  return {
    ...kept,
    intents: firstIntents([...newer.intents, ...older.intents]),
    ...(outputSchema !== undefined && { outputSchema }),
    uses: kept.uses + gone.uses,
    successes,
    meanMs:
      successes === 0
        ? kept.meanMs
        : (kept.meanMs * kept.successes + gone.meanMs * gone.successes) / successes,
    recent: newestOf([...kept.recent, ...gone.recent]),
    lastUsedAt: newer.lastUsedAt,
  }
}

/** By their times: one that took long is noted behind those that began after it. */
function newestOf(uses: readonly CapabilityUse[]): readonly CapabilityUse[] {
  return uses.toSorted((a, b) => a.at - b.at).slice(-mostRecent)
}

function firstIntents(intents: readonly string[]): readonly string[] {
  return [...new Set(intents)].slice(0, mostIntents)
}

/** JSON would make null of it. Those that have columns the table checks. */
function requireNumbers({ at, ms, callsMs }: CapabilityUse): void {
  const bad = [at, ms, callsMs].find((number) => !Number.isFinite(number))
  if (bad !== undefined) throw new TypeError(`${bad} is no number of a use`)
}

function lockCapability(transaction: Queryable, id: CapabilityId): Promise<Capability | undefined> {
  return selectWhere(transaction, 'id = $1 for update', [encodeKey(id)])
}

async function selectWhere(
  transaction: Queryable,
  condition: string,
  parameters: readonly Parameter[],
): Promise<Capability | undefined> {
  const [row] = await transaction.query<{ readonly capability: string }>(
    `select ${asJson}::text as capability from capability where ${condition}`,
    parameters,
  )
  return row === undefined ? undefined : toCapability(JSON.parse(row.capability))
}

/** What uses change; all else stays as it is, and where it is. */
async function updateFigures(transaction: Queryable, capability: Capability): Promise<void> {
  await transaction.query(
    `update capability set intents = $2, output_schema = $3, uses = $4, successes = $5, mean_ms = $6, recent = $7,
      last_used_at = to_timestamp($8::double precision / 1000)
    where id = $1`,
    [
      encodeKey(capability.id),
      encodeJson(capability.intents),
      jsonOrNull(capability.outputSchema),
      capability.uses,
      capability.successes,
      capability.meanMs,
      encodeJson(capability.recent),
      capability.lastUsedAt,
    ],
  )
}

/** Nobody is left calling what is gone; none calls itself. */
async function callInstead(transaction: Queryable, kept: CapabilityId, gone: CapabilityId): Promise<void> {
  const callers = await transaction.query<{ readonly id: string }>(
    'select capability as id from capability_tool where tool = $1',
    [encodeKey(gone)],
  )
  for (const { id } of callers) {
    const caller = await selectWhere(transaction, 'id = $1', [id])
    if (caller === undefined) continue
    const calls = new Set(caller.calls.map((called) => (called === gone ? kept : called)))
    calls.delete(caller.id)
    await transaction.query('update capability set calls = $2 where id = $1', [id, encodeJson([...calls])])
    await transaction.query('delete from capability_tool where capability = $1', [id])
    await insertToolsOf(transaction, { ...caller, calls: [...calls] })
  }
}

/** Both start from the prior: what each has seen beyond it is added. */
async function moveBetaState(transaction: Queryable, kept: CapabilityId, gone: CapabilityId): Promise<void> {
  await transaction.query(
    `insert into capability_thompson_states as known (id, whole_id, alpha, beta, observations, updated_at)
    select $1, $2, alpha, beta, observations, updated_at from capability_thompson_states where id = $3
    on conflict (id) do update set alpha = known.alpha + excluded.alpha - 1, beta = known.beta + excluded.beta - 1,
      observations = known.observations + excluded.observations,
      updated_at = greatest(known.updated_at, excluded.updated_at)`,
    [encodeKey(kept), wholeIfCut(kept), encodeKey(gone)],
  )
}

/** So that people can ask what uses a tool: its tools first, then the capabilities that it calls. */
async function insertToolsOf(transaction: Queryable, { id, tools, calls }: Capability): Promise<void> {
  const called = [...tools, ...calls]
  await transaction.query(
    `insert into capability_tool (capability, position, tool, whole_tool)
    select $1, position, tool, whole_tool
    from unnest($2::integer[], $3::text[], $4::text[]) as given (position, tool, whole_tool)`,
    [encodeKey(id), called.map((_, at) => at), called.map(encodeKey), called.map(wholeIfCut)],
  )
}

function toColumns(capability: Capability): readonly Parameter[] {
  const { id, name, structure } = capability
  return [
    ...[encodeKey(id), wholeIfCut(id), encodeKey(name), wholeIfCut(name)],
    ...[encodeKey(structure), wholeIfCut(structure)],
    encodeText(capability.description),
    encodeJson(capability.intents),
    encodeText(capability.code),
    encodeJson(capability.inputSchema),
    jsonOrNull(capability.outputSchema),
    encodeJson(capability.tools),
    encodeJson(capability.calls),
    capability.origin,
    capability.uses,
    capability.successes,
    capability.meanMs,
    encodeJson(capability.recent),
    capability.createdAt,
    capability.lastUsedAt,
  ]
}

function toCapability([
  id,
  name,
  description,
  intents,
  code,
  structure,
  inputSchema,
  outputSchema,
  tools,
  calls,
  origin,
  uses,
  successes,
  meanMs,
  recent,
  createdAt,
  lastUsedAt,
]: CapabilityRow): Capability {
  return {
    id: decodeText(id) as CapabilityId,
    name: decodeText(name),
    description: decodeText(description),
    intents: decodeJson<readonly string[]>(intents),
    code: decodeText(code),
    structure: decodeText(structure),
    inputSchema: decodeJson<JsonObject>(inputSchema),
    ...(outputSchema === null ? {} : { outputSchema: decodeJson<JsonObject>(outputSchema) }),
    tools: decodeJson<readonly ToolId[]>(tools),
    calls: decodeJson<readonly CapabilityId[]>(calls),
    ...{ origin, uses, successes, meanMs },
    recent: decodeJson<readonly CapabilityUse[]>(recent),
    ...{ createdAt, lastUsedAt },
  }
}
