/** A planner over some twenty hand-made tools of four servers, with the real search, the real graph and the real static embedder. */
import { createStaticEmbedder } from '../embed/static-embedder.js'
import type { Edge } from '../model/edge.js'
import { type Experience, noExperience, type PastRun } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import type { IntentPlan } from '../model/plan.js'
import type { Tool, ToolId } from '../model/tool.js'
import { createIntentPlanner } from './create-intent-planner.js'
import { openTestSearch } from './find/test-search.contract.js'
import type { IntentPlanner, PlanIntentOptions } from './intent-planner.js'
import { makeTool } from './make-tool.contract.js'

export type Schema = Readonly<Record<string, unknown>>

export const text = { type: 'string' }
export const number = { type: 'number' }
export const whole = { type: 'integer' }

export function said(description: string, schema: Schema = text): Schema {
  return { ...schema, description }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

/** `optional` fields need not be there. */
export function objectOf(required: Schema, optional: Schema = {}): Schema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

/** `gives` undefined: it does not say what its results look like. */
export function tool(
  id: string,
  description: string,
  takes: Schema,
  gives?: Schema,
  more: Partial<Tool> = {},
): Tool {
  const made = makeTool(id, description, { ...more, inputSchema: takes as JsonObject })
  return gives === undefined
    ? made
    : { ...made, definition: { ...made.definition, outputSchema: gives as JsonObject } }
}

const priority = said('How urgent it is', { type: 'string', enum: ['low', 'normal', 'high'] })

export const handMade: readonly Tool[] = [
  tool(
    'files:list_files',
    'Lists the files of a folder',
    objectOf({ folder: text }),
    objectOf({ files: listOf(objectOf({ path: text, size: whole })) }),
  ),
  tool(
    'files:search_files',
    'Searches a directory for files by a pattern. Returns full paths to all matching items',
    objectOf({ path: text, pattern: text }),
    objectOf({ content: text }),
  ),
  tool(
    'files:read_file',
    'Reads the content of one file',
    objectOf({ path: said('Path of the file to read') }),
    objectOf({ content: text }),
  ),
  tool(
    'files:write_file',
    'Writes content to a file, replacing what it held',
    objectOf({ path: said('Path of the file to write'), content: text }),
  ),
  tool(
    'files:delete_file',
    'Deletes a file for ever',
    objectOf({ path: said('Path of the file to delete') }),
  ),
  tool(
    'mail:send_email',
    'Sends an email to somebody',
    objectOf(
      {
        to: said('Address of the recipient', { type: 'string', format: 'email' }),
        body: said('Text of the email'),
      },
      { subject: text },
    ),
  ),
  tool(
    'mail:list_emails',
    'Lists the emails of the inbox',
    objectOf({}, { limit: whole }),
    objectOf({ emails: listOf(objectOf({ email_id: text, sender: text, subject: text })) }),
  ),
  tool('mail:archive_email', 'Archives one email', objectOf({ email_id: said('Which email') })),
  tool(
    'github:create_issue',
    'Opens an issue in a repository',
    objectOf({ repo: said('Repository of the issue'), title: text, priority }, { body: text }),
    objectOf({ issue_number: whole, url: text }),
  ),
  tool(
    'github:list_issues',
    'Lists the issues of a repository',
    objectOf({ repo: said('Repository to list') }),
    objectOf({ issues: listOf(objectOf({ issue_number: whole, title: text })) }),
  ),
  tool(
    'github:close_issue',
    'Closes an issue of a repository',
    objectOf({ repo: text, issue_number: said('Number of the issue', whole) }),
  ),
  tool(
    'github:label_issues',
    'Puts a label on several issues',
    objectOf({ issue_numbers: listOf(whole), label: text }),
  ),
  tool(
    'world:get_weather',
    'Gets the current weather of a city',
    objectOf({ city: text }),
    objectOf({ temperature: number, conditions: text }),
  ),
  tool(
    'world:translate_text',
    'Translates a text into another language',
    objectOf({ text, target_language: text }),
    objectOf({ translation: text }),
  ),
  tool(
    'world:summarize_text',
    'Summarizes a long text in a few sentences',
    objectOf({ text }),
    objectOf({ summary: text }),
  ),
  tool(
    'world:convert_currency',
    'Converts an amount of money from one currency to another',
    objectOf({ amount: number, from_currency: text, to_currency: text }),
    objectOf({ converted_amount: number }),
  ),
  tool(
    'world:find_restaurants',
    'Finds restaurants of a cuisine in a city',
    objectOf({ cuisine: text, city: text }),
    objectOf({ restaurants: listOf(objectOf({ restaurant_name: text, rating: number })) }),
  ),
  tool(
    'world:reserve_restaurant',
    'Reserves a table at a restaurant',
    objectOf({
      restaurant_name: text,
      date: said('Day of the reservation', { type: 'string', format: 'date' }),
      party_size: said('How many people', whole),
    }),
    objectOf({ reservation_id: text }),
  ),
  tool('world:play_song', 'Plays a song by its title', objectOf({ title: text })),
  tool(
    'world:create_entities',
    'Creates entities in the knowledge graph',
    objectOf({
      entities: listOf(
        objectOf({
          name: said('The name of the entity'),
          entityType: said('The type of the entity'),
          observations: said('An array of observation contents', listOf(text)),
        }),
      ),
    }),
  ),
]

export interface TestPlanner extends IntentPlanner {
  planFor(intent: string, given?: JsonObject, more?: Partial<PlanIntentOptions>): Promise<IntentPlan>
}

export interface TestPlannerOptions {
  readonly experience?: Partial<Experience>
  readonly edges?: readonly Edge[]
  /** What can be called now; all of the catalogue where it is not said. */
  readonly tool?: (id: ToolId) => Tool | undefined
}

export function openTestPlanner(
  tools: readonly Tool[] = handMade,
  options: TestPlannerOptions = {},
): TestPlanner {
  const { search, graph } = openTestSearch(tools)
  graph.load(options.edges ?? [])
  const byId = new Map(tools.map((one) => [one.id, one]))
  const planner = createIntentPlanner({
    search: search.search,
    tool: options.tool ?? ((id) => byId.get(id)),
    graph,
    embedder: createStaticEmbedder(),
    experience: { ...noExperience, ...options.experience },
  })
  return {
    ...planner,
    async planFor(intent, given = {}, more = {}) {
      // Vectors come a moment after the words; a plan made before them is another one.
      await search.settled()
      return planner.plan(intent, { given, tokenBudget: 8_000, ...more })
    },
    async replan(run, requirement, options) {
      await search.settled()
      return planner.replan(run, requirement, options)
    },
  }
}

/** `a -> b` for each edge. */
export function edgesOf({ edges }: Pick<IntentPlan, 'edges'>): readonly string[] {
  return edges.map(({ from, to }) => `${from} -> ${to}`).sort()
}

/** By task id. */
export function argumentsOf({ plan }: IntentPlan): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(plan.tasks.map((task) => [task.id, task.arguments]))
}

export function pastRun(
  id: string,
  intent: string,
  tasks: readonly [id: string, tool: string, args?: JsonObject, after?: readonly string[]][],
): PastRun {
  return {
    id,
    intent,
    endedAt: 0,
    tasks: tasks.map(([task, name, args = {}, dependsOn = []]) => ({
      id: task,
      tool: name as ToolId,
      arguments: args,
      dependsOn,
    })),
  }
}
