import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderAnswer, renderUnanswered } from '../../../src/pipeline/answers/answer-line.js'
import { allColumns, answerColumns } from '../../../src/pipeline/answers/columns.js'
import type { Decision } from '../../../src/core/decisions.js'
import { renderDecisionMembers } from '../../../src/pipeline/answers/decided-answer.js'
import { joinLines, linePositions, sliceLine, withReview } from '../../../src/pipeline/answers/joined-line.js'
import { stageKinds } from '../../../src/core/lookup-state.js'
import { reviewColumns, getStageColumns } from '../../../src/pipeline/answers/column-kinds.js'
import {
  renderDomainLine,
  renderEntityLine,
  renderHierarchyLine,
  renderUnansweredStage,
} from '../../../src/pipeline/answers/stage-lines.js'
import { forAll } from '../../support/properties.js'

type Json = Record<string, unknown>
const body = (data: unknown, status = 'COMPLETED') => ({ run_id: 'x', status, data })
const parsed = (line: string) => JSON.parse(line) as Json
const renderers = { entity: renderEntityLine, hierarchy: renderHierarchyLine, domain: renderDomainLine }

const record = {
  status: 'merged',
  merged_into: 'siq_2',
  entity: {
    id: 'siq_2',
    attributes: {
      domain: 'acme.example',
      employee_count: 12,
      employee_range: '11-50',
      revenue: 5_000_000_000,
      founding_date: '1976-04-01',
      exchange: 'XETRA',
      is_public: true,
      market_cap: '7000000000',
      funding_total_usd: null,
      funding_rounds_count: 0,
    },
    classification: { industry: 'Anvils', business_tags: ['a', 7, null], market_segments: 'b2b' },
    operational_presence: [
      { country_code: 'FR' },
      { country_code: 'DE', is_home_jurisdiction: true },
      { country_code: 'FR' },
    ],
    social_profiles: { linkedin: { handle: 'acme' } },
  },
  enrichment: { status: 'complete', updated_at: '2026-01-02T03:04:05+01:00' },
}
const hierarchy = {
  status: 'completed',
  last_researched_at: '2026-01-02T03:04:05Z',
  data: {
    entities: [
      { id: 'e1', name: 'Acme GmbH', country_code: 'DE' },
      { id: 'e2', name: 'Acme SE', country_code: 'FR' },
      { id: 'siq_9', name: 'Top Inc', country_code: 'US' },
    ],
    ownership_chain: [
      { entity_id: 'e1', parent_id: 'e2', relationship_type: 'owns', ownership_percentage: 100 },
      { entity_id: 'e2', parent_id: 'siq_9', relationship_type: 'majority_owns', ownership_percentage: 51.5 },
    ],
    evidence: ['https://a.example', 'https://b.example'],
    summary_short: 'Owned.',
    ultimate_parent: { id: 'siq_9', name: 'Top Inc' },
  },
}
const domain = {
  domain: 'acme.example',
  status: 'complete',
  metadata: { last_updated: '2026-02-03T04:05:06Z' },
  data: {
    status: 'partial_match',
    confidence: 71,
    type: 'business',
    entity: { id: 'siq_1', legal_name: 'Acme GmbH', identifiers: [{ type: 'lei', value: 'L1' }] },
    candidate: null,
    factors: [{ code: 'f', type: 'strength', description: 'd', impact: 'i' }],
    actions: [],
    domain_intelligence: {
      domain: 'acme.example',
      url: 'https://acme.example',
      domain_aliases: ['acme.test'],
      tranco_rank: 12,
      website_status: { status: 200, is_resolvable: true },
      domain_context: { domain_type: 'corporate_website', domain_relationship: 'direct_owner' },
      is_disposable_email_provider: false,
      social_profiles: { twitter: { handle: 'acme' } },
    },
    redirect_info: { is_redirect: true, final_domain: 'acme.test' },
  },
}

