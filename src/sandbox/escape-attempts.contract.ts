/**
 * What code that means ill may try, by class. Each entry says how it has to end: a code of ours, or a pattern that the outcome, as JSON,
 * has to fit. Whatever it is, no marker may be in it, nothing may be connected to or created: escape.test.ts.
 */

export interface Attempt {
  readonly kind: string
  readonly javascript: string
  /** A code, or what the outcome has to look like. */
  readonly ends: string | RegExp
  /** Where it needs longer than others to reach its limit. */
  readonly wallMs?: number
  /** How it has to end with nothing hidden from it, where it is tried so too. */
  readonly naked?: string | RegExp
}

export interface Surroundings {
  /** A file with a marker in it. */
  readonly secret: string
  /** A directory to write to. */
  readonly directory: string
  /** Somebody listens there. */
  readonly port: number
}

const missing = /is not defined|Cannot read properties of undefined|is not a function/
const denied =
  /NotCapable|Requires \w+ access|EPERM|not permitted|is not defined|not a function|Unsupported scheme|denied|not supported/
const anyEnd = /./

export function escapeAttempts({ secret, directory, port }: Surroundings): readonly Attempt[] {
  const list: Attempt[] = []
  const add = (kind: string, ends: string | RegExp, ...programs: readonly string[]): void => {
    for (const javascript of programs) list.push({ kind, javascript, ends })
  }
  const addBoth = (
    kind: string,
    ends: string | RegExp,
    naked: string | RegExp,
    ...programs: readonly string[]
  ): void => {
    for (const javascript of programs) list.push({ kind, javascript, ends, naked })
  }
  const path = JSON.stringify(secret)
  const url = `file://${secret}`

  addBoth(
    'files',
    missing,
    denied,
    `return Deno.readTextFileSync(${path})`,
    `return await Deno.readTextFile(${path})`,
    `return [...Deno.readDirSync(${JSON.stringify(directory)})].map((e) => e.name)`,
    `return Deno.statSync(${path}).size`,
    `return Deno.realPathSync(${path} + '/../' + 'secret.txt')`,
    `Deno.writeTextFileSync(${JSON.stringify(`${directory}/made-1`)}, 'x'); return 1`,
    `Deno.mkdirSync(${JSON.stringify(`${directory}/made-2`)}); return 1`,
    `Deno.symlinkSync(${path}, ${JSON.stringify(`${directory}/made-3`)}); return 1`,
    `Deno.removeSync(${path}); return 1`,
    `return Deno.makeTempFileSync()`,
    `return process.getBuiltinModule('node:fs').readFileSync(${path}, 'utf8')`,
    `return process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(`${directory}/made-4`)}, 'x')`,
    `return new (process.getBuiltinModule('node:sqlite').DatabaseSync)(${JSON.stringify(`${directory}/made-5`)})`,
    `return process.getBuiltinModule('node:module').createRequire(${JSON.stringify(url)})(${path})`,
    `return process.binding('fs').readFileUtf8(${path}, 0)`,
    `return process.loadEnvFile(${path})`,
    `process.chdir(${JSON.stringify(directory)}); return process.cwd()`,
  )
  addBoth(
    'files',
    missing,
    /NotCapable|CODE_TIMEOUT|CODE_MEMORY/,
    `return process.getBuiltinModule('node:v8').writeHeapSnapshot(${JSON.stringify(`${directory}/made-6`)})`,
  )
  addBoth(
    '/proc',
    missing,
    denied,
    `return Deno.readTextFileSync('/proc/self/environ')`,
    `return Deno.readTextFileSync('/proc/self/cmdline')`,
    `return Deno.readTextFileSync('/proc/self/maps')`,
    `return Deno.openSync('/proc/self/mem', { read: true, write: true }).rid`,
    `return Deno.readTextFileSync('/proc/' + Deno.ppid + '/environ')`,
    `return Deno.readTextFileSync('/proc/self/fd/0')`,
    `return Deno.readTextFileSync('/dev/stdin')`,
    `return Deno.readLinkSync('/proc/self/exe')`,
    `return [...Deno.readDirSync('/proc/self/root')].length`,
  )
  add(
    'static imports',
    'CODE_SYNTAX',
    `import x from ${JSON.stringify(url)} with { type: 'text' }; return x`,
    `import x from 'data:text/javascript,export default 1'; return x`,
    `export { default } from ${JSON.stringify(url)}`,
    `} import x from 'node:fs'; {`,
    `}\nexport default 1\nasync function f() {`,
    `import.meta.resolve('x')`,
    `return import.source('x')`,
    `return import.defer('node:v8')`,
  )
  addBoth(
    'dynamic imports',
    'CODE_SYNTAX',
    /Requires read access|Blocked|Unsupported scheme|specifiers? w|not a dependency|not a valid module type|ext: modules|does not provide|npm|jsr|remote/i,
    `return (await import(${JSON.stringify(url)}, { with: { type: 'text' } })).default`,
    `return (await import(${JSON.stringify(url)}, { with: { type: 'bytes' } })).default`,
    `return (await import(${JSON.stringify(url)}, { with: { type: 'json' } })).default`,
    `return (await import(${JSON.stringify(url)})).default`,
    `return (await import('data:text/javascript,import x from "${url}" with { type: "text" }; export default x')).default`,
    `return (await import('data:text/javascript,import * as x from "node:v8"; export default Object.keys(x)')).default`,
    `return (await import('data:text/javascript,export * from "node:fs"')).readFileSync(${path}, 'utf8')`,
    `return (await import('node:fs')).readFileSync(${path}, 'utf8')`,
    `return (await import('node:v8')).setFlagsFromString('--allow-natives-syntax')`,
    `return (await import('NODE:process')).env`,
    `return (await import('no\\nde:child_process')).execSync('id')`,
    `return (await import('node:vm')).runInNewContext('1')`,
    `return (await import('node:worker_threads')).threadId`,
    `return (await import('node:inspector')).url()`,
    `return Object.keys(await import('ext:core/ops'))`,
    `return Object.keys(await import('npm:left-pad'))`,
    `return Object.keys(await import('jsr:@std/path'))`,
    `return Object.keys(await import('http://127.0.0.1:${port}/x.js'))`,
    `return Object.keys(await import('fs'))`,
    `return Object.keys(await import('./runner.js'))`,
    `const i = (x) => import(x); return Object.keys(await i('node:os'))`,
  )
  add(
    'code from text',
    /EvalError|is not a constructor|TypeError/,
    `return eval('1 + 1')`,
    `return (0, eval)('import("node:fs")')`,
    `return new Function('return import("node:v8")')()`,
    `return (async () => {}).constructor('return import("node:v8")')()`,
    `return (function* () {}).constructor('yield 1')().next()`,
    `return (async function* () {}).constructor('yield 1')().next()`,
    `return Reflect.construct((() => {}).constructor, ['return 1'])()`,
    `return Object.getPrototypeOf(async () => {}).constructor('return 1')()`,
    `return console.log.constructor('return this')()`,
    `return tools.constructor.constructor('return this')()()`,
    `return Reflect.getPrototypeOf(tools.a.b).constructor('return 1')()`,
    `return await new Promise((r) => { globalThis.done = r; setTimeout('done(1)', 1) })`,
    `class F extends Function {}; return new F('return 1')()`,
    `delete (() => {}).__proto__.constructor; return (() => {}).constructor('return 1')()`,
  )
  addBoth(
    'network',
    missing,
    denied,
    `return await (await fetch('http://127.0.0.1:${port}/')).text()`,
    `return await (await fetch(${JSON.stringify(url)})).text()`,
    `const s = new WebSocket('ws://127.0.0.1:${port}/'); return await new Promise((r, j) => { s.onopen = () => r('open'); s.onerror = () => j(new Error('denied')) })`,
    `const s = new EventSource('http://127.0.0.1:${port}/'); return await new Promise((r, j) => { s.onopen = () => r('open'); s.onerror = () => j(new Error('denied')) })`,
    `return await Deno.connect({ port: ${port} })`,
    `return Deno.listen({ port: 0 }).addr`,
    `return await Deno.serve({ port: 0 }, () => new Response('x')).finished`,
    `return await Deno.resolveDns('localhost', 'A')`,
    `return await Deno.connect({ transport: 'unix', path: '/var/run/docker.sock' })`,
    `return await process.getBuiltinModule('node:dns').promises.lookup('localhost')`,
    `return await process.getBuiltinModule('node:dgram').createSocket('udp4').bind(0).address()`,
    `return await (await Deno.connectQuic({ hostname: '127.0.0.1', port: ${port} }))`,
    `return await (await new Request('http://127.0.0.1:${port}/')).text() || missing()`,
    `return await new WebTransport('https://127.0.0.1:${port}/').ready`,
  )
  addBoth(
    'environment',
    missing,
    denied,
    `return Deno.env.toObject()`,
    `return Deno.env.get('PML_ESCAPE_SECRET')`,
    `return process.env.PML_ESCAPE_SECRET ?? missing()`,
    `return Deno.hostname()`,
    `return Deno.networkInterfaces()`,
    `return Deno.uid()`,
    `return process.getBuiltinModule('node:os').userInfo()`,
    `return Deno.systemMemoryInfo()`,
    `return Deno.osRelease()`,
    `return (await Deno.permissions.request({ name: 'env' })).state`,
    `return (await Deno.permissions.request({ name: 'read', path: '/' })).state`,
    `return navigator.userAgent && missing()`,
    `return Deno.args.join() + missing()`,
    `return location.href + missing()`,
  )
  addBoth(
    'processes',
    missing,
    denied,
    `return new Deno.Command('/usr/bin/id').outputSync().success`,
    `return (await new Deno.Command('/bin/sh', { args: ['-c', 'touch ${directory}/made-7'] }).output()).code`,
    `return new Deno.Command(Deno.execPath(), { args: ['eval', '1'] }).spawn().pid`,
    `return Deno.run({ cmd: ['/usr/bin/id'] }).pid`,
    `return process.getBuiltinModule('node:child_process').execSync('/usr/bin/id') + ''`,
    `return process.getBuiltinModule('node:child_process').spawnSync('/usr/bin/id').stdout + missing()`,
    `return process.getBuiltinModule('node:child_process').spawn('/usr/bin/id').pid ?? missing()`,
    `return process.getBuiltinModule('node:child_process').fork(${path}).pid`,
    `return process.getBuiltinModule('node:cluster').fork().id`,
    `Deno.kill(Deno.ppid, 'SIGTERM'); return 1`,
    `process.kill(process.ppid, 'SIGTERM'); return 1`,
    `return process.execve('/bin/sh', ['sh'])`,
    `return Deno.addSignalListener.name + missing()`,
  )
  addBoth(
    'FFI',
    missing,
    /NotCapable|Requires ffi access|is not|denied|undefined|dlopen|permission/i,
    `return Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } }).symbols.getpid()`,
    `return new Deno.UnsafePointerView(Deno.UnsafePointer.create(1n)).getUint8()`,
    `return Deno.UnsafePointer.of(new Uint8Array(8))`,
    `return process.dlopen({}, 'libc.so.6')`,
    `return Deno[Deno.internal].core.ops.op_ffi_load({ path: 'libc.so.6', symbols: {} })`,
    `return process.getBuiltinModule('node:ffi').dlopen('libc.so.6')`,
  )
  add(
    'Workers',
    missing,
    `return new Worker('data:text/javascript,postMessage(1)', { type: 'module' })`,
    `return new Worker(${JSON.stringify(url)}, { type: 'module' })`,
    `return new SharedWorker('data:text/javascript,1')`,
    `return importScripts('data:text/javascript,1')`,
    `return URL.createObjectURL({})`,
    `return new Blob(['x'])`,
    `return new MessageChannel().port1`,
    `return new BroadcastChannel('a').name`,
    `self.close(); return 1`,
    `close(); return 1`,
  )
  add(
    'engine',
    missing,
    `return Object.keys(Deno[Deno.internal].core.ops)`,
    `return new WebAssembly.Memory({ initial: 60000 }).buffer.byteLength`,
    `return WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1`,
    `return new SharedArrayBuffer(8)`,
    `return await navigator.gpu.requestAdapter()`,
    `return gc()`,
    `return Temporal.Now.instant()`,
    `return require('node:fs')`,
    `return module.exports`,
    `return prompt('x')`,
    `return confirm('x')`,
    `alert('x'); return 1`,
    `return global.process`,
    `return Buffer.allocUnsafe(100).toString()`,
    `return reportError(new Error('x'))`,
    `return __bootstrap.core`,
    `return setImmediate(() => {})`,
  )
  add('engine', 'CODE_SYNTAX', `return %GetOptimizationStatus(() => 1)`, `with (globalThis) { return Deno }`)
  add(
    'storage',
    missing,
    `localStorage.setItem('a', 'b'); return 1`,
    `sessionStorage.setItem('a', 'b'); return 1`,
    `return await caches.open('a')`,
    `return await Deno.openKv()`,
    `return indexedDB.open('a')`,
    `return navigator.storage.getDirectory()`,
    `return navigator.locks.request('a', () => 1)`,
  )
  const greedy = [
    `const a = []; for (;;) a.push(new Uint8Array(5e6).fill(1))`,
    `const a = []; for (;;) a.push(new ArrayBuffer(5e7)), new Uint8Array(a.at(-1)).fill(1)`,
    `return new ArrayBuffer(2 ** 40).byteLength`,
    `return new Float64Array(2 ** 31).fill(1).length`,
    `const a = []; for (;;) a.push(new Array(1000).fill(0.5))`,
    `const a = []; for (;;) a.push({ a: {}, b: [1, 2, 3] })`,
    `const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })`,
    `let a = null; for (;;) a = { a }`,
    `const a = []; for (let i = 0; ; i++) a.push('x' + i)`,
    `const a = []; for (;;) a.push(() => a)`,
    `const a = []; for (;;) a.push(BigInt(2) ** 100000n)`,
    `const a = []; for (;;) a.push(new Promise(() => {}))`,
    `let b = new ArrayBuffer(1e6, { maxByteLength: 1e9 }); for (let n = 1e6; ; n += 1e7) { b.resize(n); new Uint8Array(b).fill(1) }`,
    `const a = []; for (;;) a.push(structuredClone(new Uint8Array(5e6).fill(1)))`,
  ]
  for (const javascript of greedy)
    list.push({ kind: 'memory', javascript, ends: 'CODE_MEMORY', wallMs: 8_000 })
  add(
    'text and patterns',
    /CODE_TIMEOUT|CODE_MEMORY|Invalid string length|Array buffer|RangeError|CODE_OUTPUT/,
    `let s = 'x'; for (;;) s += s`,
    `const f = () => Promise.resolve().then(f); await f()`,
    `return 'x'.repeat(2 ** 29)`,
    `return 'x'.padEnd(2 ** 28).length > 0 && 'x'.repeat(2 ** 28).split('')`,
    `return /^(a+)+$/.test('a'.repeat(40) + '!')`,
    `return /(x+x+)+y/.exec('x'.repeat(60))`,
    `return 'a'.repeat(1e5).replace(/(a*)*b/g, '')`,
    `return JSON.stringify('\\u0000'.repeat(2 ** 28)).length`,
    `return 2n ** (2n ** 31n)`,
    `return new Array(2 ** 32 - 1).fill(0).length`,
    `return [].concat(...Array(1e7).fill([1])).length && Array(1e8).join('xxxx').length && 'x'.repeat(1e8).normalize('NFKD').split('').length`,
    `const deep = () => deep(); return deep()`,
    `return new Intl.NumberFormat('en', { minimumFractionDigits: 100 }).format(1n ** 1n) && 'ß'.repeat(2 ** 28).toUpperCase().length`,
  )
  add(
    'endless',
    'CODE_TIMEOUT',
    `for (;;) {}`,
    `while (true) try { throw 1 } catch {}`,
    `for (;;) await null`,
    `const f = () => queueMicrotask(f); f(); await new Promise(() => {})`,
    `const f = () => setTimeout(f, 0); f(); await new Promise(() => {})`,
    `await new Promise(() => {})`,
    `await { then() { for (;;); } }`,
    `await { then(r) { r(this) } }`,
    `return { then(r) { r(this) } }`,
    `return { get x() { for (;;); } }`,
    `return { toJSON() { for (;;); } }`,
    `return new Proxy({}, { ownKeys() { for (;;); } })`,
    `throw { get stack() { for (;;); } , toString() { for (;;); }, get message() { for (;;); }, __proto__: Error.prototype }`,
    `console.log({ get [Symbol.toStringTag]() { for (;;); } }); for (;;);`,
    `try { for (;;); } finally { for (;;); }`,
    `setInterval(() => { for (;;); }, 0); await new Promise(() => {})`,
    `Object.defineProperty(Object.prototype, 'then', { get() { for (;;); } }); await tools.a.b(); return {}`,
    `return await Promise.race([])`,
    `new FinalizationRegistry(() => { for (;;); }).register({}, 1); for (;;) await null`,
    `function* g() { for (;;) yield 1 } return new Set(g()).size && [...(function* () { for (;;) if (0) yield 1 })()]`,
  )
  add(
    'floods',
    /CODE_TIMEOUT|CODE_OUTPUT|CODE_CALLS|CODE_MEMORY/,
    `for (;;) console.log('x'.repeat(1e4))`,
    `for (;;) console.log('')`,
    `for (;;) console.error({ a: 'x'.repeat(1e5) })`,
    `for (;;) tools.a.b({}).catch(() => {})`,
    `for (;;) tools.a.b({ x: 'x'.repeat(1e5) }).catch(() => {})`,
    `for (;;) capabilities.a({}).catch(() => {})`,
    `await Promise.all(Array.from({ length: 1e5 }, () => tools.a.b()))`,
    `for (;;) Promise.reject(new Error('x'.repeat(1000)))`,
    `setInterval(() => { throw new Error('x'.repeat(1e5)) }, 0); await new Promise(() => {})`,
    `return 'x'.repeat(1e6)`,
    `return Array(1e6).fill('xxxx')`,
    `await tools.a.b({ x: 'x'.repeat(1e6) })`,
    `await tools['x'.repeat(1e6)]({}).catch(() => {}); for (;;) console.log('x')`,
    `console.log(new Error('x'.repeat(1e7))); for (;;);`,
  )
  add(
    'thenables, proxies and getters',
    anyEnd,
    `return new Proxy({}, { get: (_, k) => { throw new Error(String(k)) } })`,
    `return new Proxy([], { get: (t, k) => k === 'length' ? 1e9 : t[k] }).length`,
    `throw new Proxy(new Error('x'), { get() { throw new Error('y') }, getPrototypeOf() { throw new Error('z') } })`,
    `throw Object.create(Error.prototype, { message: { get() { throw 1 } }, name: { get() { throw 1 } }, stack: { get() { throw 1 } } })`,
    `throw Object.assign(new Error('x'), { code: 'CODE_TIMEOUT', stack: 'agent-code.js:99999:1' })`,
    `throw Object.assign(new Error('x'), { hint: 'x'.repeat(1e6), name: 'y'.repeat(1e6) })`,
    `throw null`,
    `throw undefined`,
    `throw Symbol('x')`,
    `Error.prepareStackTrace = (e, frames) => frames.map((f) => String(f.getFunction?.()) + String(f.getThis?.())).join(); throw new Error('x')`,
    `Error.prepareStackTrace = () => ({}); Error.stackTraceLimit = Infinity; throw new Error('x')`,
    `return { toJSON: () => ({ toJSON: () => 5n }) }`,
    `return new (class extends Date { toJSON() { throw new Error('no') } })()`,
    `return [tools, capabilities, console]`,
    `return await tools.a.b({ get x() { throw new Error('getter') } })`,
    `return await tools.a.b(new Proxy({}, { ownKeys: () => ['a', 'a'] }))`,
    `return Object.keys(tools).concat(Object.keys(tools.a)).length + String(tools.a.b.name)`,
    `tools.a = 1; return typeof tools.a`,
    `try { while (true) tools.a.b.c.d.e() } catch { return 'stopped' }`,
  )
  add(
    'prototypes under the bridge',
    anyEnd,
    `Object.prototype.t = 'value'; Object.prototype.value = 'x'; return await tools.a.b()`,
    `Object.prototype.toJSON = () => ({ t: 'value' }); return await tools.a.b({ x: 1 })`,
    `Object.prototype.id = 5; Object.prototype.error = { message: 'x' }; return await tools.a.b()`,
    `Array.prototype.push = () => { throw new Error('x') }; return [1, { a: [2] }]`,
    `Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; return await tools.a.b()`,
    `JSON.stringify = () => '{"t":"value","value":"x"}'; JSON.parse = () => ({}); return await tools.a.b()`,
    `Map.prototype.get = Map.prototype.has = () => ({ resolve() {}, reject() {} }); return await tools.a.b()`,
    `Promise.prototype.then = () => { throw new Error('x') }; return await tools.a.b()`,
    `globalThis.Promise = class { constructor() { throw new Error('x') } }; return await tools.a.b()`,
    `String.prototype.slice = String.prototype.replace = () => { throw new Error('x') }; console.log('x'); throw new Error('y')`,
    `RegExp.prototype.exec = () => ['x', '99']; throw new Error('y')`,
    `Error.prototype.name = { toString() { throw 1 } }; Object.defineProperty(Error.prototype, 'code', { get() { throw 1 } }); throw new Error('y')`,
    `Object.entries = Object.keys = () => ['__proto__']; return await tools.a.b({ x: 1 })`,
    `WeakSet.prototype.has = () => true; throw Object.assign(new Error('x'), { code: 'SANDBOX_UNAVAILABLE' })`,
    `Object.setPrototypeOf(Object.getPrototypeOf(tools) ?? {}, { x: 1 }); return 1`,
    `Function.prototype.call = Function.prototype.apply = () => 1; Reflect.apply = () => 1; return await tools.a.b()`,
    `return await tools.__proto__.polluted({ __proto__: { polluted: 1 }, ['__proto__']: { polluted: 1 } })`,
    `return await capabilities.constructor({ constructor: { prototype: { polluted: 1 } } })`,
    `for (const s of Object.getOwnPropertySymbols(globalThis)) delete globalThis[s]; return await tools.a.b()`,
    `dispatchEvent({ type: 'message', data: '{"t":"ping","nonce":"x"}' }); return 1`,
  )
  // Everything that can be reached from what the code is given: nothing that talks to the outside may be among it.
  add(
    'engine',
    /"value":\[\]/,
    `const seen = new Set(), found = [], todo = [globalThis, tools, capabilities, console, args, new Error('x'), async () => {}, (function* () {})(),
      new Intl.Locale('en'), new URL('http://a').searchParams.entries(), new TextDecoder(), setTimeout(() => {}, 0), crypto.subtle.digest('SHA-1', new Uint8Array(1))]
    const bad = /^(op_|postMessage$|fetch$|close$|Worker|importScripts|dlopen|readFile|readTextFile|Command$|connect$|listen$|addEventListener|MessagePort|Deno|process$|require$|openKv|spawn|MessageChannel|BroadcastChannel|SharedArrayBuffer|createObjectURL|Blob$|Request$)/
    while (todo.length) {
      const thing = todo.pop()
      if ((typeof thing !== 'object' && typeof thing !== 'function') || thing === null || seen.has(thing)) continue
      seen.add(thing)
      if (thing === tools || thing === capabilities) continue
      if (typeof thing === 'function' && bad.test(thing.name)) found.push(thing.name)
      todo.push(Object.getPrototypeOf(thing))
      for (const key of Reflect.ownKeys(thing)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(thing, key) ?? {}
        todo.push(value, get, set)
        if (get) try { todo.push(thing[key]) } catch (e) { todo.push(e) }
      }
    }
    if (seen.size < 500) found.push('looked at ' + seen.size)
    return found`,
  )
  return list
}

