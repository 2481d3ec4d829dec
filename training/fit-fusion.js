// Weight of meaning beside words, and the curve from evidence to probability: the constants of src/plan/fuse-signals.ts.
// Fitted on the check sets that texts.js wrote (tools the model has not learned from); told on the development sets.
//   node training/fit-fusion.js

import { readdirSync, readFileSync } from 'node:fs'
import { createStaticEmbedder } from '../dist/embed/static-embedder.js'
import { measureYardstick, nearnessOf } from '../dist/embed/yardstick.js'
import { retrievalFigures } from '../dist/evaluate/retrieval-figures.js'
import { seededRandom } from '../dist/model/seeded-random.js'
import { createCatalogueIndex } from '../dist/plan/find/create-catalogue-index.js'
import { scoreWords } from '../dist/plan/find/score-words.js'
import { splitRequest } from '../dist/plan/find/split-request.js'

const folder = '.training/texts'
const sizes = [30, 200, 2000]
const mostRequests = 450
/** As in fuse-signals.ts. */
const leastNearness = 0.35
const { signal } = new AbortController()
const embedder = createStaticEmbedder()
const yardstick = await measureYardstick(embedder, signal)

const check = await load('check')
const dev = await load('dev')
console.log('Weight of meaning: NDCG@10, mean of the sets')
for (const weight of [0, 0.5, 0.7, 1, 1.2, 1.4, 1.7, 2])
  console.log(`  ${weight}: check ${await ndcg(check, weight)}, development ${await ndcg(dev, weight)}`)
await fitCurve('words', 0)
await fitCurve('meaning', 1)

async function load(kind) {
  const sets = []
  for (const file of readdirSync(folder).filter((name) => name.startsWith(`${kind}-`))) {
    const { name, tools, requests, wanted } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
    const step = Math.ceil(requests.length / mostRequests)
    const asked = requests
      .map((text, at) => ({ text, wanted: new Set(wanted[at]) }))
      .filter((_, at) => at % step === 0)
    const vectors = await embedder.embed(
      tools.map(({ text }) => text),
      'tool',
      signal,
    )
    for (const request of asked) {
      const near = await nearnesses(request.text, vectors)
      Object.assign(request, { near })
    }
    sets.push({ name, tools: tools.map(({ tool }) => tool), vectors, asked })
  }
  return sets
}

/** As search has it: half the whole request, half the nearest of its parts. */
async function nearnesses(text, vectors) {
  const [whole, ...parts] = await embedder.embed([text, ...splitRequest(text)], 'query', signal)
  return vectors.map((vector) => {
    const cosine = dot(whole, vector)
    const nearest = parts.length === 0 ? cosine : Math.max(...parts.map((part) => dot(part, vector)))
    return nearnessOf((cosine + nearest) / 2, yardstick)
  })
}

function dot(a, b) {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at]
  return sum
}

async function ndcg(sets, weight) {
  const figures = []
  for (const set of sets) {
    const answers = await search({ set, chosen: all(set), asked: set.asked, weight })
    const rankings = answers.map(({ request, hits }) => ({
      gold: [...request.wanted].map(String),
      ranked: hits.map(({ tool }) => String(tool)),
    }))
    figures.push(retrievalFigures(rankings)['ndcg@10'])
  }
  return mean(figures).toFixed(4)
}

/** Every request on a catalogue of the chosen tools: all of them, best first. */
async function search({ set, chosen, asked, weight }) {
  const index = createCatalogueIndex({ added() {}, removed() {} })
  index.follow(chosen.map((tool, at) => ({ ...set.tools[tool], id: `${at}:${set.tools[tool].name}` })))
  await index.ready()
  const slots = new Map(chosen.map((tool, slot) => [tool, slot]))
  return asked.map((request) => {
    const { words, possible } = scoreWords(request.text, index)
    const hits = chosen
      .filter((tool, slot) => words[slot] > 0 || (weight > 0 && request.near[tool] >= leastNearness))
      .map((tool) => ({ tool, evidence: words[slots.get(tool)] + weight * request.near[tool] }))
      .sort((a, b) => b.evidence - a.evidence || a.tool - b.tool)
    return { request, hits, possible: possible + weight }
  })
}

