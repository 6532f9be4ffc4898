import { describe, expect, test } from 'vitest'
import { readScope, toScope, lookupKinds } from '../../../src/core/lookup-state.js'
import { buildStageQuestions } from '../../../src/pipeline/answers/stage-questions.js'

const asked = (name: string, context: string | null = null) => ({ name, location: null, context })
const answer = (data: object) => ({ run_id: 'run_1', status: 'COMPLETED', data })
const matched = answer({ status: 'matched', entity: { id: 'siq_a', website: 'https://www.acme.com/x' } })
const company = (id: string) => [
  { kind: 'entity', name: id },
  { kind: 'hierarchy', name: id },
]

describe('what follows from an answer', () => {
  test('a match: its company, and the domain of its website', () => {
    expect(buildStageQuestions('resolution', asked('Acme'), matched)).toEqual([
      ...company('siq_a'),
      { kind: 'domain', name: 'acme.com' },
    ])
  })

  test.each([
    ['https://www.linkedin.com/company/acme', null],
    ['facebook.com/acme', null],
    ['https://gmail.com', null],
    ['https://www.linkedin.com/', 'linkedin.com'],
    ['google.com', 'google.com'],
  ])('a page on a network, or a mail provider, is no domain of the company: %s', (website, domain) => {
    const run = answer({ status: 'matched', entity: { id: 'siq_a', website } })
    const asks = buildStageQuestions('resolution', asked('Acme'), run).filter(({ kind }) => kind === 'domain')
    expect(asks).toEqual(domain === null ? [] : [{ kind: 'domain', name: domain }])
  })

  test('a domain that the question states goes before that of the website', () => {
    const questions = buildStageQuestions('resolution', asked('Acme', 'website shop.acme.co.uk'), matched)
    expect(questions.at(-1)).toEqual({ kind: 'domain', name: 'acme.co.uk' })
  })

  test('a merged company: the one that it was merged into', () => {
    const run = answer({ status: 'merged', merged_into: 'siq_b', entity: { id: 'siq_a' } })
    expect(buildStageQuestions('resolution', asked('Acme'), run)).toEqual(company('siq_b'))
  })

  test.each(['partial_match', 'inconclusive', 'no_match', 'not_found', 'failed', ''])(
    'of %j no company is asked for',
    (status) => {
      const run = answer({ status, entity: { id: 'siq_a', website: 'acme.com' } })
      expect(buildStageQuestions('resolution', asked('Acme'), run)).toEqual([])
    },
  )

  test('of a domain: its company, and itself', () => {
    const run = answer({ status: 'complete', data: { status: 'matched', entity: { id: 'siq_a' } } })
    expect(buildStageQuestions('domain', asked('acme.com'), run)).toEqual([
      ...company('siq_a'),
      { kind: 'domain', name: 'acme.com' },
    ])
  })

  test.each([null, 'text', 7, [], {}, answer({ status: 'matched', entity: { id: 'siq_../../x y' } })])(
    'of %j nothing follows',
    (run) => {
      expect(buildStageQuestions('resolution', asked('Acme'), run)).toEqual([])
    },
  )
})

test('a scope says which service and which kind it is of', () => {
  for (const base of ['https://api.example/v3', 'embedded 0a1b', 'embedded:7']) {
    for (const kind of lookupKinds) expect(readScope(toScope(base, kind))).toEqual({ base, kind })
  }
})
