import type { Embedder } from './embedder.js'

/** What a model's cosines mean: one model calls .3 related, another finds .6 between any two sentences. */
export interface Yardstick {
  /** Cosine of a request with tools that have nothing to do with it. */
  readonly unrelated: number
  /** Cosine of a request with the tool for it. */
  readonly related: number
}

/** Requests and what the tools for them say, of as many fields as there are pairs. Fixed, so that a model always measures the same. */
const pairs: readonly (readonly [request: string, tool: string])[] = [
  ['open a bug about the login page', 'tracker create issue: Creates a new issue in a project'],
  ['what will the weather be tomorrow in Oslo', 'weather forecast: Weather forecast for a city and day'],
  ['show me the contents of notes.txt', 'files read file: Reads the complete contents of a file'],
  [
    'how many customers signed up last month',
    'database run query: Runs a SQL query and returns the result rows',
  ],
  ['let Anna know that I am late', 'chat send message: Sends a direct message to a user'],
  ['book a table for two tonight', 'restaurants reserve: Makes a reservation at a restaurant'],
  ['translate this paragraph into French', 'language translate text: Translates text between languages'],
  ['restart the web pods', 'kubernetes rollout restart: Restarts the pods of a deployment'],
  ['find flights from Lyon to Rome', 'travel search flights: Searches flights between two airports'],
  ['take a picture of this page', 'browser screenshot: Captures an image of the current page'],
  ['put lunch with Sam on Friday', 'calendar create event: Adds an event to a calendar'],
  ['what is Apple trading at', 'stocks get quote: Current price of a share by its symbol'],
]

export async function measureYardstick(
  embedder: Pick<Embedder, 'embed'>,
  signal: AbortSignal,
): Promise<Yardstick> {
  const requests = await embedder.embed(
    pairs.map(([request]) => request),
    'query',
    signal,
  )
  const tools = await embedder.embed(
    pairs.map(([, tool]) => tool),
    'tool',
    signal,
  )
  let related = 0
  let unrelated = 0
  requests.forEach((request, i) => {
    tools.forEach((tool, j) => {
      const cosine = dot(request, tool)
      if (i === j) related += cosine / pairs.length
      else unrelated += cosine / (pairs.length * (pairs.length - 1))
    })
  })
  return { unrelated, related }
}

/** A model that cannot tell the two apart says nothing. */
const leastGap = 0.02

/** 0 for what is unrelated, 1 for what is as near as a request is to its tool. */
export function nearnessOf(cosine: number, { unrelated, related }: Yardstick): number {
  const gap = related - unrelated
  return gap >= leastGap ? Math.max(0, (cosine - unrelated) / gap) : 0
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
