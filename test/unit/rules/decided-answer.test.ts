import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/decisions.js'
import { answerColumns } from '../../../src/pipeline/answers/columns.js'
import { renderDecisionMembers, renderDecided } from '../../../src/pipeline/answers/decided-answer.js'
import { linePositions, sliceLine, withReview } from '../../../src/pipeline/answers/joined-line.js'
import { exampleRecord } from '../../../src/service/docs/examples/company.js'
import { forAll } from '../../support/properties.js'

const decision: Decision = {
  lookup: '0'.repeat(32),
  name: 'Acme',
  location: 'Leeds',
  verdict: 'accepted',
  entityId: exampleRecord.id,
  entityName: 'Acme Trading Limited',
  decidedBy: 'Ada',
  decidedAtMs: Date.UTC(2026, 10, 20, 9, 30),
  note: null,
  service: null,
}
const none: Decision = {
  ...decision,
  verdict: 'none',
  entityId: null,
  entityName: null,
  note: 'closed in 2019',
}
const envelope = { status: 'matched', merged_into: null, entity: exampleRecord }
const url = 'https://register.example/01234567'

const columnsOf = (line: string, ...names: string[]) => {
  const values = sliceLine(line)
  return names.map((name) => JSON.parse(values[linePositions.get(name) ?? -1] ?? 'null') as unknown)
}
const answerOf = (of: Decision, body: unknown, missing: string | null = null) =>
  renderDecided(of, { body, missing, url })

describe('the line of a decided row', () => {
  test('is the record of the company, for sure, and who said so', () => {
    const { outcome, line } = answerOf({ ...decision, note: 'called them' }, envelope)
    expect(outcome).toBe('matched')
    expect(
      columnsOf(
        line,
        'status',
        'confidence',
        'entity_id',
        'legal_name',
        'city',
        'type',
        'registration_id',
        'error',
      ),
    ).toEqual([
      'matched',
      100,
      exampleRecord.id,
      'ACME TRADING LIMITED',
      'Leeds',
      'business',
      '01234567',
      null,
    ])
    expect(
      columnsOf(line, 'run_id', 'resolved_at', 'from_cache', 'factors', 'actions', 'candidate_name'),
    ).toEqual([null, '2026-11-20T09:30:00Z', null, [], [], null])
    expect(columnsOf(line, 'matched_name', 'matched_name_kind', 'reason', 'source_url')).toEqual([
      null,
      null,
      'Decided by Ada on 2026-11-20.',
      url,
    ])
    expect(columnsOf(line, 'basis')).toEqual([
      [
        {
          field: 'entity_id',
          value: exampleRecord.id,
          confidence: null,
          reasoning: 'decided by Ada on 2026-11-20: called them',
          citations: [{ url, excerpt: null, source_type: null, authority_tier: null }],
        },
      ],
    ])
  })

  test('is the same under a name that the company has by now', () => {
    const renamed = {
      ...envelope,
      entity: { ...exampleRecord, legal_name: 'GLOBEX LIMITED', display_name: null },
    }
    expect(columnsOf(answerOf(decision, renamed).line, 'status', 'legal_name')).toEqual([
      'matched',
      'GLOBEX LIMITED',
    ])
  })

  test('of a company that was merged says into which, and is filled by its record', () => {
    const merged = {
      status: 'merged',
      merged_into: 'siq_other',
      entity: { ...exampleRecord, id: 'siq_other' },
    }
    const { outcome, line } = answerOf(decision, merged)
    expect(outcome).toBe('merged')
    expect(columnsOf(line, 'status', 'entity_id', 'merged_into', 'legal_name')).toEqual([
      'merged',
      exampleRecord.id,
      'siq_other',
      'ACME TRADING LIMITED',
    ])
  })

  test('of a company that the service knows no more is not found, and says so', () => {
    const { outcome, line } = answerOf(decision, { status: 'not_found' })
    expect(outcome).toBe('not_found')
    expect(columnsOf(line, 'status', 'confidence', 'entity_id', 'legal_name', 'error')).toEqual([
      'not_found',
      null,
      null,
      null,
      `the service knows no company ${exampleRecord.id}, which was decided`,
    ])
  })

  test('without a record has what the decision knows, and why there is no more', () => {
    const { outcome, line } = answerOf(decision, null, 'not submitted yet')
    expect(outcome).toBe('matched')
    expect(columnsOf(line, 'status', 'confidence', 'entity_id', 'display_name', 'error')).toEqual([
      'matched',
      100,
      exampleRecord.id,
      'Acme Trading Limited',
      'a reviewer accepted this company; its record is missing (not submitted yet): start a run to request it',
    ])
  })

  test('that is none of those known is no match, and filled by nothing', () => {
    const { outcome, line } = answerOf(none, null)
    expect(outcome).toBe('no_match')
    expect(columnsOf(line, 'status', 'confidence', 'entity_id', 'display_name', 'error')).toEqual([
      'no_match',
      null,
      null,
      null,
      null,
    ])
    expect(columnsOf(line, 'reason', 'source_url')).toEqual(['Decided by Ada on 2026-11-20.', null])
    expect(columnsOf(line, 'basis')).toMatchObject([
      [
        {
          field: 'decision',
          value: 'none',
          reasoning: 'decided by Ada on 2026-11-20: closed in 2019',
          citations: [],
        },
      ],
    ])
  })

  test('has every column whatever the service sent and people wrote, and the decision in front', () => {
    const anyDecision = fc.record({ by: fc.string(), note: fc.option(fc.string()), isNone: fc.boolean() })
    forAll(100, [fc.jsonValue(), anyDecision], (body, { by, note, isNone }) => {
      const one = { ...(isNone ? none : decision), decidedBy: by, note }
      const { outcome, line } = answerOf(one, body)
      expect(Object.keys(JSON.parse(line) as object)).toEqual(answerColumns.map(({ name }) => name))
      const whole = withReview(line, renderDecisionMembers(one))
      expect(JSON.parse(whole)).toMatchObject({ status: outcome, decision: one.verdict, decided_by: by })
      expect(columnsOf(whole, 'decision', 'decided_by', 'decided_at', 'status')).toEqual([
        one.verdict,
        by,
        '2026-11-20T09:30:00Z',
        outcome,
      ])
    })
  })
})
