/** English verbs, by what a tool does that is described with them, and their forms. Lists that people read: no tool or vendor is named. */
import { wordSet } from './word-set.js'

/** It does more than look. */
export function acts(base: string): boolean {
  return destroys.has(base) || sends.has(base) || changes.has(base) || thingsToo.has(base)
}

/** `lists` and `queries` are forms of list and query. */
export function baseForm(word: string): string {
  if (isVerb(word) || !word.endsWith('s')) return word
  const ending = word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.endsWith('es') ? word.slice(0, -2) : ''
  return [word.slice(0, -1), ending].find(isVerb) ?? word
}

/** `deleted`, `deleting` -> delete; undefined where it is no such form of a verb that acts. */
export function rootForm(word: string): string | undefined {
  const stem = /^(.{2,})(?:ed|ing)$/.exec(word)?.[1]
  if (stem === undefined) return irregular.get(word)
  return [stem, `${stem}e`, stem.slice(0, -1), `${stem.slice(0, -1)}y`].find(acts)
}

const irregular: ReadonlyMap<string, string> = new Map([
  ['written', 'write'],
  ['overwritten', 'overwrite'],
  ['sent', 'send'],
  ['made', 'make'],
])

export function isVerb(word: string): boolean {
  return acts(word) || reads.has(word) || runs.has(word) || sometimes.has(word) || changesFirst.has(word)
}

/** These only look. General English, as tools of any trade lead with them. */
export const reads = wordSet(
  `get list read retrieve fetch return search find show display describe view query lookup check count browse inspect enumerate examine
  obtain compare calculate compute estimate analyze analyse summarize summarise explain diagnose validate preview peek detect
  determine locate discover recommend suggest diff`,
)
/** These read with some words behind them: `readsWith`. */
export const sometimes = wordSet(
  'look scan verify confirm test see generate provide give extract produce perform',
)
export const runs = wordSet('execute run exec eval evaluate invoke launch spawn interpret')
export const runnable = wordSet(
  `code command commands script scripts shell bash sql query queries statement statements javascript python typescript program programs
  expression expressions terminal powershell cmd process binary snippet cypher kql notebook function workflow`,
)
/** Gone, and nothing brings it back; */
export const destroys = wordSet(
  'delete remove drop destroy wipe purge erase truncate shred overwrite uninstall terminate kill unlink deprovision revoke',
)
/** or with others, or paid. */
export const sends = wordSet(
  'send publish deploy pay purchase buy withdraw notify submit approve cancel unregister tweet refund shutdown reboot rollback',
)
/** Plainly verbs, wherever they stand. */
export const changes = wordSet(
  `create write insert upsert execute invoke spawn add edit modify append rename upload save replace assign unassign enable disable install register configure
  provision migrate restore attach detach associate disassociate subscribe unsubscribe activate deactivate suspend pause resume restart rotate
  regenerate overwrite acknowledge dequeue dismiss archive unarchive move copy clone fork merge apply alter adjust manage
  toggle unlock allocate deallocate reserve schedule reschedule enqueue ingest sync synchronize synchronise initialize initialise
  initiate make put persist mutate increment decrement populate import push rerun retry escalate invite
  authorize authorise reject decline ban unban mute unmute pin unpin bind unbind swap mint deposit upgrade downgrade resize
  fix repair optimize optimise prune compact reindex rebuild reload respond react complete finalize finalise transition promote demote
  evict drain annotate quarantine isolate enroll unenroll bookmark favorite complete subscribe vacuum
  reset clear revert stop trigger invalidate expire renew claim consume mark click press drag navigate fill scroll`,
)
/** As often things as deeds: "updates", "a set of", "the order". */
export const thingsToo = wordSet(
  `set store commit update post order book charge transfer email mail message reply call share grant sign start open close release patch
  request record log track lock link label tag comment vote block hide build process queue switch connect disconnect export download
  refresh flush backup run launch clean play print`,
)
/** Deeds where the text leads with them; elsewhere they tell what it takes or what something else does. */
export const changesFirst = wordSet(
  'accept change control select type scale stage follow like star join leave load',
)
/** Of these, what is bought, said or agreed: "Check availability and book". */
export const grave = wordSet('book order charge transfer call post reply share sign email message')
