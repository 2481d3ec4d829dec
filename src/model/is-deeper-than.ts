/** Level by level, without recursion: how deep a value goes is its sender's choice, the stack is ours. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true
    level = level.flatMap((item) => Object.values(item as object)).filter(isContainer)
  }
  return false
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
