import { UsageError } from '../../errors.js'

/** More take minutes, and say no more. */
const mostSeeds = 100

/** `--seeds 42-46` gives each of them; else the one of `--seed`. */
export function readSeeds({ seed, seeds }: { seed: string; seeds?: string | undefined }): readonly number[] {
  if (!seeds) return [readWhole(seed, 'seed')]
  const [first, last = first] = seeds.split('-').map((part) => readWhole(part, 'seeds'))
  const count = last! - first! + 1
  if (seeds.split('-').length > 2 || count < 1 || count > mostSeeds)
    throw new UsageError(`--seeds: expected a range like 42-46, of at most ${mostSeeds}, got "${seeds}".`)
  return Array.from({ length: count }, (_, at) => first! + at)
}

function readWhole(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option}: expected a whole number, got "${text}".`)
  return Number(text)
}
