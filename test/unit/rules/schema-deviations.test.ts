import { describe, expect, test } from 'vitest'
import type { RunObjectLenient } from '../../../src/contract/result.js'
import { findSchemaDeviations, deviationLimits } from '../../../src/pipeline/scheduler/protocol.js'

/** A run exactly as the interface describes it. */
function proper(): { run_id: string; status: string; data: Record<string, unknown> } {
  return {
    run_id: 'run_1',
    status: 'COMPLETED',
    data: {
      request_id: 'req_1',
      status: 'no_match',
      match_confidence: 0,
      type: null,
      subtype: null,
      entity: null,
      candidate: null,
      factors: [{ code: 'name_too_generic', type: 'limitation', description: null, impact: null }],
      actions: [],
      merged_into: null,
      metadata: {
        query: { name: 'Acme', location: null, context: null, classification: null, mode: 'standard' },
        resolved_at: '2026-01-02T03:04:05Z',
        updated_at: null,
        from_cache: false,
        cache_hit_type: null,
      },
    },
  }
}

const schemaDeviations = (change: Record<string, unknown>) => {
  const run = proper()
  return findSchemaDeviations({ ...run, data: { ...run.data, ...change } })
}

describe('in an answer', () => {
  test('that is as the interface says, nothing is odd', () => {
    expect(findSchemaDeviations(proper() as RunObjectLenient)).toEqual([])
    expect(findSchemaDeviations({ ...proper(), status: 'completed' })).toEqual([])
    expect(findSchemaDeviations({ run_id: 'run_1', status: 'FAILED', data: null })).toEqual([])
  })

  test('a new value of an enumeration is named by its place', () => {
    expect(schemaDeviations({ status: 'no_match_at_all' })).toEqual(['unknown value at data.status'])
  })

  test('the same deviation at many places of a list is one', () => {
    const factor = { code: 'a', type: 'neutral', description: null, impact: null, severity: 'high' }
    expect(schemaDeviations({ factors: [factor, factor, factor] }).sort()).toEqual([
      'unknown key data.factors.*.severity',
      'unknown value at data.factors.*.type',
    ])
  })

  test('a wrong type is named', () => {
    expect(schemaDeviations({ match_confidence: '80', actions: null }).sort()).toEqual([
      'wrong type at data.actions',
      'wrong type at data.match_confidence',
    ])
  })

  test('an unknown key is named', () => {
    expect(findSchemaDeviations({ ...proper(), livemode: true })).toEqual(['unknown key livemode'])
  })

  test('neither many nor long ones cost more than their bound', () => {
    const keys = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`${'k'.repeat(1_000)}${index}`, 1]),
    )
    const found = schemaDeviations(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, 1])),
    )
    expect(found.length).toBe(deviationLimits.countMax)
    expect(schemaDeviations(keys).every((text) => text.length <= deviationLimits.pathCharsMax + 20)).toBe(
      true,
    )
  })

  test('nesting deeper than the stack does not throw', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
    expect(() => schemaDeviations({ entity: deep, factors: deep })).not.toThrow()
  })
})
