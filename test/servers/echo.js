// A well-behaved server on the v2 SDK, speaking 2026-07-28 and the 2025 revisions: echo, add, sleep, env, big, fail.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createEchoServer } from './echo-tools.js'

serveStdio(() => createEchoServer(process.argv[2] ?? 'echo'))
