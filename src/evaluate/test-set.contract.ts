import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for a small set made by hand. */
export interface TestSet {
  readonly folder: string
  write(name: string, ...rows: readonly unknown[]): Promise<void>
  remove(): Promise<void>
}

export async function openTestSet(): Promise<TestSet> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-set-'))
  return {
    folder,
    write: (name, ...rows) =>
      writeFile(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** `nodes('a', 'b')`: each tool's nid is `n` and its place. */
export function nodes(
  ...tools: readonly string[]
): readonly { readonly nid: string; readonly tool: string }[] {
  return tools.map((tool, at) => ({ nid: `n${at}`, tool }))
}
