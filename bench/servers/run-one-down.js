// One server does not come up: the other fourteen must be there as fast as ever, and the trouble must be told.
import { openHouse } from './open-house.js'

export async function runOneDown({ servers, down, folder, scratch, check }) {
  const changed = servers.map((server) =>
    server.name === down ? { ...server, args: server.argsAlone } : server,
  )
  const house = openHouse({ name: 'one-down', servers: changed, folder, scratch, exposure: 'auto', check })
  const gateway = await house.open()
  await gateway.listTools()
  const firstListMs = performance.now() - gateway.startedAt
  const states = await house.settled([down])
  for (const { name, status } of states)
    if (name !== down) house.claim(`${name} is ready`, status === 'ready', status)
  const { trouble } = states.find(({ name }) => name === down)
  house.claim(`the trouble with ${down} is told`, trouble !== undefined)
  const answer = await gateway.callTool('discover', { intent: down })
  const text = answer.content.map((block) => block.text).join('\n')
  house.claim(`discover says that ${down} is down`, text.includes(`${down} is `), text)
  await house.close(gateway, 'the only run')
  return { firstListMs, trouble: trouble?.kind }
}
