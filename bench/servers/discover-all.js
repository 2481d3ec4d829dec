import { tokensOfText } from './count-tokens.js'

/** What an agent would ask for, and tools that would do. */
const intents = [
  ['read a text file', 'filesystem:read_text_file'],
  ['create an issue on GitHub', 'github:create_issue'],
  ['take a screenshot of a web page', 'playwright:browser_take_screenshot'],
  ['find documents in a MongoDB collection', 'mongodb:find'],
  ['post a message to a Slack channel', 'slack:slack_post_message'],
  ['directions between two places', 'google-maps:maps_directions'],
  ['search the web', 'brave-search:brave_web_search'],
  ['add a comment to a Notion page', 'notion:API-create-a-comment'],
  ['documentation of a library', 'context7:query-docs'],
]

/** Every tool by its id, which must come first, and by its bare name; then what the answers to an agent's words cost. */
export async function discoverAll({ client, expected, claim }) {
  const ask = (intent) => client.callTool('discover', { intent })
  const idsOf = (answer) => answer.structuredContent.tools.map((hit) => hit.id)
  for (const { name, tools } of expected) {
    for (const tool of tools) {
      const id = `${name}:${tool.name}`
      const byId = idsOf(await ask(id))
      claim(`discover "${id}" gives it first`, byId[0] === id, byId.join(', '))
      const byName = idsOf(await ask(tool.name))
      claim(`discover "${tool.name}" gives ${id}`, byName.includes(id), byName.join(', '))
    }
  }
  const answers = []
  for (const [intent, wanted] of intents) {
    const answer = await ask(intent)
    const place = idsOf(answer).indexOf(wanted) + 1
    claim(`discover "${intent}" gives ${wanted}`, place > 0, idsOf(answer).join(', '))
    answers.push({
      intent,
      wanted,
      place,
      textTokens: tokensOfText(answer.content.map((block) => block.text).join('\n')),
      jsonTokens: tokensOfText(JSON.stringify(answer.structuredContent)),
    })
  }
  return answers
}