describe('the line of a stage', () => {
  test('of a record takes each part from its place', () => {
    expect(parsed(renderEntityLine(body(record)))).toMatchObject({
      entity_record_status: 'complete',
      entity_current_id: 'siq_2',
      entity_employee_count: 12,
      entity_revenue: 5_000_000_000,
      entity_founding_date: '1976-04-01',
      entity_is_public: true,
      entity_market_cap: 7_000_000_000,
      entity_funding_total_usd: null,
      entity_funding_rounds_count: 0,
      entity_domain: 'acme.example',
      entity_industry: 'Anvils',
      entity_business_tags: ['a', '7'],
      entity_market_segments: [],
      entity_operational_countries: ['DE', 'FR'],
      entity_linkedin: 'acme',
      entity_updated_at: '2026-01-02T02:04:05Z',
      basis: [],
    })
  })

  test.each([
    [{ entity: {} }, 'COMPLETED', 'complete'],
    [{ entity: {}, enrichment: { status: 'Building' } }, 'COMPLETED', 'building'],
    [{ entity: null }, 'COMPLETED', 'not_found'],
    [{ entity: {} }, 'failed', 'failed'],
    [null, 'COMPLETED', 'not_found'],
  ])('of the record %j in a body that is %s says %s', (data, status, expected) => {
    expect(parsed(renderEntityLine(body(data, status)))).toMatchObject({ entity_record_status: expected })
  })

  test('of a hierarchy names the owners upward, and gives its evidence as the basis of the chain', () => {
    const chain = [
      { name: 'Acme SE', country_code: 'FR', relationship_type: 'owns', ownership_percentage: 100 },
      { name: 'Top Inc', country_code: 'US', relationship_type: 'majority_owns', ownership_percentage: 51.5 },
    ]
    expect(parsed(renderHierarchyLine(body(hierarchy)))).toEqual({
      hierarchy_status: 'completed',
      ultimate_parent_name: 'Top Inc',
      ultimate_parent_id: 'siq_9',
      ultimate_parent_country: 'US',
      ownership_chain: chain,
      hierarchy_summary: 'Owned.',
      hierarchy_researched_at: '2026-01-02T03:04:05Z',
      hierarchy_error: null,
      basis: [
        {
          field: 'ownership_chain',
          value: JSON.stringify(chain),
          confidence: null,
          reasoning: null,
          citations: ['https://a.example', 'https://b.example'].map((url) => ({
            url,
            excerpt: null,
            source_type: null,
            authority_tier: null,
          })),
        },
      ],
    })
  })

  test('holds no id that is good inside one result only', () => {
    const local = {
      ...hierarchy,
      data: { ...hierarchy.data, ultimate_parent: { id: 'e2', name: 'Acme SE' } },
    }
    expect(parsed(renderHierarchyLine(body(local)))).toMatchObject({
      ultimate_parent_name: 'Acme SE',
      ultimate_parent_id: null,
      ultimate_parent_country: 'FR',
    })
  })

  test.each([
    ['the envelope', domain],
    ['the result alone, as events have it', domain.data],
  ])('of a domain is filled from %s, and answers a row that asks by it', (_, data) => {
    const line = parsed(renderDomainLine(body(data)))
    expect(line).toMatchObject({
      domain_status: 'partial_match',
      domain_name: 'acme.example',
      domain_entity_id: 'siq_1',
      domain_confidence: 71,
      domain_http_status: 200,
      domain_type: 'corporate_website',
      domain_aliases: ['acme.test'],
      domain_is_disposable: false,
      domain_redirects_to: 'acme.test',
      domain_twitter: 'acme',
      status: 'partial_match',
      confidence: 71,
      entity_id: 'siq_1',
      legal_name: 'Acme GmbH',
      lei: 'L1',
      factors: [{ code: 'f', type: 'strength', description: 'd', impact: 'i' }],
      run_id: null,
      basis: [],
    })
    expect(line['resolved_at']).toBe(data === domain ? '2026-02-03T04:05:06Z' : null)
  })

  test.each(stageKinds)(
    'of what has no %s says why in its status and error, or nothing where nothing was asked',
    (kind) => {
      const names = getStageColumns(kind).map(({ name }) => name)
      const [status = '', ...others] = names
      const error = `${kind}_error`
      const uncertain = parsed(
        renderUnansweredStage(kind, { status: 'uncertain', error: 'the line was cut' }),
      )
      expect([uncertain[status], uncertain[error]]).toEqual(['uncertain', 'the line was cut'])
      const empty = others.filter((name) => name !== error)
      expect(empty.map((name) => uncertain[name])).toEqual(empty.map(() => null))
      const nothing = parsed(renderUnansweredStage(kind, null))
      expect(names.map((name) => nothing[name])).toEqual(names.map(() => null))
    },
  )

  test.each(stageKinds)(
    'of a %s that failed says why, in the words of the service where it has any',
    (kind) => {
      const errorOf = (data: unknown, status = 'FAILED') =>
        parsed(renderers[kind](body(data, status)))[`${kind}_error`]
      expect(errorOf({ status: 'failed', data: null, message: ' No owner could be found. ' })).toBe(
        'No owner could be found.',
      )
      for (const message of [undefined, null, '', ' '])
        expect(errorOf({ status: 'failed', message })).toBe('the service ended it without a result')
      expect(errorOf({ status: 'failed', message: 'x'.repeat(10_000) })).toHaveLength(4_000)
      const whole = { entity: { ...record, message: 'ok' }, hierarchy, domain }[kind]
      expect(errorOf({ ...whole, message: 'ok' }, 'COMPLETED')).toBeNull()
    },
  )

  test('of a domain that failed says so in the error of a row that asks by it too', () => {
    const line = parsed(renderDomainLine(body({ status: 'failed', message: 'No name server.' }, 'FAILED')))
    expect(line).toMatchObject({
      status: 'failed',
      error: 'No name server.',
      domain_error: 'No name server.',
    })
  })

  test.each(stageKinds)('of any JSON holds every column of %s, in order, and throws nothing', (kind) => {
    const names = getStageColumns(kind).map(({ name }) => name)
    forAll(100, [fc.jsonValue(), fc.jsonValue()], (data, nested) => {
      for (const sent of [data, body(data), body({ data: nested, entity: nested })])
        expect(Object.keys(parsed(renderers[kind](sent))).slice(0, names.length)).toEqual(names)
    })
  })
})

