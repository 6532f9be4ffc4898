import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EnrichConfig, EnrichOptions } from '../../../src/index.js'
import { identify } from '../../../src/core/identity.js'
import { resolutionKey } from '../../../src/pipeline/checkpoint/lookup-key.js'
import type { Decision } from '../../../src/pipeline/decisions/decision.js'
import { decisionLine, decisionsHeader } from '../../../src/pipeline/decisions/decision-lines.js'
import {
  foreignMatch,
  type ForeignService,
  type ForeignServiceOptions,
} from '../../support/foreign-service.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'

let place: Workplace
const serve = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
})
afterEach(() => {
  place.remove()
})

/** The key of what a row asks. */
function lookupOf(name: string, city: string): string {
  const asked = identify(name, [city], [])
  if (asked.kind === 'invalid') throw new Error(asked.reason)
  return Buffer.from(resolutionKey(asked.lookup)).toString('hex')
}

const decidedAtMs = Date.UTC(2026, 10, 20, 9, 30)
const decided = (name: string, city: string, changes: Partial<Decision> = {}): Decision => ({
  lookup: lookupOf(name, city),
  name,
  location: city,
  verdict: 'accepted',
  entityId: 'siq_acme',
  entityName: 'ACME SE',
  decidedBy: 'Ada',
  decidedAtMs,
  note: 'asked them',
  service: null,
  ...changes,
})
const none = (name: string, city: string) =>
  decided(name, city, { verdict: 'none', entityId: null, entityName: null, note: null })

function decide(...decisions: readonly Decision[]): void {
  writeFileSync(place.path('decisions.csv'), decisionsHeader + decisions.map(decisionLine).join(''))
}

const record = (id: string, legalName: string, rest: object = {}) => ({
  id,
  legal_name: legalName,
  display_name: legalName,
  status: 'active',
  type: 'business',
  website: 'https://www.acme.example',
  headquarters: { address: { city: 'Lyon', country_code: 'FR' } },
  ...rest,
})

const withRecords = (entities: ForeignServiceOptions['entities'] = {}) =>
  serve({
    answers: { Globex: foreignMatch('Globex AG') },
    entities: { siq_acme: record('siq_acme', 'Acme SE'), ...entities },
  })

const run = (service: ForeignService, config: EnrichConfig = {}, options: EnrichOptions = {}) =>
  place.run(service, { decisions: { path: place.path('decisions.csv') }, ...config }, options)

const rows = (...columns: string[]) =>
  place.readOutput().map((row) => columns.map((column) => row[`enrich_${column}`]))
const submitted = (service: ForeignService) => service.runs.map(({ query }) => query.name)
const reads = (service: ForeignService) =>
  service.requests.flatMap(({ path }) => (path.startsWith('/v3/entities/') ? [path.slice(13)] : []))

describe('a row that a person decided', () => {
  test('is never submitted: its company is read, and nothing else is asked or billed', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,', 'Nobody,Rome'])
    decide(decided('Acme', 'Lyon'), none('Nobody', 'Rome'))
    const service = await withRecords()
    const summary = await run(service)
    expect(submitted(service)).toEqual(['Globex'])
    expect(reads(service)).toEqual(['siq_acme'])
    expect(summary).toMatchObject({
      lookupCount: 3,
      billedCount: 1,
      decidedCount: 2,
      pendingCount: 0,
      stop: null,
    })
    expect(
      rows(
        'status',
        'confidence',
        'entity_id',
        'legal_name',
        'city',
        'decision',
        'decided_by',
        'decided_at',
        'error',
      ),
    ).toEqual([
      ['matched', '100', 'siq_acme', 'Acme SE', 'Lyon', 'accepted', 'Ada', '2026-11-20 09:30:00', ''],
      ['matched', '91', 'siq_Globex-AG', 'Globex AG', expect.any(String), '', '', '', ''],
      ['no_match', '', '', '', '', 'none', 'Ada', '2026-11-20 09:30:00', ''],
    ])
    expect(
      place.readOutput('out.csv.basis.csv').filter(({ field }) => /entity_id|status/.test(field ?? '')),
    ).toMatchObject([
      {
        row_number: '1',
        run_id: '',
        value: 'siq_acme',
        reasoning: 'decided by Ada on 2026-11-20: asked them',
      },
      { row_number: '3', run_id: '', value: 'no_match', reasoning: 'decided by Ada on 2026-11-20' },
    ])
  })
})
