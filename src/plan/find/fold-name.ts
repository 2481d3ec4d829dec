/**
 * A name without its case and separators: `github:createIssue`, `github__create_issue` and "GitHub create issue" fold
 * to the same text. Only separators go, so a name made of emoji or of another script keeps its identity.
 */
export function foldName(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\-:./\\|]+/g, '')
}
