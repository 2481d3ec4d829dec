import { describe, expect, it } from 'vitest'
import { judgeBenefit } from './judge-benefit.js'
import { day, noon, use } from './test-shelf.contract.js'

const uses = (outcomes: string, changes: Parameters<typeof use>[0] = {}) =>
  [...outcomes].map((one, at) => use({ at: noon + at, success: one === '+', ...changes }))
const judge = (
  recent: Parameters<typeof judgeBenefit>[0],
  toolsSuccess: number | undefined = 1,
  now = noon + 100,
) => judgeBenefit(recent, { toolsSuccess: () => toolsSuccess, now })

describe('a capability is hidden', () => {
  it('where it succeeds less than its tools by more than .1', () => {
    expect(judge(uses('++++++--++'))).toMatchObject({ isHidden: true, hiddenUntil: noon + 9 + day })
    expect(judge(uses('++++++--++')).why).toBe(
      'Succeeded in 80 % of 10 uses, its tools one by one in 100 %. Hidden until it does better.',
    )
    expect(judge(uses('++++++--++'), 0.9).isHidden).toBe(false)
    expect(judge(uses('++++++++++++++++++--')).isHidden).toBe(false)
  })

  it('where it is slower than its calls one by one by more than 20 %, in the median', () => {
    const slow = judge(uses('+++++', { ms: 1_300, callsMs: 1_000 }))
    expect(slow.isHidden).toBe(true)
    expect(slow.why).toBe('Took 1300 ms, its calls one by one 1000 ms. Hidden until it does better.')
    expect(judge(uses('+++++', { ms: 1_200, callsMs: 1_000 })).isHidden).toBe(false)
    expect(judge([...uses('+++', { ms: 900, callsMs: 1_000 }), ...uses('++', { ms: 9_000 })]).isHidden).toBe(
      false,
    )
  })

  it('not for milliseconds that nobody notices, nor for the time of what failed', () => {
    expect(judge(uses('+++++', { ms: 25, callsMs: 4 })).isHidden).toBe(false)
    expect(judge([...uses('++++'), ...uses('-', { ms: 60_000 })]).isHidden).toBe(false)
  })

  it('not before five uses, nor for a single failure, nor where nothing is known of its tools', () => {
    expect(judge(uses('----')).isHidden).toBe(false)
    expect(judge(uses('++-++')).isHidden).toBe(false)
    expect(judgeBenefit(uses('-----'), { toolsSuccess: () => undefined, now: noon }).isHidden).toBe(false)
  })

  it('by its last twenty uses and no others', () => {
    expect(judge(uses(`${'-'.repeat(30)}${'+'.repeat(20)}`)).isHidden).toBe(false)
  })
})

describe('a hidden one is shown again', () => {
  it('as soon as its newest five are no worse', () => {
    expect(judge(uses('----------+++')).isHidden).toBe(true)
    expect(judge(uses('----------++++'))).toMatchObject({
      isHidden: false,
      why: expect.stringContaining('but not over the last 5'),
    })
  })

  it('a day after its last use, on trial; a use that leaves it worse hides it for another day', () => {
    const failing = uses('-----')
    expect(judge(failing, 1, noon + 3 + day).isHidden).toBe(true)
    expect(judge(failing, 1, noon + 4 + day).isHidden).toBe(false)
    expect(judge([...failing, use({ at: noon + day * 2, success: false })], 1, noon + day * 2).isHidden).toBe(
      true,
    )
  })
})
