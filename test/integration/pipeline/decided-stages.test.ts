import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/decisions.js'
import { stageKinds } from '../../../src/core/lookup-state.js'
import type { RunSummary } from '../../../src/pipeline/history/run-summary.js'
import { decided, decidedNone, domainLookupOf, writeDecisions } from '../../support/decisions.js'
import type { FakeKnowledge } from '../../support/fake-knowledge.js'
import { companyWorld, runStages, serveCompanies, writeCompanies, type Tap } from '../../support/stage-job.js'
import { makeFolder } from '../../support/temporary-folder.js'

let folder: string
let tap: Tap
let knowledge: FakeKnowledge
let services: { close(): Promise<void> }[] = []

beforeEach(async () => {
  folder = makeFolder()
  writeCompanies(folder, 4)
  knowledge = companyWorld(4, 8)
  const served = await serveCompanies(knowledge, {
    researchMs: { min: 0, max: 50 },
    buildMs: { min: 10, max: 60 },
  })
  tap = served.tap
  services = [tap, served.service]
})
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()))
})

const path = () => join(folder, 'decisions.csv')
const run = (decisions: readonly Decision[], parts: Parameters<typeof runStages>[2] = {}) => {
  writeDecisions(path(), decisions)
  return runStages(folder, tap.url, {
    store: { decisions: { path: path(), isNamed: true } },
    ...parts,
  })
}
const rows = (...columns: string[]) =>
  parse<Record<string, string>>(readFileSync(join(folder, 'out.csv')), { columns: true }).map((row) =>
    columns.map((column) => row[`enrich_${column}`]),
  )
const factsOf = (summary: RunSummary, kind: string) => summary.stages.find((stage) => stage.kind === kind)
const begun = () => [...tap.begun.keys()].sort()
const company = (index: number) => ({ entityId: `siq_company${index}`, entityName: null })

describe('what follows from a verdict', () => {
  test('is of the company that was accepted: its record, its owners, its domain; the answer is not followed', async () => {
    const summary = await run([decided('Company 0', 'Leeds', company(7)), decidedNone('Company 1', 'Leeds')])
    expect(summary).toMatchObject({ stop: null, decidedCount: 2, billedCount: 2, pendingCount: 0 })
    expect(
      rows('entity_id', 'entity_record_status', 'entity_employee_count', 'hierarchy_status', 'domain_name'),
    ).toEqual([
      ['siq_company7', 'complete', '7', 'completed', 'company7.com'],
      ['', '', '', '', ''],
      ['siq_company2', 'complete', '2', 'completed', 'company2.com'],
      ['siq_company3', 'complete', '3', 'completed', 'company3.com'],
    ])
    for (const kind of stageKinds)
      expect(factsOf(summary, kind)).toMatchObject({
        lookupCount: 3,
        answeredCount: 3,
        pendingCount: 0,
        stop: null,
      })
    expect(begun()).toEqual(
      [
        ...[2, 3, 7].map((index) => `/v3/domain-intelligence company${index}.com`),
        ...[2, 3].map((index) => `/v3/entity-resolution/async Company ${index}`),
        ...[2, 3, 7].map((index) => `/v1/entity/siq_company${index}/hierarchy`),
      ].sort(),
    )
    expect([...tap.begun.values()].every((count) => count === 1)).toBe(true)
  })

  test('is known in the next run, and nothing is asked again', async () => {
    const verdicts = [decided('Company 0', 'Leeds', company(7))]
    await run(verdicts)
    const before = rows('entity_id', 'hierarchy_status', 'domain_status')
    const [begunCount, readCount] = [tap.begun.size, tap.entityReadCount()]
    const again = await run(verdicts)
    expect([tap.begun.size, tap.entityReadCount()]).toEqual([begunCount, readCount])
    expect(rows('entity_id', 'hierarchy_status', 'domain_status')).toEqual(before)
    for (const kind of stageKinds)
      expect(factsOf(again, kind)).toMatchObject({ cachedCount: 4, answeredCount: 0 })
  })

  test('follows a verdict that comes after the answer, in place of what the answer said', async () => {
    await run([])
    const summary = await run([decided('Company 0', 'Leeds', company(7))])
    expect(rows('entity_id', 'entity_employee_count', 'ultimate_parent_name', 'domain_name')[0]).toEqual(
      ['siq_company7', '7', 'siq_company7', 'company7.com'].map((value, at) =>
        at === 2 ? (expect.any(String) as unknown) : value,
      ),
    )
    expect(summary).toMatchObject({ billedCount: 0, decidedCount: 1 })
    // Of the four companies that rows are by now, and not of the one that an answer still names.
    expect(factsOf(summary, 'hierarchy')).toMatchObject({ lookupCount: 4, answeredCount: 1 })
  })

  test('without stages is the record alone, and has no columns', async () => {
    const summary = await run([decided('Company 0', 'Leeds', company(7))], { asked: [] })
    expect(summary.stages).toMatchObject([{ kind: 'entity', lookupCount: 1, answeredCount: 1 }])
    expect(begun().filter((what) => !what.includes('entity-resolution'))).toEqual([])
    const [header = ''] = readFileSync(join(folder, 'out.csv'), 'utf8').split('\n')
    expect(header).not.toContain('entity_record_status')
    expect(rows('entity_id', 'website')[0]).toEqual(['siq_company7', 'https://www.company7.com'])
  })
})

test('A decided row with a domain submits neither the domain nor its stage', async () => {
  const list = ['Company 0,', ',https://company1.com', ',https://company2.com', ',www.company2.com/about']
  writeFileSync(join(folder, 'companies.csv'), ['company_name,website', ...list].join('\n'))
  const verdict = decided('company2.com', '', {
    ...company(5),
    lookup: domainLookupOf('company2.com'),
    location: null,
  })
  const summary = await run([verdict])
  expect(summary).toMatchObject({ stop: null, lookupCount: 3, domainCount: 2, decidedCount: 1 })
  expect(factsOf(summary, 'domain')).toMatchObject({ decidedCount: 1, pendingCount: 0 })
  expect(rows('status', 'entity_id', 'decision', 'domain_status')).toEqual([
    ['matched', 'siq_company0', '', 'matched'],
    ['matched', 'siq_company1', '', 'matched'],
    ['matched', 'siq_company5', 'accepted', ''],
    ['matched', 'siq_company5', 'accepted', ''],
  ])
  expect(begun().filter((what) => what.includes('domain-intelligence'))).toEqual([
    '/v3/domain-intelligence company0.com',
    '/v3/domain-intelligence company1.com',
  ])
})
