import { describeStart } from '../model/describe-start.js'
import { formatDuration } from '../model/format-duration.js'
import type { ServerState } from '../model/server.js'
import type { ConfigProblem, Status, StatusRun, ToolSummary } from './status.js'

export interface StatusPage {
  readonly status: Status
  readonly tools: readonly ToolSummary[]
  /** Tools that are not shown. */
  readonly moreTools: number
  readonly waiting: readonly ToolSummary[]
  readonly nonce: string
}

/**
 * The status page: one HTML document, no asset from anywhere, every text escaped. It fetches itself anew every few
 * seconds and swaps its body, so that scrolling and selection survive; without scripts the browser reloads it.
 */
export function renderStatusPage(page: StatusPage): string {
  const { status, tools, waiting, nonce } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Casys PML</title>
<noscript><meta http-equiv="refresh" content="10"></noscript>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<header>
<h1>Casys PML</h1>
<p>version ${html(status.version)} · up ${formatDuration(status.uptimeMs)} · pid ${status.pid} · ${html(status.config)}</p>
</header>
${tiles(status)}
${status.clients === 0 && status.http !== undefined ? section('Connect a client', connectLines(status.http)) : ''}
${section('Waiting for you', waitingList(waiting, status))}
${section('Servers', serverTable(status))}
${section('Recent runs', runTable(status.runs))}
${section('Tools', toolTable(tools, page.moreTools))}
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
}

export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function tiles(status: Status): string {
  const ready = status.servers.filter(({ status: one }) => one === 'ready').length
  const tile = (value: string, label: string): string =>
    `<div class="tile"><b>${html(value)}</b><span>${html(label)}</span></div>`
  return `<div class="tiles">
${tile(`${ready} of ${status.servers.length}`, 'servers ready')}
${tile(String(status.tools.callable), toolsLabel(status))}
${tile(String(status.listing.tools), `in the list (${status.exposure.effective})`)}
${tile(count(status.listing.tokens), 'tokens of the list')}
</div>`
}

function toolsLabel({ tools }: Status): string {
  return tools.unreachable === 0 ? 'tools' : `tools, and ${tools.unreachable} of servers that are down`
}

function section(title: string, body: string): string {
  return `<section><h2>${html(title)}</h2>${body}</section>`
}

/** Short: `pml up` prints the words for every client. */
function connectLines(url: string): string {
  const address = `${url}mcp`
  const json = JSON.stringify({ mcpServers: { pml: { url: address } } })
  return `<ul class="calm-list"><li>Claude Code: <code>claude mcp add --transport http pml ${html(address)}</code></li>
<li>Cursor and most others: <code>${html(json)}</code></li></ul>`
}

function waitingList(tools: readonly ToolSummary[], { configProblem, servers }: Status): string {
  const items = tools.map(
    ({ id }) =>
      `<li>The definition of <code>${html(id)}</code> changed. See and accept it: <code>pml trust ${html(id)}</code></li>`,
  )
  for (const { name, status, trouble } of servers) {
    if (status === 'down' && trouble?.kind === 'auth')
      items.unshift(
        `<li><code>${html(name)}</code>: ${html(trouble.message)} <code>${html(trouble.hint)}</code></li>`,
      )
  }
  if (configProblem !== undefined) items.unshift(configItem(configProblem))
  if (items.length === 0) return '<p class="none">Nothing: no decision is pending.</p>'
  return `<ul>${items.join('')}</ul>`
}

function configItem({ message, since }: ConfigProblem): string {
  return `<li>The changed configuration cannot be used, since ${utc(since)} UTC; the one before stays in force. <code>${html(message)}</code></li>`
}

function serverTable(status: Status): string {
  if (status.servers.length === 0) return '<p class="none">No server is configured: pml add</p>'
  const rows = status.servers.map((server) => [
    `<code>${html(server.name)}</code>`,
    badge(server.status),
    `${server.toolCount}${server.fromSnapshot ? ' (last known)' : ''}`,
    html(server.transport),
    `<span class="whole">${html(server.protocolVersion ?? '')}</span>`,
    serverNote(server),
  ])
  return table(['server', 'state', 'tools', 'by', 'revision', 'note'], rows)
}

