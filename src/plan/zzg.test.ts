import { it } from 'vitest'
import { openTestPlanner } from './test-planner.contract.js'
import { readFileSync } from 'node:fs'
it('x', async () => {
  const p = openTestPlanner()
  for (const line of readFileSync('/tmp/g/q.txt','utf8').split('\n').filter(Boolean)) {
    const [q, given] = line.split(' ||| ')
    const r = await p.planFor(q!, given ? JSON.parse(given) : {})
    console.log('##', q, given ?? '', '\nconf', r.confidence.toFixed(2), JSON.stringify(r.layers), '\n' + r.plan.tasks.map(t => `  ${t.id} ${JSON.stringify(t.arguments)} ${t.each ? 'each ' + t.each : ''} <- ${t.dependsOn}`).join('\n'),
    '\n  edges', r.edges.map(e => `${e.from}->${e.to} ${e.probability.toFixed(2)} ${e.why}`).join(' | '), '\n  dropped', r.dropped.map(e => `${e.from}->${e.to}`).join(), '\n  args', r.arguments.map(a => `${a.task}.${a.argument} ${a.source} ${a.confidence.toFixed(2)}${a.coerced ? ' ('+a.coerced+')':''}`).join('; '), '\n  missing', r.missing.map(m => `${m.task}.${m.argument}: ${m.description}`).join('; '), '\n  unserved', r.unserved, 'notes', r.notes)
  }
})
