import { describe, expect, it } from 'vitest'
import { runObjectLenient } from '../../../src/contract/result.js'
import { renderAnswer, renderUnanswered } from '../../../src/pipeline/answers/answer-line.js'
import { joinLines } from '../../../src/pipeline/answers/joined-line.js'
import { getFirstLine } from '../../../src/core/text.js'
import { parsePublishedState, renderPublishedState } from '../../../src/pipeline/answers/published-state.js'
import { renderHierarchyLine, renderUnansweredStage } from '../../../src/pipeline/answers/stage-lines.js'

interface Made {
  readonly entity?: object
  readonly basis?: readonly object[]
  readonly rest?: object
  readonly runId?: string
}

function answerOf({ entity = {}, basis = [], rest = {}, runId = 'run_1' }: Made = {}): string {
  return renderAnswer(
    runObjectLenient.parse({
      run_id: runId,
      status: 'COMPLETED',
      data: {
        status: 'matched',
        match_confidence: 95,
        entity: {
          id: 'siq_a',
          display_name: 'Acme',
          legal_name: 'Acme "Ltd"',
          status: 'active',
          headquarters: { address: { formatted_address: '1 Road, London', country_code: 'GB' } },
          primary_legal_entity: { id: 'le_a', jurisdiction: 'gb' },
          identifiers: [
            { type: 'registration_id', value: '0001', jurisdiction: 'gb' },
            { type: 'lei', value: 'LEI1', jurisdiction: null },
          ],
          parent_entity: { name: 'Acme Group' },
          ...entity,
        },
        basis,
        ...rest,
      },
    }),
  )
}

const cited = (field: string, citation: object, reasoning = 'why') => ({
  field,
  confidence: 'high',
  reasoning,
  citations: [{ url: null, excerpt: null, source_type: null, authority_tier: null, ...citation }],
})

const sourcesIn = (line: string): Record<string, string | null> =>
  Object.fromEntries(
    [...parsePublishedState(renderPublishedState(line))].map(([field, { source }]) => [field, source]),
  )

describe('what is remembered of a row', () => {
  it('the fields that matter, each by its column', () => {
    const state = parsePublishedState(renderPublishedState(answerOf()))
    expect(Object.fromEntries([...state].map(([field, { value }]) => [field, value]))).toEqual({
      status: 'matched',
      confidence: '95',
      entity_id: 'siq_a',
      display_name: 'Acme',
      legal_name: 'Acme "Ltd"',
      entity_status: 'active',
      formatted_address: '1 Road, London',
      country_code: 'GB',
      legal_entity_id: 'le_a',
      jurisdiction: 'gb',
      registration_id: '0001',
      lei: 'LEI1',
      parent_name: 'Acme Group',
    })
  })

  it('what differs from run to run though nothing has changed is not in it', () => {
    const at = (resolved_at: string, from_cache: boolean) => ({ metadata: { resolved_at, from_cache } })
    expect(renderPublishedState(answerOf({ runId: 'run_2', rest: at('2026-01-02T00:00:00Z', true) }))).toBe(
      renderPublishedState(answerOf({ runId: 'run_1', rest: at('2026-01-01T00:00:00Z', false) })),
    )
  })

  it('two states are told apart by their values, whatever their sources are', () => {
    const [one, other] = ['line 1', 'line 2'].map((excerpt) =>
      renderPublishedState(answerOf({ basis: [cited('legal_name', { excerpt })] })),
    )
    expect(one).not.toBe(other)
    expect(getFirstLine(one ?? '')).toBe(getFirstLine(other ?? ''))
    expect(getFirstLine(renderPublishedState(answerOf({ entity: { legal_name: 'B' } })))).not.toBe(
      getFirstLine(one ?? ''),
    )
  })

  it('an address that comes in parts alone is put together', () => {
    const address = { street_address: '1 Road', city: 'London', country: 'United Kingdom' }
    const state = parsePublishedState(
      renderPublishedState(answerOf({ entity: { headquarters: { address } } })),
    )
    expect(state.get('formatted_address')?.value).toBe('1 Road, London, United Kingdom')
  })

  it('a row without an answer has its status, and why', () => {
    const line = renderUnanswered({ status: 'uncertain', error: 'the answer was lost' })
    expect([...parsePublishedState(renderPublishedState(line))]).toEqual([
      ['status', { value: 'uncertain', source: 'the answer was lost' }],
    ])
  })

  it('who owns a company is remembered where that was asked', () => {
    const hierarchy = renderHierarchyLine({
      status: 'COMPLETED',
      data: {
        status: 'completed',
        data: {
          ultimate_parent: { id: 'siq_top', name: 'Top' },
          ownership_chain: [],
          evidence: ['https://owners.example/acme'],
        },
      },
    })
    const state = parsePublishedState(renderPublishedState(joinLines(answerOf(), [hierarchy])))
    expect(state.get('hierarchy_status')?.value).toBe('completed')
    expect(state.get('ultimate_parent_name')).toEqual({ value: 'Top', source: 'https://owners.example/acme' })
    const unasked = joinLines(answerOf(), [renderUnansweredStage('hierarchy', null)])
    expect(getFirstLine(renderPublishedState(unasked))).toBe(getFirstLine(renderPublishedState(answerOf())))
  })

  it('a text of any length is cut short, between characters', () => {
    const long = `${'x'.repeat(998)}😀${'y'.repeat(5_000)}`
    const value = parsePublishedState(renderPublishedState(answerOf({ entity: { legal_name: long } }))).get(
      'legal_name',
    )?.value
    expect(value).toBe(`${'x'.repeat(998)}…`)
  })

  it.each(['', '{}', 'null', '[1]', '{"v":2,"status":"matched"}\n{}', 'not JSON'])(
    'a state of another version is an error with a code: %s',
    (text) => {
      expect(() => parsePublishedState(text)).toThrow(expect.objectContaining({ code: 'HISTORY_VERSION' }))
    },
  )
})