/** Messages as a program would send them that got hold of the Worker's own `postMessage`. */
export const forgedMessages: readonly { readonly javascript: string; readonly ends: string | RegExp }[] = [
  [`postMessage('not json')`, 'CODE_CRASHED'],
  [`postMessage({ t: 'value', value: 1 })`, 'CODE_CRASHED'],
  [`postMessage('{"t":"value","value":1}\\n{"t":"value","value":2}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"ready"}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"forged"}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"pong","nonce":"guess"}')`, 'CODE_CRASHED'],
  [`for (;;) postMessage('{"t":"pong","nonce":"guess"}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":-1,"kind":"tool","name":"a","args":{}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":1e999,"kind":"tool","name":"a","args":{}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":"__proto__","kind":"tool","name":"a","args":{}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":7,"kind":"root","name":"a","args":{}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":7,"kind":"tool","name":["a"],"args":{}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"call","id":7,"kind":"tool","name":"a","args":[]}')`, 'CODE_CRASHED'],
  [
    `postMessage('{"t":"call","id":7,"kind":"tool","name":"' + 'x'.repeat(5000) + '","args":{}}')`,
    'CODE_CRASHED',
  ],
  [
    `const m = '{"t":"call","id":7,"kind":"tool","name":"a","args":{}}'; postMessage(m); postMessage(m)`,
    'CODE_CRASHED',
  ],
  [
    `postMessage('{"t":"call","id":7,"kind":"tool","name":"a","args":' + '{"a":'.repeat(5000) + '1' + '}'.repeat(5000) + '}')`,
    'CODE_CRASHED',
  ],
  [`postMessage('{"t":"value","value":' + '['.repeat(20000) + ']'.repeat(20000) + '}')`, 'CODE_CRASHED'],
  [
    `for (let i = 1000; ; i++) postMessage('{"t":"call","id":' + i + ',"kind":"tool","name":"a","args":{}}')`,
    'CODE_CALLS',
  ],
  [`postMessage('{"t":"value","value":"' + 'x'.repeat(300000) + '"}')`, 'CODE_OUTPUT'],
  [
    `postMessage('{"t":"call","id":7,"kind":"tool","name":"a","args":{"x":"' + 'x'.repeat(300000) + '"}}')`,
    'CODE_OUTPUT',
  ],
  [`postMessage('x'.repeat(1e7))`, 'CODE_OUTPUT'],
  [`for (;;) postMessage('{"t":"log","level":"log","text":"' + 'x'.repeat(5000) + '"}')`, 'CODE_OUTPUT'],
  [`for (;;) postMessage('{"t":"log","level":"log","text":""}')`, /CODE_OUTPUT|CODE_TIMEOUT|CODE_MEMORY/],
  [`postMessage('{"t":"log","level":"__proto__","text":"x"}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"log","level":"log","text":{"a":1}}')`, 'CODE_CRASHED'],
  [`postMessage('{"t":"error","code":"SANDBOX_UNAVAILABLE","message":"x"}')`, 'CODE_FAILED'],
  [`postMessage('{"t":"error","code":"CODE_FAILED","message":"x","line":-5}')`, 'CODE_FAILED'],
  [`postMessage('{"t":"error","code":"CODE_FAILED","message":"' + 'x'.repeat(9000) + '"}')`, 'CODE_CRASHED'],
  [`postMessage('{"__proto__":{"t":"value","value":1}}')`, 'CODE_CRASHED'],
  [
    `postMessage('{"t":"value","value":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}')`,
    /"value"/,
  ],
  [
    `postMessage('{"t":"call","id":7,"kind":"tool","name":"__proto__","args":{"__proto__":{"polluted":1}}}'); return 1`,
    /"value"/,
  ],
  [`postMessage('')`, anyEnd],
  [`postMessage(new Uint8Array(1e6))`, 'CODE_CRASHED'],
  [`postMessage(null)`, 'CODE_CRASHED'],
  [`close()`, /CODE_TIMEOUT|CODE_CRASHED/],
  [`Deno.exit(0)`, /CODE_CRASHED|CODE_TIMEOUT/],
  [
    `Deno.stdout.writeSync(new TextEncoder().encode('{"t":"value","value":"forged"}\\n')); for (;;);`,
    /"forged"/,
  ],
  [`for (;;) Deno.stdout.writeSync(new Uint8Array(1e6))`, 'CODE_OUTPUT'],
  [`for (;;) Deno.stderr.writeSync(new Uint8Array(1e6))`, /CODE_CRASHED|CODE_MEMORY/],
  [`Deno.stdin.readSync(new Uint8Array(100)); for (;;);`, /CODE_TIMEOUT/],
  [`for (;;) new Worker('data:text/javascript,for(;;);', { type: 'module' })`, /CODE_/],
  [
    `const w = new Worker('data:text/javascript,const a=[];for(;;)a.push(new Uint8Array(1e6).fill(1))', { type: 'module' }); await new Promise(() => {})`,
    /CODE_MEMORY|CODE_TIMEOUT/,
  ],
  [
    `new WebAssembly.Memory({ initial: 20000 }); const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 500 }); new Uint8Array(m.buffer).fill(1); a.push(m) }`,
    /CODE_MEMORY|CODE_FAILED/,
  ],
  [`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`, 'CODE_TIMEOUT'],
  [`Deno.addSignalListener('SIGTERM', () => {}); for (;;);`, /CODE_/],
  [`throw await Promise.reject(Object.assign(new Error('x'), { code: 'CODE_ABORTED' }))`, 'CODE_FAILED'],
].map(([javascript, ends]) => ({ javascript: String(javascript), ends: ends! }))