describe('a row’s line', () => {
  /** Texts that look like what a line is put together of. */
  const marks = [...allColumns.map(({ name }) => `,"${name}":`), '"basis":[]}', '\\",', '{"status":']
  const text = fc.array(fc.oneof(fc.constantFrom(...marks), fc.string())).map((parts) => parts.join(''))
  const strange = fc.letrec((tie) => ({
    value: fc.oneof(
      text,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  })).value

  /** What people decided, what they may choose from, both, or neither. */
  const review = fc
    .tuple(fc.boolean(), fc.boolean(), text)
    .map(([isDecided, hasCandidates, words]) =>
      [
        ...(isDecided
          ? [renderDecisionMembers({ verdict: 'accepted', decidedBy: words, decidedAtMs: 1_000 } as Decision)]
          : []),
        ...(hasCandidates
          ? [`"candidates":${JSON.stringify([{ entity_id: words, name: words, confidence: 1, url: null }])}`]
          : []),
      ].join(','),
    )

  test('is the members of its stages, of review and of its answer, each found again whatever stands in them', () => {
    forAll(100, [text, fc.subarray([...stageKinds]), strange, review], (words, asked, value, reviewed) => {
      const answer = renderAnswer({
        run_id: words,
        status: 'COMPLETED',
        data: { status: words, entity: { legal_name: words }, basis: [{ field: words, reasoning: words }] },
      })
      const withText = (data: object): unknown =>
        body(JSON.parse(JSON.stringify(data).replaceAll('"Acme GmbH"', () => JSON.stringify(value))))
      const bodies = {
        entity: withText({
          ...record,
          entity: { ...record.entity, classification: { industry: 'Acme GmbH' } },
        }),
        hierarchy: withText(hierarchy),
        domain: withText(domain),
      }
      const stages = joinLines(
        answer,
        asked.map((kind) => renderers[kind](bodies[kind])),
      )
      const joined = reviewed === '' ? stages : withReview(stages, reviewed)
      const whole = parsed(joined)
      const slices = sliceLine(joined)
      for (const [name, position] of linePositions)
        expect(slices[position] === undefined ? undefined : JSON.parse(slices[position])).toEqual(whole[name])
      const own = parsed(answer)
      for (const { name } of answerColumns.slice(0, -1)) expect(whole[name]).toEqual(own[name])
      const chained = asked.includes('hierarchy') ? 1 : 0
      expect((whole['basis'] as unknown[]).length).toBe((own['basis'] as unknown[]).length + chained)
    })
  })

  test('of an answer by domain has the domain’s columns where that stage is asked, and not elsewhere', () => {
    const line = renderDomainLine(body(domain))
    const alone = joinLines(line, [])
    expect(Object.keys(parsed(alone))).toEqual(answerColumns.map(({ name }) => name))
    const joined = joinLines(line, [renderEntityLine(body(record)), line])
    expect(parsed(joined)).toMatchObject({
      status: 'partial_match',
      domain_status: 'partial_match',
      entity_record_status: 'complete',
    })
    expect(joined.match(/"domain_status":/g)).toHaveLength(1)
  })

  test('without an answer has empty stages', () => {
    const asked = stageKinds.map((kind) => renderUnansweredStage(kind, null))
    const joined = joinLines(renderUnanswered({ status: 'pending' }), asked)
    expect(Object.keys(parsed(joined)).length).toBe(allColumns.length - reviewColumns.length)
    expect(sliceLine(joined)[linePositions.get('domain_status') ?? -1]).toBe('null')
  })

  test('has a place of its own for each column', () => {
    expect(linePositions.size).toBe(allColumns.length)
    expect(new Set(allColumns.map(({ name }) => name.toLowerCase())).size).toBe(allColumns.length)
  })
})
