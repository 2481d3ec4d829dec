/** `cap:` and `pml:` begin ids of our own. */
const reserved = new Set(['pml', 'cap'])
const longest = 64

/** What is wrong with a server's name, or undefined. The name is the part of a ToolId before the first colon. */
export function serverNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'expected a server name that is not empty'
  if (name.includes(':')) return `expected a server name without ":", got ${JSON.stringify(name)}`
  if (name.length > longest)
    return `expected a server name of at most ${longest} characters, got ${name.length}`
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) {
    return `expected a server name without control characters, got ${JSON.stringify(name)}`
  }
  if (reserved.has(name.toLowerCase())) return `expected another server name: "${name}" is reserved`
  return undefined
}