describe('the source of a value', () => {
  it.each<[string, string, string, object, string]>([
    [
      'the page of its own entry',
      'legal_name',
      'legal_name',
      { url: 'https://r.example/1', excerpt: 'text' },
      'https://r.example/1',
    ],
    ['the passage where there is no page', 'legal_name', 'legal_name', { excerpt: 'a passage' }, 'a passage'],
    ['the reason where nothing is cited', 'entity_status', 'status', {}, 'why'],
    [
      'that of any part of an address',
      'formatted_address',
      'headquarters.address.city',
      { url: 'https://a.example' },
      'https://a.example',
    ],
    [
      'that of the whole address',
      'formatted_address',
      'headquarters',
      { url: 'https://a.example' },
      'https://a.example',
    ],
    [
      'a number by its value',
      'lei',
      'identifiers.1.value',
      { url: 'https://lei.example' },
      'https://lei.example',
    ],
    ['a parent', 'parent_name', 'parent_entity.name', { url: 'https://p.example' }, 'https://p.example'],
    [
      'a path that begins at the entity',
      'legal_name',
      'entity.legal_name',
      { url: 'https://e.example' },
      'https://e.example',
    ],
    [
      'the company by its registered name',
      'entity_id',
      'legal_name',
      { url: 'https://n.example' },
      'https://n.example',
    ],
  ])('%s', (_, field, basisField, citation, expected) => {
    expect(sourcesIn(answerOf({ basis: [cited(basisField, citation)] }))[field]).toBe(expected)
  })

  it('a number has not that of another number', () => {
    const basis = [cited('identifiers.1.value', { url: 'https://lei.example' })]
    expect(sourcesIn(answerOf({ basis }))['registration_id']).toBeNull()
  })

  it.each(['__proto__', 'constructor', '7'])('a source of any words stays what it is: %s', (url) => {
    expect(sourcesIn(answerOf({ basis: [cited('legal_name', { url })] }))['legal_name']).toBe(url)
  })

  it('a value without an entry has none', () => {
    expect(sourcesIn(answerOf())['legal_name']).toBeNull()
  })
})
