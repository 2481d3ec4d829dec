/** Schemas and descriptions as people write them, where a collection of them is at hand. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { JsonObject } from '../model/json.js'
import { planTasks } from './plan-tasks.js'
import { openTestPlanner, tool } from './test-planner.contract.js'

const file = fileURLToPath(new URL('../../../shared/eval/docker_mcp_registry/tools.jsonl', import.meta.url))
const isThere = existsSync(file)
const title =
  'two hundred intents made of real descriptions are planned without a throw, and every plan is legal as it stands'

it.skipIf(!isThere)(
  isThere ? title : `${title} (skipped: ../shared/eval is not there)`,
  { timeout: 60_000 },
  async () => {
    const rows = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as {
            server: string
            name: string
            description: string
            inputSchema: JsonObject
            outputSchema?: JsonObject
          },
      )
    const tools = rows.map((row) =>
      tool(`${row.server}:${row.name}`, row.description, row.inputSchema, row.outputSchema ?? undefined),
    )
    const byId = new Map(tools.map((one) => [one.id, one]))
    const planner = openTestPlanner([...byId.values()])
    const said = (at: number): string => rows[at % rows.length]!.description.split(/[.\n]/)[0]!
    const times: number[] = []
    for (let at = 0; at < 200; at++) {
      const [first, second] = [said(at * 37), said(at * 101 + 13)]
      const intent = [
        first,
        `${first} and then ${second}`,
        `For each ${first.toLowerCase()}, ${second.toLowerCase()}`,
      ][at % 3]!
      const started = performance.now()
      const { plan, confidence, layers } = await planner.planFor(intent)
      times.push(performance.now() - started)
      expect(confidence).toBeGreaterThanOrEqual(0)
      expect(confidence).toBeLessThanOrEqual(1)
      expect(layers.flat()).toHaveLength(plan.tasks.length)
      if (plan.tasks.length === 0) continue
      const requests = plan.tasks.map(({ id, tool: name, arguments: args, dependsOn }) => ({
        id,
        tool: name,
        arguments: args,
        dependsOn,
      }))
      expect(planTasks(requests, { resolve: (id) => byId.get(id as never)!, intent })).toEqual(plan)
    }
    times.sort((a, b) => a - b)
    console.info(
      `${tools.length} tools, 200 intents: p50 ${times[100]!.toFixed(1)} ms, p95 ${times[190]!.toFixed(1)} ms`,
    )
  },
)
