import { expect, it } from 'vitest'
import { readProgram } from './read-program.js'

it.each([
  'return await tools.files.read({ path: "a" })',
  'return await tools["files:read"]({})',
  'const fs = tools.files; return fs.read({})',
  'const { read, write: put } = tools.files; await put({}); return read({})',
  'const t = tools; const { files } = t; return files.read({})',
  'const all = await Promise.all([1, 2].map((n) => tools.a.b({ n }))); return all.map(({ tools }) => tools)',
  'return (await capabilities.count({ n: 1 })).tools',
  'return 1',
])('what is called by name is known: %s', (code) => {
  expect(readProgram(code).isOpen).toBe(false)
})

it.each([
  'return tools[args.tool]({})',
  'return tools[["a", "b"].join(":")]({})',
  'return [tools].at(0)["files:write"]({})',
  'return Reflect.get(tools, "files").write({})',
  'return new Map([["a", tools]]).get("a").files.write({})',
  'return Reflect.apply(tools.files.write, null, [{}])',
  'const go = (t) => t.files.write({}); return go(tools)',
  'let t = tools.files; t = tools.mail; return t.send({})',
  'const o = { tools }; return o.tools.files.write({})',
  'const [t] = [tools.files]; return t.write({})',
  'return tools.files.write.call(null, {})',
  'const { files: { ...rest } } = tools; return rest.write({})',
  'const f = tools.files; globalThis.x = f; return f.read({})',
  'return Object.values(tools)',
])('what is not is not: %s', (code) => {
  expect(readProgram(code).isOpen).toBe(true)
})
