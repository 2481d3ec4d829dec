/**
 * The entry module of the child, sent as text like the Worker's: it keeps standard input and output, and hands lines to the Worker and
 * back. It lives in another thread than the code, so it sees the parent go even while the code computes.
 */
// biome-ignore-all lint/suspicious/noExplicitAny: the names of Deno have no types here.
export function sandboxRunner(workerText: string): void {
  const scope: any = globalThis
  const { stdin, stdout, exit, internal } = scope.Deno
  const { Worker, URL, Blob } = scope
  const encoder = new TextEncoder()
  delete scope.Deno[internal]
  for (const name of ['caches', 'localStorage', 'sessionStorage', 'navigator', 'process']) delete scope[name]

  const address = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: 'module', name: '' })
  worker.onmessage = ({ data }: any) => write(isLine(data) ? data : '{"t":"forged"}')
  worker.onmessageerror = () => write('{"t":"forged"}')
  worker.onerror = (event: any) => {
    event.preventDefault()
    write(JSON.stringify({ t: 'crashed', message: String(event.message).slice(0, 1_000) }))
  }
  void relay()

  function isLine(data: unknown): boolean {
    return typeof data === 'string' && !data.includes('\n')
  }

  function write(line: string): void {
    const bytes = encoder.encode(`${line}\n`)
    for (let sent = 0; sent < bytes.length; ) sent += stdout.writeSync(bytes.subarray(sent))
  }

  async function relay(): Promise<void> {
    const buffer = new Uint8Array(65_536)
    let parts: Uint8Array[] = []
    for (;;) {
      const count = await stdin.read(buffer)
      // The parent is gone, or wants no more.
      if (count === null) exit(0)
      const chunk = buffer.subarray(0, count)
      let start = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        parts.push(chunk.slice(start, at))
        worker.postMessage(join(parts))
        parts = []
        start = at + 1
      }
      if (start < count) parts.push(chunk.slice(start))
    }
  }

  function join(parts: readonly Uint8Array[]): string {
    const decoder = new TextDecoder()
    let text = ''
    for (const part of parts) text += decoder.decode(part, { stream: true })
    return text + decoder.decode()
  }
}
