import { expect, it } from 'vitest'
import { openTestSet } from '../../evaluate/test-set.contract.js'
import { measureNext } from './measure-next.js'

it('seeds are averaged and lie apart; predictions are those of the first', async () => {
  const set = await openTestSet()
  try {
    await set.write(
      'seqs',
      ...Array.from({ length: 40 }, (_, at) => ({ id: `s${at}`, query: 'pack it', steps: ['a', 'b', 'c'] })),
    )
    const { report, text, predictions } = await measureNext({ set: set.folder, seeds: [1, 2] })
    expect(report).toMatchObject({ bench: 'next', seeds: [1, 2], 'hit@1': 1, spread: { 'hit@1': 0 } })
    expect(text).toContain('means of seeds 1-2')
    expect(text).toContain('floor: markov 2')
    expect(predictions[0]).toMatchObject({ step: 1, ranked: expect.arrayContaining(['b']) })
  } finally {
    await set.remove()
  }
})
