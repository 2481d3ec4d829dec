import { describe, expect, it } from 'vitest'
import { findRuns, splitRun, splitWords } from './split-words.js'

describe('splitWords', () => {
  it.each([
    ['create_issue', ['create', 'issue']],
    ['create-issue', ['create', 'issue']],
    ['createIssue', ['create', 'issue']],
    ['CREATE_ISSUE', ['create', 'issue']],
    ['HTTPServer2Start', ['http', 'server', '2', 'start']],
    ['listURLs', ['list', 'urls']],
    ['s3.put_object', ['s', '3', 'put', 'object']],
    ['Créer un été', ['creer', 'un', 'ete']],
    ['перевестиТекст', ['перевести', 'текст']],
    ['🚀 deploy', ['🚀', 'deploy']],
    ['天気', ['天', '気', '天気']],
    ['東京weather', ['東', '京', '東京', 'weather']],
    ['', []],
    ['--- !!', []],
  ])('cuts %j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })
})

describe('splitRun', () => {
  it('keeps an identifier whole beside its humps, and drops humps of one character', () => {
    expect(findRuns('GitHub S3 oauth2').flatMap(splitRun)).toEqual([
      'github',
      'git',
      'hub',
      's3',
      'oauth2',
      'oauth',
    ])
  })
})
