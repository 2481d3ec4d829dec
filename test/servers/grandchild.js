// A wrapper as npx is one: starts another fixture (default echo) that inherits its pipes, and passes no signal on.
// The pid of the descendant is written to the file named by GRANDCHILD_PID_FILE.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [name = 'echo', ...args] = process.argv.slice(2)
const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' })
if (process.env.GRANDCHILD_PID_FILE) writeFileSync(process.env.GRANDCHILD_PID_FILE, String(child.pid))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
child.on('exit', (code) => process.exit(code ?? 1))
