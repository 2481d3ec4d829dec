/** What a client calls a tool, without the prefixes that only a tool of ours has: historical `pml:` forms and clients' own. */
export function ownToolName(name: string): string {
  return name.replace(/^mcp__pml__/, '').replace(/^pml(?::|__)/, '')
}
