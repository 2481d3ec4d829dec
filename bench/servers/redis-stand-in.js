// Stands in for an empty Redis, so that the redis server starts: answers each command of the protocol, keeps nothing.
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function startRedisStandIn() {
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let command = firstCommand(text); command !== undefined; command = firstCommand(text)) {
        text = text.slice(command.length)
        socket.write(answer(command.words))
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${server.address().port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer([name]) {
  if (/^keys$/i.test(name)) return '*0\r\n'
  if (/^get$/i.test(name)) return '$-1\r\n'
  return '+OK\r\n'
}

/** `*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\n`: the words of the first command and how many characters it takes; undefined while it is not whole. */
function firstCommand(text) {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (head === null) return undefined
  let at = head[0].length
  const words = []
  for (let n = 0; n < Number(head[1]); n++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at))
    if (size === null) return undefined
    const start = at + size[0].length
    const end = start + Number(size[1])
    if (text.length < end + 2) return undefined
    words.push(text.slice(start, end))
    at = end + 2
  }
  return { words, length: at }
}
