import { createInterface } from 'node:readline/promises'
import { PmlError, UsageError } from '../../errors.js'
import type { HolderApi } from '../../holder/holder-api.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { type Io, printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

interface Change {
  readonly id: string
  readonly hash: string
  readonly flags: readonly string[]
  readonly diff: string
}

const waitMs = 20_000

export const trustCommand = defineCliCommand({
  name: 'trust',
  summary: 'See and accept tools that changed',
  takesMore: true,
  args: {
    tools: {
      type: 'positional',
      required: false,
      description: 'The tools to look at; none shows all that changed',
    },
    ...commonArgs,
    all: { type: 'boolean', description: 'Accept every change' },
    yes: { type: 'boolean', description: 'Do not ask' },
  },
  examples: ['pml trust', 'pml trust github:create_issue', 'pml trust --all --yes'],
  notes:
    'A tool whose description or schema changed since it was approved is not called until it is accepted here.',
  async run({ args, io, gateway }) {
    return gateway.withGateway(gatewayChoice(args), async (api) => {
      await settledStatus(api, waitMs)
      const ids = args._.length > 0 ? args._ : undefined
      const { quarantined } = (await api.post('/api/trust', ids === undefined ? {} : { ids })) as {
        quarantined: readonly Change[]
      }
      const wanted = ids !== undefined || args.all === true
      if (args.json) {
        const accepted = wanted && args.yes === true ? await accept(api, quarantined) : []
        const refused = wanted && accepted.length < quarantined.length
        printJson(io, {
          quarantined,
          accepted,
          ...(refused && { hint: 'Nobody can be asked here: add --yes' }),
        })
        return refused ? 1 : 0
      }
      if (quarantined.length === 0) {
        printLine(io, 'Nothing has changed.')
        return 0
      }
      printLine(
        io,
        quarantined.map((change) => describeChange(change, coloursFor(io, io.stdout))).join('\n\n'),
      )
      printLine(io)
      if (!wanted) {
        printLine(io, 'Accept one with: pml trust TOOL, or all with: pml trust --all')
        return 0
      }
      if (args.yes !== true && !(await agrees(quarantined.length, io))) {
        printLine(io, 'Nothing was accepted.')
        return 1
      }
      printLine(io, `Accepted: ${(await accept(api, quarantined)).join(', ')}`)
      return 0
    })
  },
})

async function accept(api: HolderApi, changes: readonly Change[]): Promise<readonly string[]> {
  if (changes.length === 0) return []
  const { accepted } = (await api.post('/api/trust', {
    accept: changes.map(({ id, hash }) => ({ id, hash })),
  })) as { accepted: readonly string[] }
  const missed = changes.filter(({ id }) => !accepted.includes(id))
  if (missed.length > 0) {
    const names = missed.map(({ id }) => id).join(', ')
    throw new PmlError(
      'CHANGED_AGAIN',
      `${names} changed once more in the meantime.`,
      'Look again with: pml trust',
    )
  }
  return accepted
}

function describeChange({ id, flags, diff }: Change, { bold, red, green, yellow }: Colours): string {
  const lines = diff
    .split('\n')
    .map((line) => (line.startsWith('-') ? red(line) : line.startsWith('+') ? green(line) : line))
  const warning = flags.length > 0 ? [yellow(`  looks suspicious: ${flags.join(', ')}`)] : []
  return [bold(id), ...warning, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Approval is a person's act: without a terminal it has to be said in so many words. */
async function agrees(count: number, io: Io): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw new UsageError('There is no terminal to ask at.', 'Accept with: --yes')
  const asking = createInterface({ input: io.stdin, output: process.stderr })
  try {
    const answer = await asking.question(
      `Accept ${count === 1 ? 'this change' : `these ${count} changes`}? [y/N] `,
    )
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    asking.close()
  }
}