function serverNote(server: ServerState): string {
  const { trouble } = server
  const doing = describeStart(server, Date.now())
  return [
    ...(doing === undefined ? [] : [html(doing)]),
    ...(trouble === undefined ? [] : [`${html(trouble.message)} <i>${html(trouble.hint)}</i>`]),
  ].join('<br>')
}

function runTable(runs: readonly StatusRun[] | undefined): string {
  if (runs === undefined) return '<p class="none">The store is not open yet.</p>'
  if (runs.length === 0) return '<p class="none">None yet.</p>'
  const rows = runs.map((run) => [
    `<time>${utc(run.startedAt)}</time>`,
    badge(run.status),
    String(run.tasks),
    run.ms === undefined ? '' : formatDuration(run.ms),
    html(run.intent ?? ''),
    `<code>${html(run.id)}</code>`,
  ])
  return table(['started (UTC)', 'state', 'tasks', 'took', 'intent', 'id'], rows)
}

function toolTable(tools: readonly ToolSummary[], more: number): string {
  if (tools.length === 0) return '<p class="none">None yet.</p>'
  const rows = tools.map((tool) => [
    `<code>${html(tool.id)}</code>`,
    badge(tool.state),
    count(tool.tokens),
    html([tool.description, ...tool.flags.map((flag) => `⚠ ${flag}`)].join(' ')),
  ])
  const rest = more > 0 ? `<p class="none">and ${more} more: pml tools</p>` : ''
  return table(['tool', 'state', 'tokens', 'what it does'], rows) + rest
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((one) => `<th>${one}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

const good = new Set(['ready', 'complete'])
const bad = new Set(['down', 'failed', 'quarantined', 'partial_failure', 'interrupted'])

function badge(state: string): string {
  const tone = good.has(state) ? 'good' : bad.has(state) ? 'bad' : 'calm'
  return `<span class="badge ${tone}">${html(state.replace('_', ' '))}</span>`
}

function utc(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

function count(number: number): string {
  return number.toLocaleString('en')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters have no place in HTML, and direction overrides could rearrange what a person reads. */
export function html(text: string): string {
  return text
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (one) => entities[one]!)
}

const style = `
:root{color-scheme:light dark;--ink:#1c2330;--soft:#667085;--line:#e3e7ee;--card:#fff;--page:#f6f7f9;--good:#0b7a4b;--bad:#b42318}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#98a2b3;--line:#2b3342;--card:#171c26;--page:#0f131a;--good:#47cd89;--bad:#f97066}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 20px}
h1{font-size:24px;margin:0}
h2{font-size:15px;margin:28px 0 8px}
header p,.none{color:var(--soft);margin:2px 0 0;overflow-wrap:anywhere}
code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin-top:20px}
.tile,.scroll,section ul{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:12px 16px}
.tile b{display:block;font-size:22px;font-weight:600}
.tile span,th{color:var(--soft);font-size:13px}
section ul{margin:0;padding:12px 16px 12px 32px;border-color:var(--bad)}
section .calm-list{border-color:var(--line)}
.whole{white-space:nowrap}
.scroll{overflow-x:auto}
td:first-child{min-width:13em}
td:last-child{min-width:15em}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:8px 12px;border-bottom:1px solid var(--line)}
th{font-weight:500}
tbody tr:last-child td{border-bottom:0}
td{font-variant-numeric:tabular-nums}
i{color:var(--soft)}
.badge{white-space:nowrap;font-size:13px;font-weight:500}
.badge::before{content:"";display:inline-block;width:8px;height:8px;border-radius:50%;background:currentColor;margin-right:6px}
.good{color:var(--good)}.bad{color:var(--bad)}.calm{color:var(--soft)}
`

const script = `
setInterval(async () => {
  if (document.hidden || String(getSelection())) return
  try {
    const answer = await fetch(location.href)
    if (!answer.ok) return
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main')
    if (next) document.querySelector('main').replaceWith(next)
  } catch {}
}, 3000)
`
