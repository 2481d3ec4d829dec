/**
 * What runs in the Worker, in the child: it is sent there as text (`toString`), so it refers to nothing outside of itself. It gives the
 * code its few names and takes all others away. None of this is what keeps the code in: the child has no permission, and the parent
 * believes no message. It is what makes an attempt fail early, with words.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: the names of a Deno Worker have no types here.
export function sandboxWorker(): void {
  const scope: any = globalThis
  const inspect = scope.Deno.inspect as (value: unknown, options: object) => string
  const post = scope.postMessage.bind(scope) as (text: string) => void
  /** A turn of the event loop later: a timer would take some milliseconds. */
  const { port1: after, port2: before } = new scope.MessageChannel()
  const afterTurn = before.postMessage.bind(before) as (nothing: null) => void
  let lastWord = ''
  after.onmessage = () => post(lastWord)
  const { MessageEvent, ErrorEvent, PromiseRejectionEvent } = scope
  const digest = scope.crypto.subtle.digest.bind(scope.crypto.subtle)
  const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => (...values: any[]) => any
  const { parse, stringify } = JSON
  const RealDate = Date
  const codeName = 'agent-code.js'
  /** `async function anonymous(...\n) {\n` stands before the code. */
  const linesBefore = 2
  const deepest = 200

  let now = 0
  let startedAt = 0
  let limits: any
  let logged = 0
  let nextId = 1
  let random: () => number = () => 0
  /** Errors that we made: what the code throws itself is its own, whatever code it gives it. */
  const own = new WeakSet<object>()
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void; error: any }>()

  for (const type of ['message', 'unhandledrejection', 'error']) scope.addEventListener(type, hear)
  hideEvents()
  hideGlobals()
  post('{"t":"ready"}')

  /** The code has no way to make an event, so it cannot speak in the parent's name. */
  function hear(event: any): void {
    if (event instanceof MessageEvent) receive(parse(event.data))
    else if (event instanceof PromiseRejectionEvent) {
      event.preventDefault()
      log('error', `A promise that nobody waits for failed: ${describe(event.reason)}`)
    } else if (event instanceof ErrorEvent) {
      event.preventDefault()
      log('error', `Failed where nobody waits for it: ${describe(event.error)}`)
    }
  }

  function receive(message: any): void {
    if (message.t === 'ping') post(stringify({ t: 'pong', nonce: message.nonce }))
    else if (message.t === 'answer') settle(message)
    else if (message.t === 'run') void runProgram(message)
  }

  async function runProgram(message: any): Promise<void> {
    now = startedAt = message.startedAt
    limits = message.limits
    random = seeded(message.seed)
    const names = {
      args: freeze(message.args),
      tools: proxyOf('tool'),
      capabilities: proxyOf('capability'),
      console: createConsole(),
    }
    scope.console = names.console
    let program: (...values: any[]) => any
    try {
      // In a block, so that the code may call something of its own `args`.
      const text = `"use strict";{${message.javascript}\n}//# sourceURL=${codeName}`
      program = new AsyncFunction(...Object.keys(names), text)
    } catch (error) {
      end({ t: 'error', code: 'CODE_SYNTAX', message: describe(error) })
      return
    }
    try {
      const value = await program(...Object.values(names))
      const text = toText(value, 'The value')
      if (text.length > limits.valueChars) {
        throw coded(
          'CODE_OUTPUT',
          `The value has ${text.length} characters as JSON; ${limits.valueChars} may be given.`,
        )
      }
      endWith(`{"t":"value","value":${text}}`)
    } catch (error) {
      end(toFailure(error))
    }
  }

  /** After what is already on its way: a promise that nobody waits for is told before the end. */
  function endWith(text: string): void {
    lastWord = text
    afterTurn(null)
  }

  function end(message: object): void {
    endWith(stringify(message))
  }

  function toFailure(error: any): object {
    const failure: any = { t: 'error', code: 'CODE_FAILED', message: describe(error) }
    try {
      if (isOwn(error)) failure.code = error.code
      else if (
        error instanceof RangeError &&
        /allocation failed|Invalid array buffer length/.test(error.message)
      ) {
        failure.code = 'CODE_MEMORY'
      }
      const line = lineOf(error)
      if (line !== undefined) failure.line = line
      if (typeof error?.hint === 'string') failure.hint = error.hint.slice(0, 1_000)
    } catch {}
    return failure
  }

  function lineOf(error: any): number | undefined {
    const stack = error?.stack
    if (typeof stack !== 'string') return undefined
    const at = /agent-code\.js(?:, <anonymous>)?:(\d+):\d+/.exec(stack.slice(0, 20_000))
    return at === null ? undefined : Number(at[1]) - linesBefore
  }

  function coded(code: string, message: string): Error {
    const error = Object.assign(new Error(message), { code })
    own.add(error)
    return error
  }

  function isOwn(error: unknown): boolean {
    return typeof error === 'object' && error !== null && own.has(error)
  }

  function describe(error: any): string {
    try {
      if (error instanceof Error) {
        const name = String(error.name).slice(0, 100)
        const code = typeof (error as any).code === 'string' ? ` ${(error as any).code.slice(0, 100)}` : ''
        const shown = isOwn(error) ? '' : `${name}${code}: `
        return `${shown}${String(error.message)}`.slice(0, 4_000)
      }
      return `threw ${shorten(inspect(error, { depth: 2, colors: false }), 1_000)}`
    } catch {
      return 'threw something that cannot be read'
    }
  }

  // Calls.

  function proxyOf(kind: string): unknown {
    const node = (name: string, deeper: boolean): unknown =>
      new Proxy(function call() {}, {
        get: (_, key) => (isName(key) && deeper ? node(`${name}:${key}`, false) : undefined),
        apply: (_, __, values) => call(kind, name, values),
        set: () => false,
        defineProperty: () => false,
        deleteProperty: () => false,
        setPrototypeOf: () => false,
        getPrototypeOf: () => null,
        construct: () => {
          throw new TypeError(`${name} is called without new`)
        },
      })
    return new Proxy(Object.freeze(Object.create(null)), {
      get: (_, key) => (isName(key) ? node(key, kind === 'tool') : undefined),
    })
  }

  /** `then` makes a thing a promise, `toJSON` a value: no tool is meant. */
  function isName(key: string | symbol): key is string {
    return typeof key === 'string' && key !== 'then' && key !== 'toJSON'
  }

  function call(kind: string, name: string, values: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (name.length > 1_000) throw new TypeError('The name of a call has at most 1,000 characters.')
      const given = values[0] ?? {}
      if (typeof given !== 'object' || Array.isArray(given) || values.length > 1) {
        throw new TypeError(`${name} takes one object, as in ${name}({ key: value }).`)
      }
      const text = toText(given, `The arguments of ${name}`)
      if (text.length > limits.callChars) {
        throw coded(
          'CODE_OUTPUT',
          `The arguments of ${name} have ${text.length} characters as JSON; ${limits.callChars} may be given.`,
        )
      }
      const id = nextId++
      // Made here, so that it knows the line.
      waiting.set(id, { resolve, reject, error: new Error() })
      post(`{"t":"call","id":${id},"kind":"${kind}","name":${stringify(name)},"args":${text}}`)
    })
  }

  function settle({ id, value, error, at }: any): void {
    const call = waiting.get(id)
    if (call === undefined) return
    waiting.delete(id)
    if (at > now) now = at
    if (error === undefined) {
      call.resolve(value)
      return
    }
    call.error.name = 'CallError'
    call.error.message = error.message
    call.error.code = error.code
    call.error.hint = error.hint
    call.reject(call.error)
  }

  // Values.

  function toText(value: unknown, what: string): string {
    const data = toData(value, what, [])
    return data === undefined ? 'null' : stringify(data)
  }

  /** JSON as `JSON.stringify` would have it, but what it drops without a word is refused, and sets and maps are kept. */
  function toData(value: any, path: string, above: unknown[]): any {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return Number.isFinite(value) ? value : null
    if (value === undefined) return undefined
    if (typeof value !== 'object') {
      throw coded('CODE_VALUE', `${path} is a ${typeof value}, which JSON does not have.`)
    }
    if (above.includes(value)) throw coded('CODE_VALUE', `${path} contains itself.`)
    if (above.length >= deepest) throw coded('CODE_VALUE', `${path} is more than ${deepest} levels deep.`)
    above.push(value)
    const data = objectToData(value, path, above)
    above.pop()
    return data
  }

  function objectToData(value: any, path: string, above: unknown[]): any {
    if (typeof value.toJSON === 'function') return toData(value.toJSON(''), path, above)
    if (value instanceof Map) {
      const keys = [...value.keys()]
      if (!keys.every((key) => typeof key === 'string')) return listToData([...value], path, above)
      return fieldsToData([...value], path, above)
    }
    if (value instanceof Set || ArrayBuffer.isView(value)) return listToData([...(value as any)], path, above)
    if (Array.isArray(value)) return listToData(value, path, above)
    if (value instanceof Error) return { name: String(value.name), message: String(value.message) }
    if (value instanceof RegExp) return String(value)
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf()
    if (value instanceof Promise) throw coded('CODE_VALUE', `${path} is a promise: await it.`)
    return fieldsToData(Object.entries(value), path, above)
  }

  function listToData(list: unknown[], path: string, above: unknown[]): unknown[] {
    const data: unknown[] = []
    for (let i = 0; i < list.length; i++) data.push(toData(list[i], `${path}[${i}]`, above) ?? null)
    return data
  }

  function fieldsToData(fields: [string, unknown][], path: string, above: unknown[]): object {
    const data = Object.create(null)
    for (const [key, field] of fields) {
      const value = toData(field, `${path}.${key.slice(0, 100)}`, above)
      if (value !== undefined) data[key] = value
    }
    return data
  }

  function freeze<T>(value: T): T {
    if (typeof value === 'object' && value !== null) {
      Object.freeze(value)
      for (const part of Object.values(value)) freeze(part)
    }
    return value
  }

  // The console.

  function createConsole(): unknown {
    const at =
      (level: string) =>
      (...values: unknown[]) =>
        log(level, values.map(show).join(' '))
    const quiet = () => {}
    const console: any = {}
    for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = at(level)
    Object.assign(console, { trace: at('debug'), dir: at('log'), table: at('log'), group: at('log') })
    for (const name of ['groupEnd', 'groupCollapsed', 'time', 'timeEnd', 'timeLog', 'count', 'clear']) {
      console[name] = quiet
    }
    console.assert = (truth: unknown, ...values: unknown[]) => {
      if (!truth) console.error('Assertion failed:', ...values)
    }
    return console
  }

  function show(value: unknown): string {
    if (typeof value === 'string') return value
    try {
      return inspect(value, { colors: false, depth: 4, iterableLimit: 100, strAbbreviateSize: 10_000 })
    } catch {
      return '(cannot be shown)'
    }
  }

  /** What goes beyond is neither sent nor an error: the parent marks the cut. */
  function log(level: string, text: string): void {
    if (limits === undefined || logged > limits.logChars) return
    const kept = text.slice(0, limits.logChars - logged + 1)
    logged += kept.length + 1
    post(stringify({ t: 'log', level, text: kept }))
  }

  function shorten(text: string, most: number): string {
    return text.length > most ? `${text.slice(0, most)}...` : text
  }

  // Chance and time.

  /** sfc32 (Chris Doty-Humphrey, PractRand), started from four FNV-1a hashes of the seed. */
  function seeded(seed: string): () => number {
    const word = (salt: number): number => {
      let hash = 0x811c9dc5 ^ salt
      for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193)
      return hash | 0
    }
    let a = word(1)
    let b = word(2)
    let c = word(3)
    let counter = 1
    const next = (): number => {
      const sum = (((a + b) | 0) + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      return sum >>> 0
    }
    for (let i = 0; i < 12; i++) next()
    return next
  }

  function fillRandom(view: any): unknown {
    if (!ArrayBuffer.isView(view)) throw new TypeError('getRandomValues fills a typed array.')
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    for (let i = 0; i < bytes.length; i++) bytes[i] = random() & 255
    return view
  }

  function randomUUID(): string {
    const bytes = fillRandom(new Uint8Array(16)) as Uint8Array
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  function createDate(): unknown {
    RealDate.now = () => now
    const clocked: unknown = new Proxy(RealDate, {
      apply: () => new RealDate(now).toString(),
      construct: (_, values, target) =>
        Reflect.construct(
          RealDate,
          values.length === 0 ? [now] : values,
          target === clocked ? RealDate : target,
        ),
    })
    fix(RealDate.prototype, 'constructor', clocked)
    const format = Intl.DateTimeFormat.prototype
    const getter = Object.getOwnPropertyDescriptor(format, 'format')!.get!
    Object.defineProperty(format, 'format', {
      configurable: true,
      get() {
        const real = getter.call(this)
        return (date: any) => real(date === undefined ? now : date)
      },
    })
    const { formatToParts } = format
    fix(format, 'formatToParts', function (this: any, date: any) {
      return formatToParts.call(this, date === undefined ? now : date)
    })
    return clocked
  }

  // What the code finds.

  /** The global object has to stay an event target, for Deno; the code is not to find out what that can do. */
  function hideEvents(): void {
    for (
      let proto = Object.getPrototypeOf(scope);
      proto !== Object.prototype;
      proto = Object.getPrototypeOf(proto)
    ) {
      for (const key of Object.getOwnPropertyNames(proto)) if (key !== 'dispatchEvent') delete proto[key]
    }
  }

  function hideGlobals(): void {
    const kept = new Set(
      `Object Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Promise RegExp Error
      AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math Intl
      ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array
      Uint8ClampedArray Float16Array Float32Array Float64Array Map BigInt Set Iterator WeakMap WeakSet Proxy Reflect WeakRef
      FinalizationRegistry DisposableStack AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
      isFinite isNaN queueMicrotask structuredClone atob btoa TextEncoder TextDecoder URL URLSearchParams`.split(
        /\s+/,
      ),
    )
    const timers = createTimers()
    const date = createDate()
    fix(Math, 'random', () => random() / 2 ** 32)
    delete scope.URL.createObjectURL
    delete scope.URL.revokeObjectURL
    for (const key of Reflect.ownKeys(scope)) {
      // Under symbols Deno keeps that this is its global object, and that somebody listens.
      if (typeof key === 'string' && !kept.has(key)) delete scope[key]
    }
    Object.assign(scope, timers, {
      Date: date,
      crypto: { randomUUID, getRandomValues: fillRandom, subtle: { digest } },
    })
    scope.performance = { now: () => now - startedAt, timeOrigin: 0 }
    forbidCodeFromText()
  }

  /** `import()` is syntax, which the parent refuses: so that it stays refused, no text becomes code. */
  function forbidCodeFromText(): void {
    const kinds = [() => {}, async () => {}, function* () {}, async function* () {}]
    for (const kind of kinds) {
      const proto = Object.getPrototypeOf(kind)
      const refuse = function refuse() {
        throw new EvalError('Code made from text is not run here.')
      }
      refuse.prototype = proto
      Object.defineProperty(proto, 'constructor', { value: refuse, writable: false, configurable: false })
    }
    scope.Function = Object.getPrototypeOf(() => {}).constructor
    scope.eval = () => {
      throw new EvalError('Code made from text is not run here.')
    }
  }

  /** Real time; numbers instead of what Deno gives, and no text as code. */
  function createTimers(): object {
    const { setTimeout, setInterval, clearTimeout, clearInterval } = scope
    const handles = new Map<number, unknown>()
    let last = 0
    const start =
      (real: any, isOnce: boolean) =>
      (act: unknown, ms: unknown, ...values: unknown[]) => {
        if (typeof act !== 'function') throw new TypeError('A timer takes a function.')
        const id = ++last
        const handle = real(() => {
          if (isOnce) handles.delete(id)
          act(...values)
        }, Number(ms) || 0)
        handles.set(id, handle)
        return id
      }
    const stop = (real: any) => (id: unknown) => {
      if (typeof id !== 'number' || !handles.has(id)) return
      real(handles.get(id))
      handles.delete(id)
    }
    return {
      setTimeout: start(setTimeout, true),
      setInterval: start(setInterval, false),
      clearTimeout: stop(clearTimeout),
      clearInterval: stop(clearInterval),
    }
  }

  function fix(owner: object, key: string, value: unknown): void {
    Object.defineProperty(owner, key, { value, writable: false, configurable: false })
  }
}
