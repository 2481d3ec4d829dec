import type { PickedTool } from './picked-tool.js'

const longestName = 60

/** After the tool, so that a reader knows them; a second one of a name is `name_2`. What is done keeps its own. */
export function nameTasks(
  picks: readonly Pick<PickedTool, 'tool' | 'done'>[],
  taken: ReadonlySet<string>,
): readonly string[] {
  const used = new Set([...taken, ...picks.flatMap(({ done }) => done ?? [])])
  return picks.map(({ tool, done }) => {
    if (done !== undefined) return done
    const plain = plainName(tool.name)
    let id = plain
    for (let count = 2; used.has(id); count++) id = `${plain}_${count}`
    used.add(id)
    return id
  })
}

/** As a task may be called: no dots, brackets or spaces, and no half of a character at the end. */
function plainName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_-]+/gu, '_')
  return plain.slice(0, longestName).replace(/[\ud800-\udbff]$/, '') || 'task'
}
