/** Where a text stands, which says much about what it is. */
export type Position =
  | { readonly kind: 'env'; readonly key: string }
  | { readonly kind: 'header'; readonly key: string }
  | { readonly kind: 'argument'; readonly flag?: string }
  | { readonly kind: 'url' }
  | { readonly kind: 'path' }

export interface SecretSpan {
  readonly start: number
  readonly end: number
  /** What it may be called; `own` names are the user's and need no server's name before them. */
  readonly wanted: string
  readonly own: boolean
}

/** Names of things that are kept secret, wherever they stand: variables, headers, options, parameters. */
const secretName =
  /token|key(?!word|board)|secret|pass(?:$|w|phrase|_)|pwd$|auth(?!or(?:s?$|[_-]))|credential|cookie|bearer|session|webhook|dsn$|(?:^|[_-])pat$/i
/** ... unless they say where it is, or what kind of thing. */
const aboutSecret = /(?:type|mode|method|provider|limit|timeout|ttl|url|uri|endpoint|host|file|path|dir)$/i
const plainValue = /^(?:|true|false|yes|no|on|off|null|none|default|oauth2?|\d{1,6})$/i
/** The program itself fills these in from its environment. */
const ownReference = /^(?:\$\{[^}]*\}|\$\w+|%\w+%|\{\w+\})$/
const filePath = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])[^\s?&=]*\.\w{1,8}$/

/** Tokens that tell by their shape what they are. */
const tokenShape =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk[-_][\w-]{16,}|[rp]k_(?:live|test)_\w{16,}|xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|hf_\w{16,}|npm_\w{20,}|pypi-[\w-]{20,}|dop_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|ntn_\w{16,}|secret_\w{20,}|lin_api_\w{16,}|figd_[\w-]{16,}|pplx-\w{16,}|gsk_\w{16,}|tvly-[\w-]{16,}|BSA[\w-]{20,}|fc-[0-9a-f]{24,}|xai-\w{16,}|dckr_pat_[\w-]{16,}|sbp_\w{16,}|r8_\w{16,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/dg
const scheme = /^(?:Bearer|Basic|Token|ApiKey)\s+/i
const bearer = /\bBearer\s+([\w.~+/-]{12,}=*)/dgi
const password = /:\/\/[^\s:@/?#"']*:([^\s@/?#"']+)@/dg
const parameter = /[?&]([\w.~-]+)=([^&#\s"']+)/dg
/** A part of a path that nobody would type: some addresses are their own key. */
const pathKey = /\/((?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}={0,2})(?=[/?#]|$)/dg

/** The parts of a literal text that look secret. `whole` is false where references stand beside it. */
export function findSecrets(text: string, position: Position, whole: boolean): readonly SecretSpan[] {
  const found: SecretSpan[] = []
  const add = (start: number, end: number, wanted: string, own = false): void => {
    const overlaps = found.some((span) => start < span.end && span.start < end)
    if (end > start && !overlaps) found.push({ start, end, wanted, own })
  }
  if (whole) addNamed(text, position, add)
  for (const match of text.matchAll(password)) add(...match.indices![1]!, 'PASSWORD')
  for (const match of text.matchAll(parameter)) {
    if (isSecret(match[1]!, match[2]!)) add(...match.indices![2]!, match[1]!)
  }
  if (position.kind === 'url' || /^https?:\/\//i.test(text)) {
    for (const match of text.matchAll(pathKey)) add(...match.indices![1]!, 'URL_KEY')
  }
  const shapeName = position.kind === 'env' || position.kind === 'header' ? position.key : 'TOKEN'
  for (const match of text.matchAll(tokenShape)) add(...match.indices![0]!, shapeName)
  for (const match of text.matchAll(bearer)) add(...match.indices![1]!, shapeName)
  // A variable by its own name holds all of what the server is to find there.
  if (position.kind === 'env' && whole && found.length > 0) {
    return [{ start: 0, end: text.length, wanted: position.key, own: true }]
  }
  return found.sort((a, b) => a.start - b.start)
}

/** Whether a name says that its value is kept secret, and the value does not belie it. */
export function isSecret(name: string, value: string): boolean {
  const bare = value.slice(afterScheme(value))
  if (!secretName.test(name) || plainValue.test(bare) || ownReference.test(bare)) return false
  if (filePath.test(value) && /file|path|dir|credentials|key$/i.test(name)) return false
  return !aboutSecret.test(name)
}

type Add = (start: number, end: number, wanted: string, own?: boolean) => void

function addNamed(text: string, position: Position, add: Add): void {
  if (position.kind === 'argument') addArgument(text, position.flag, add)
  if (position.kind !== 'env' && position.kind !== 'header') return
  if (isSecret(position.key, text)) add(afterScheme(text), text.length, position.key)
}

/** `--api-key=x`, `--api-key x`, `-e API_KEY=x` and `--header "Authorization: Bearer x"`. */
function addArgument(text: string, flag: string | undefined, add: Add): void {
  if (flag !== undefined && isSecret(flag, text)) add(afterScheme(text), text.length, flag)
  const assigned = /^(?:--?)?([\w.-]+)(?:=|:\s*)(.+)$/ds.exec(text)
  if (assigned === null || !isSecret(assigned[1]!, assigned[2]!)) return
  const start = assigned.indices![2]![0] + afterScheme(assigned[2]!)
  add(start, text.length, assigned[1]!, /^[A-Z_][A-Z0-9_]*=/.test(text))
}

function afterScheme(text: string): number {
  return scheme.exec(text)?.[0].length ?? 0
}
