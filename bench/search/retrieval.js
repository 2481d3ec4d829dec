// How well does search find tools? Every set of a folder, by words alone and with an embedder: the table of README.md.
//   npm run bench:retrieval                             all sets in ../shared/eval
//   npm run bench:retrieval -- FOLDER --embedder NAME   another folder, another embedder (static)

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { embedder: { type: 'string', default: 'static' } },
})
const folder = positionals[0] ?? '../shared/eval'
const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
const columns = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr', 'all_gold@10']
const sets = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'queries.jsonl')))
if (sets.length === 0) throw new Error(`There is no set in ${folder}.`)

console.log(`| set (requests, tools) | | ${columns.join(' | ')} | p95 ms | off |`)
console.log(`|---|---|${columns.map(() => '---').join('|')}|---|---|`)
const sums = new Map()
for (const set of sets) {
  const none = bench(set, 'none')
  const chosen = bench(set, values.embedder)
  print(`${set} (${chosen.queries}, ${chosen.tools})`, 'plain BM25', chosen.floor)
  print('', 'words', none)
  print('', `words + ${values.embedder}`, chosen)
}
for (const [name, list] of sums) print('**mean**', name, mean(list))

function bench(set, embedder) {
  const args = [bin, 'bench', 'retrieval', '--set', join(folder, set), '--embedder', embedder, '--json']
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n').at(-1))
}

function print(set, name, figures) {
  if (set !== '**mean**') sums.set(name, [...(sums.get(name) ?? []), figures])
  const share = (column) => figures[column].toFixed(3).replace(/^0/, '')
  const speed =
    figures.p95_ms === undefined ? ' | ' : `${figures.p95_ms.toFixed(1)} | ${share('calibration_error')}`
  console.log(`| ${set} | ${name} | ${columns.map(share).join(' | ')} | ${speed} |`)
}

function mean(list) {
  return Object.fromEntries(
    columns.map((column) => [column, list.reduce((sum, one) => sum + one[column], 0) / list.length]),
  )
}
