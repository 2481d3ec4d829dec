import type { Runs } from '../execute/runs.js'

/** The runs as the gateway uses them; they are closed by who opened them. */
export type GatewayRuns = Omit<Runs, 'close'>
