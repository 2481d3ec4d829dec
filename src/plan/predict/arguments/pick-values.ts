import type { Pick } from './argument-way.js'
import type { UsedValues } from './used-values.js'

export interface PickContext<T> {
  /** What this argument had in this session. */
  readonly used: UsedValues
  isNamed(one: T): boolean
}

export function pickValue<T extends { readonly key: string }>(
  list: readonly T[],
  pick: Pick,
  { used, isNamed }: PickContext<T>,
): T | undefined {
  switch (pick) {
    case 'first':
      return list[0]
    case 'last':
      return list.length > 1 ? list.at(-1) : undefined
    case 'named':
      return list.find((one) => !used.has(one.key) && isNamed(one))
    case 'unused0':
    case 'unused1':
    case 'unused2':
      return unusedAt(list, passedOver(pick), used)
    case 'after0':
    case 'after1':
    case 'after2': {
      const at = used.last === undefined ? -1 : list.findIndex(({ key }) => key === used.last)
      return at < 0 ? undefined : list[at + 1 + passedOver(pick)]
    }
  }
}

function passedOver(pick: Pick): number {
  return Number(pick.at(-1))
}

function unusedAt<T extends { readonly key: string }>(
  list: readonly T[],
  place: number,
  used: UsedValues,
): T | undefined {
  let left = place
  for (const one of list) if (!used.has(one.key) && left-- === 0) return one
  return undefined
}
