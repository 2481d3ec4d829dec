/** What the client in front of the gateway, its user and its model would say. */
export function answerQuestion({ method, params }) {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///conformance', name: 'Conformance' }] }
  if (method === 'sampling/createMessage')
    return {
      role: 'assistant',
      content: { type: 'text', text: 'A sampled answer.' },
      model: 'conformance-model',
      stopReason: 'endTurn',
    }
  // A form comes with its defaults filled in; the user adds nothing and accepts.
  return { action: 'accept', content: fill(params.requestedSchema?.properties ?? {}) }
}

function fill(properties) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, schema.default ?? sample(schema)])
  return Object.fromEntries(entries)
}

/** Arguments that the schema of a tool takes. */
export function sampleArguments(definition, tools) {
  // One tool wants the schema of another back as we know it.
  if (definition.name === 'json_schema_echo')
    return { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool').definition.inputSchema }
  const { properties = {}, required = [] } = definition.inputSchema
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]))
}

function sample({ type, enum: choices, items }) {
  if (choices !== undefined) return choices[0]
  if (type === 'number' || type === 'integer') return 2
  if (type === 'boolean') return true
  if (type === 'array') return items === undefined ? [] : [sample(items)]
  if (type === 'object') return {}
  if (type === 'null') return null
  return 'sample'
}

/** The authorization servers of the suite ask nobody: the first answer leads back. */
export async function signInAsBrowser(address) {
  const answer = await fetch(address, { redirect: 'manual' })
  const back = answer.headers.get('location')
  if (back === null) throw new Error(`${address.origin} answered ${answer.status} and did not lead back.`)
  return new URL(back, address)
}
