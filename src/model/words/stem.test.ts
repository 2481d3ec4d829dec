import { describe, expect, it } from 'vitest'
import { stem } from './stem.js'

describe('stem', () => {
  // Examples of the paper, and what tools are made of.
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['cats', 'cat'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['motoring', 'motor'],
    ['sing', 'sing'],
    ['conflated', 'conflat'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['relational', 'relat'],
    ['vietnamization', 'vietnam'],
    ['triplicate', 'triplic'],
    ['hopefulness', 'hope'],
    ['adoption', 'adopt'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['controlling', 'control'],
    ['repositories', 'repositori'],
    ['repository', 'repositori'],
    ['deployments', 'deploy'],
    ['deployed', 'deploy'],
  ])('%s -> %s', (word, expected) => {
    expect(stem(word)).toBe(expected)
  })

  it('leaves identifiers, numbers and other languages alone', () => {
    expect(['s3', 'état', '2024', 'is', '天気'].map(stem)).toEqual(['s3', 'état', '2024', 'is', '天気'])
  })
})
