import { readdirSync, readFileSync } from 'node:fs'

/** The living processes of one house, gateways and servers alike: they have its home in their environment, and nobody else has. */
export function processesOf(home: string, script = ''): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const has = (file: string, text: string): boolean => `\0${readProc(pid, file)}`.includes(text)
      return has('environ', `\0HOME=${home}\0`) && has('cmdline', script)
    })
}

export function commandOf(pid: number): string {
  return `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`
}

/** Empty for what is gone, a zombie, or somebody else's. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