async function fitCurve(name, weight) {
  const groups = []
  const random = seededRandom(42)
  for (const [at, set] of check.entries()) {
    const elsewhere = check[(at + 1) % check.length].asked
    for (const size of sizes) {
      if (size !== sizes[0] && set.tools.length < size * 0.7) continue
      const chosen = draw(set, size, random)
      const asked = await withStrangers(set, served(set.asked, chosen), elsewhere)
      groups.push(await judge({ set, chosen, asked, weight, robbed: (at) => at % 8 === 5 }))
    }
  }
  const told = []
  for (const set of dev)
    told.push([
      set.name,
      await judge({ set, chosen: all(set), asked: set.asked, weight, robbed: () => false }),
    ])
  const fit = logistic(groups.filter((group) => group.length > 200))
  console.log(`${name}: bias, amount, share, rank = ${fit.map((value) => value.toFixed(2)).join(', ')}`)
  console.log(`  calibration error: check ${mean(groups.map((group) => error(group, fit))).toFixed(3)}`)
  for (const [set, group] of told) console.log(`  ${set}: ${error(group, fit).toFixed(3)}`)
}

function served(asked, chosen) {
  const here = new Set(chosen)
  return asked.filter(({ wanted }) => [...wanted].every((tool) => here.has(tool)))
}

/** One request in three comes from elsewhere: nothing here serves it, and that must show. */
async function withStrangers(set, own, elsewhere) {
  const strangers = []
  for (const { text } of elsewhere.slice(0, Math.ceil(own.length / 2)))
    strangers.push({ text, wanted: new Set(), near: await nearnesses(text, set.vectors) })
  return [...own, ...strangers]
}

/** The first ten hits of each request: what the curve is made of, and whether they were wanted. A robbed one has lost its tools. */
async function judge({ set, chosen, asked, weight, robbed }) {
  const answers = await search({ set, chosen, asked, weight })
  return answers.flatMap(({ request, hits, possible }, at) => {
    const left = robbed(at) ? hits.filter(({ tool }) => !request.wanted.has(tool)) : hits
    const first = left.slice(0, 10)
    const lead = first[0]?.evidence || 1
    return first.map(({ tool, evidence }) => ({
      features: [1, Math.log(1 + evidence), Math.min(1, evidence / (possible || 1)), evidence / lead],
      wanted: request.wanted.has(tool) ? 1 : 0,
    }))
  })
}

function all({ tools }) {
  return tools.map((_, at) => at)
}

function draw(set, size, random) {
  const drawn = all(set).map((tool) => ({ tool, at: random() }))
  return drawn
    .sort((a, b) => a.at - b.at)
    .slice(0, size)
    .map(({ tool }) => tool)
}

/** Newton's method; every group counts the same. */
function logistic(groups) {
  let weights = groups[0][0].features.map(() => 0)
  for (let round = 0; round < 40; round++) {
    const gradient = weights.map(() => 0)
    const curvature = weights.map((_, row) => weights.map((_, column) => (row === column ? 1e-4 : 0)))
    for (const group of groups)
      for (const { features, wanted } of group) {
        const p = probability(features, weights)
        features.forEach((a, row) => {
          gradient[row] += ((wanted - p) * a) / group.length
          features.forEach((b, column) => {
            curvature[row][column] += (p * (1 - p) * a * b) / group.length
          })
        })
      }
    const step = solve(curvature, gradient)
    weights = weights.map((weight, at) => weight + step[at])
  }
  return weights
}

function probability(features, weights) {
  return 1 / (1 + Math.exp(-features.reduce((sum, feature, at) => sum + feature * weights[at], 0)))
}

/** Gauss and Jordan; the matrix is positive definite. */
function solve(matrix, right) {
  const rows = matrix.map((row, at) => [...row, right[at]])
  rows.forEach((pivot, at) => {
    const head = pivot[at]
    pivot.forEach((value, column) => {
      pivot[column] = value / head
    })
    for (const row of rows) {
      if (row === pivot) continue
      const factor = row[at]
      row.forEach((value, column) => {
        row[column] = value - factor * pivot[column]
      })
    }
  })
  return rows.map((row) => row.at(-1))
}

/** Expected calibration error in ten bins, as `pml bench retrieval` has it. */
function error(group, weights) {
  const bins = Array.from({ length: 10 }, () => 0)
  for (const { features, wanted } of group) {
    const p = probability(features, weights)
    bins[Math.min(9, Math.floor(p * 10))] += p - wanted
  }
  return bins.reduce((sum, gap) => sum + Math.abs(gap), 0) / Math.max(1, group.length)
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
