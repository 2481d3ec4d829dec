import type { Decision, Verdict } from '../model/decision.js'
import { describeStart } from '../model/describe-start.js'
import { formatDuration } from '../model/format-duration.js'
import type { Risk } from '../model/risk.js'
import type { RunEvent } from '../model/run-event.js'
import type { ServerState } from '../model/server.js'
import { type DecisionFact, decisionFacts } from './ask-person.js'
import { describeSpeculation } from './describe-speculation.js'
import type { ConfigProblem, Status, StatusRun, ToolSummary } from './status.js'

export interface StatusPage {
  readonly status: Status
  readonly tools: readonly ToolSummary[]
  /** Tools that are not shown. */
  readonly moreTools: number
  readonly waiting: readonly ToolSummary[]
  /** What people are asked, oldest first. */
  readonly decisions: readonly Decision[]
  readonly nonce: string
  /** Sent along with an answer (page-key.ts). */
  readonly key: string
}

/**
 * The status page: one HTML document, no asset from anywhere, every text escaped. It fetches itself anew every few
 * seconds, and when a run tells something, and swaps its body, so that scrolling and selection survive; without scripts the
 * browser reloads it, and it is there to be read.
 */
export function renderStatusPage(page: StatusPage): string {
  const { status, tools, nonce } = page
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
<p id="said" role="status"></p>
<main data-key="${html(page.key)}">
<header>
<h1>Casys PML</h1>
<p>version ${html(status.version)} · up ${formatDuration(status.uptimeMs)} · pid ${status.pid} · ${html(status.config)}</p>
<p>speculation ${html(describeSpeculation(status.speculation))}</p>
</header>
${tiles(status)}
${status.clients === 0 && status.http !== undefined ? section('Connect a client', connectLines(status.http)) : ''}
${section('Waiting for you', waitingList(page))}
${section('Servers', serverTable(status))}
${section('Runs', runTable(status.runs))}
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

function waitingList({ waiting, decisions, status: { configProblem, servers } }: StatusPage): string {
  const items = waiting.map(
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
  items.unshift(...decisions.map(decisionItem))
  if (items.length === 0) return '<p class="none">Nothing: no decision is pending.</p>'
  return `<ul>${items.join('')}</ul>`
}

/** All that the answer is about: nobody can answer for what they did not see. */
function decisionItem(decision: Decision): string {
  const { id, kind, tool, caller, risk } = decision
  const button = (verdict: Verdict, label: string): string =>
    `<button data-decision="${html(id)}" data-verdict="${verdict}">${label}</button>`
  const question =
    kind === 'call'
      ? `${html(caller)} wants to call`
      : `${html(caller)} wants to call once more, after a call that was cut off and may have taken effect,`
  return `<li class="ask"><p>${question} <code>${html(tool)}</code> <span class="badge ${riskTones[risk]}">${risk}</span></p>
${decisionFacts(decision, longestArguments).map(factLine).join('\n')}
<p class="answer">${button('approve', 'Approve')} ${button('reject', 'Reject')}</p>
<p class="none">or <code>pml approve ${html(id)}</code></p></li>`
}

function factLine([name, text]: DecisionFact): string {
  // Its badge stands above.
  if (name === 'risk') return ''
  if (name === 'arguments') return `<pre>${html(text)}</pre>`
  return `<p class="none">${html(`${name[0]!.toUpperCase()}${name.slice(1)}: ${text}`)}</p>`
}

const riskTones: Readonly<Record<Risk, string>> = { safe: 'good', moderate: 'calm', dangerous: 'bad' }

/** A file to be written is shown in full, a book is not. */
const longestArguments = 20_000

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
const bad = new Set([
  'down',
  'failed',
  'quarantined',
  'partial_failure',
  'interrupted',
  // Somebody has to do something.
  'approval_required',
])

function badge(state: string): string {
  const tone = good.has(state) ? 'good' : bad.has(state) ? 'bad' : 'calm'
  return `<span class="badge ${tone}">${html(state.replaceAll('_', ' '))}</span>`
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

/** Control characters other than line breaks have no place in HTML, and direction overrides could rearrange what a person reads. */
export function html(text: string): string {
  return text
    .replace(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')
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
.ask{padding:8px 0}
.ask p{margin:4px 0}
.ask+.ask{border-top:1px solid var(--line)}
pre{margin:4px 0;padding:8px 12px;max-height:320px;overflow:auto;border:1px solid var(--line);border-radius:6px;font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:6px;padding:4px 14px;cursor:pointer}
button:hover{border-color:currentColor}
button:disabled{opacity:.5;cursor:default}
[data-verdict=approve]{color:var(--good)}[data-verdict=reject]{color:var(--bad)}
.answer{display:none}.live .answer{display:block}
#said{position:sticky;top:0;margin:0;text-align:center;background:var(--card);border-bottom:1px solid var(--line);padding:8px 20px}
#said:empty{display:none}
.good{color:var(--good)}.bad{color:var(--bad)}.calm{color:var(--soft)}
`

/** What changes something that is shown. */
const shownEvents: readonly RunEvent['type'][] = [
  'run-start',
  'task-start',
  'task-end',
  'decision-request',
  'decision-end',
  'plan-change',
  'run-pause',
  'run-resume',
  'events-lost',
  'run-end',
]

/*
 * A body is never swapped under the pointer or the focus of who is about to answer, and a question that has just come to its
 * place is not answered by a click that was meant for another one, such as the second half of a double click.
 */
const script = `
const calmMs = 700
const movedAt = new Map()
let asked
let stream
const said = document.querySelector('#said')
document.documentElement.classList.add('live')

function places() {
  return new Map([...document.querySelectorAll('.ask')].map((ask) => [
    ask.querySelector('button').dataset.decision,
    Math.round(ask.getBoundingClientRect().top),
  ]))
}

async function refresh(mayMove) {
  const isBusy = () => !mayMove && document.querySelector('.ask:hover, .ask:focus-within')
  if (document.hidden || String(getSelection()) || isBusy()) return
  try {
    const answer = await fetch(location.href)
    if (!answer.ok) return
    // The rest has a nonce of its own, which this page's policy would complain of.
    const body = /<main[^]*<\\/main>/.exec(await answer.text())?.[0] ?? ''
    const next = new DOMParser().parseFromString(body, 'text/html').querySelector('main')
    if (!next || isBusy()) return
    const before = places()
    document.querySelector('main').replaceWith(next)
    for (const [id, top] of places()) if (before.get(id) !== top) movedAt.set(id, performance.now())
  } catch {}
}

function soon() {
  asked ??= setTimeout(() => {
    asked = undefined
    refresh(false)
  }, 300)
}

document.addEventListener('click', async ({ target }) => {
  const { decision, verdict } = target.dataset ?? {}
  if (!decision || !verdict || performance.now() - (movedAt.get(decision) ?? -calmMs) < calmMs) return
  for (const button of target.closest('.answer').children) button.disabled = true
  try {
    const answer = await fetch('decisions/' + encodeURIComponent(decision), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pml-page': document.querySelector('main').dataset.key },
      body: JSON.stringify({ verdict }),
    })
    const { error } = await answer.json()
    said.textContent = error ? error.message + ' ' + error.hint : verdict === 'approve' ? 'Approved.' : 'Rejected.'
  } catch {
    said.textContent = 'The gateway does not answer.'
  }
  await refresh(true)
})

function listen() {
  stream?.close()
  stream = undefined
  if (document.hidden) return
  stream = new EventSource('events')
  // What happened before it was open is not told again.
  stream.onopen = soon
  for (const type of ${JSON.stringify(shownEvents)}) stream.addEventListener(type, soon)
}

// A browser has few connections to one address: a page that nobody looks at holds none.
document.addEventListener('visibilitychange', listen)
listen()
setInterval(() => refresh(false), 3000)
`
