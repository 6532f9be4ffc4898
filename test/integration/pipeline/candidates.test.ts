import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { identify } from '../../../src/core/lookup-identity.js'
import { enrich, type EnrichConfig } from '../../../src/index.js'
import { calculateResolutionKey } from '../../../src/pipeline/checkpoint/lookup.js'
import { formatDecisionLine, decisionsHeader } from '../../../src/pipeline/decisions/decision-lines.js'
import type { Candidate } from '../../../src/core/decisions.js'
import { openReviewStore, openReviewStoreToRead } from '../../../src/pipeline/decisions/review-store.js'
import { openXlsx } from '../../../src/tables/xlsx/xlsx-file.js'
import { strangeMatch } from '../../support/strange-service.js'
import { createWorkplace, servicesOfTests, type Workplace } from '../../support/pipeline-job.js'
import { queryDuckDb, readParquet } from '../../support/tables.js'
import { readJsonLines } from '../../support/json-lines.js'

let place: Workplace
const serve = servicesOfTests()

beforeEach(() => {
  place = createWorkplace()
})

function lookupOf(name: string, city: string | null): string {
  const asked = identify(name, [city], [])
  if (asked.kind === 'invalid') throw new Error(asked.reason)
  return Buffer.from(calculateResolutionKey(asked.lookup)).toString('hex')
}

/** A run of the embedded service over the registry that ships. */
const embedded = (config: EnrichConfig = {}) => {
  const { input, output, ...rest } = config
  return enrich(
    {
      ...rest,
      input: { paths: [place.path('companies.csv')], ...input },
      output: { path: place.path('out.csv'), ...output },
      checkpoint: { path: place.path('checkpoint.sqlite') },
      service: { matchers: 0 },
    },
    { environment: {} },
  ).summary
}

interface Listed {
  readonly entity_id: string | null
  readonly name: string | null
  readonly legal_name: string | null
  readonly place: string | null
  readonly confidence: number | null
  readonly url: string | null
}

const listedIn = (cell: string | undefined) => (cell === '' ? null : (JSON.parse(cell ?? '') as Listed[]))

describe('the candidates of a run of the embedded service', () => {
  const rows = ['Microsft,', 'Apple,Cupertino', 'Unheard-of Bakery,Leeds', 'Microsft,', '?,']

  test('are in the output of each doubtful row, and of no other, in every format', async () => {
    place.writeRows(rows)
    await embedded()
    const csv = place.readOutput().map((row) => listedIn(row['enrich_candidates']))
    const count = csv[0]?.length ?? 0
    expect(count).toBeGreaterThan(0)
    expect(csv.map((list) => list?.length ?? null)).toEqual([count, null, null, count, null])
    expect(csv[0]?.[0]).toMatchObject({
      entity_id: expect.stringMatching(/^siq_/) as string,
      legal_name: 'Microsoft Corporation',
      place: expect.stringContaining('Redmond') as string,
      url: expect.stringMatching(/^https:/) as string,
    })
    await embedded({ output: { path: place.path('out.ndjson') } })
    const ndjson = readJsonLines(readFileSync(place.path('out.ndjson'), 'utf8'))
    expect(ndjson.map((row) => row['enrich_candidates'])).toEqual(csv)

    await embedded({ output: { path: place.path('out.parquet') } })
    const inDuckDb = await queryDuckDb(
      `SELECT enrich_candidates AS c, typeof(enrich_candidates) AS t FROM '${place.path('out.parquet')}'`,
    )
    expect(inDuckDb[0]?.['t']).toBe(
      'STRUCT(entity_id VARCHAR, "name" VARCHAR, legal_name VARCHAR, place VARCHAR, confidence INTEGER, url VARCHAR)[]',
    )
    const counted = await queryDuckDb(
      `SELECT enrich_candidates[1].legal_name AS first, len(enrich_candidates) AS n FROM '${place.path('out.parquet')}'`,
    )
    expect(counted.map(({ n }) => (n === null ? null : Number(n)))).toEqual([count, null, null, count, null])
    expect(counted[0]?.['first']).toBe('Microsoft Corporation')
    const parquet = await readParquet(place.path('out.parquet'))
    expect(parquet.rows.map((row) => row['enrich_candidates'] ?? null)).toEqual(csv)

    await embedded({ output: { path: place.path('out.xlsx') } })
    const sheet = await openXlsx(place.path('out.xlsx'))
    try {
      const texts: string[] = []
      for await (const batch of sheet.cellRows())
        for (const { cells } of batch)
          for (const cell of cells.values())
            if (typeof cell === 'string' && cell.includes('"legal_name"')) texts.push(cell)
      expect(texts.map((text) => listedIn(text))).toEqual([csv[0], csv[3]])
    } finally {
      sheet.close()
    }
  })

  test('are kept with what speaks for and against them, also of rows that nothing is near to', async () => {
    place.writeRows(rows)
    await embedded()
    const store = openReviewStoreToRead(place.path('checkpoint.sqlite'))
    const scope = await scopeOf()
    try {
      const [doubtful, certain, unheard] =
        store?.candidates.read(scope, [
          lookupOf('Microsft', null),
          lookupOf('Apple', 'Cupertino'),
          lookupOf('Unheard-of Bakery', 'Leeds'),
        ]) ?? []
      expect(doubtful?.[0]).toMatchObject({
        legalName: 'Microsoft Corporation',
        evidence: expect.arrayContaining([
          expect.objectContaining({
            label: 'spelling',
            text: 'spelled otherwise: "Microsoft", asked for "Microsft"',
          }),
        ]) as Candidate['evidence'],
      })
      expect(certain).toBeNull()
      expect(unheard).toEqual([])
    } finally {
      store?.close()
    }
  })

  test('follow review.threshold: a match below it has some too', async () => {
    place.writeRows(['Apple,Cupertino'])
    await embedded({ review: { threshold: 100 } })
    const [row] = place.readOutput()
    expect(row?.['enrich_status']).toBe('matched')
    expect(listedIn(row?.['enrich_candidates'])?.[0]?.entity_id).toBe(row?.['enrich_entity_id'])
    await embedded()
    expect(place.readOutput()[0]?.['enrich_candidates']).toBe('')
  })

  test('are of every row where each row counts', async () => {
    place.writeRows(rows)
    await embedded({ input: { dedupe: false } })
    const lists = place.readOutput().map((row) => listedIn(row['enrich_candidates']))
    expect(lists[3]).toEqual(lists[0])
    expect(lists[0]?.length).toBeGreaterThan(0)
  })

  test('are not written where the columns leave them out, and kept all the same', async () => {
    place.writeRows(rows)
    await embedded({ output: { columns: ['status'] } })
    expect(Object.keys(place.readOutput()[0] ?? {})).toEqual(['company_name', 'city', 'enrich_status'])
    const store = openReviewStoreToRead(place.path('checkpoint.sqlite'))
    expect(store?.candidates.hasAny(await scopeOf())).toBe(true)
    store?.close()
  })
})

/** Of the answers in the checkpoint. */
async function scopeOf(): Promise<string> {
  const { openCheckpointReader } = await import('../../../src/pipeline/checkpoint/sqlite/reader.js')
  const reader = openCheckpointReader(place.path('checkpoint.sqlite'), null)
  const [scope = ''] = reader?.read('counts').map((counted) => counted.scope) ?? []
  reader?.close()
  return scope
}

describe('the candidates of a hosted service', () => {
  const candidate: Candidate = {
    entityId: 'siq_acme',
    legalEntityId: 'le_1',
    name: 'Acme',
    legalName: 'Acme SE, "the one"',
    otherNames: [],
    status: 'active',
    place: 'Lyon',
    countryCode: 'FR',
    jurisdiction: 'fr',
    identifiers: [],
    confidence: null,
    evidence: [],
    url: 'https://register.example/1',
  }
  const answers = {
    Globex: strangeMatch('Globex AG'),
    Acme: { status: 'inconclusive', match_confidence: 60 },
    Beta: { status: 'no_match' },
  }
  const written = () => place.readOutput().map((row) => row['enrich_candidates'])

  test('are not asked for by a run: those that a reviewer looked at are written', async () => {
    place.writeRows(['Acme,Lyon', 'Globex,', 'Beta,'])
    const service = await serve({ answers })
    await place.run(service)
    expect(written()).toEqual(['', '', ''])
    expect(service.requests.filter(({ path }) => path.startsWith('/v2'))).toEqual([])
    const store = openReviewStore(place.path('checkpoint.sqlite'))
    const found = new Map([
      [lookupOf('Acme', 'Lyon'), [candidate]],
      [lookupOf('Globex', null), [candidate]],
      [lookupOf('Beta', null), []],
    ])
    await store.candidates.keep(service.baseUrl, found, 0)
    await store.candidates.keep('https://other.example', new Map([[lookupOf('Beta', null), [candidate]]]), 0)
    store.close()
    await place.run(service, { output: { changes: place.path('changes.csv') } })
    const listed = {
      entity_id: 'siq_acme',
      name: 'Acme',
      legal_name: 'Acme SE, "the one"',
      place: 'Lyon',
      confidence: null,
      url: 'https://register.example/1',
    }
    // Neither of a row that is sure, nor of one that nothing was found for.
    expect(written()).toEqual([JSON.stringify([listed]), '', ''])
    // Other candidates are no change of a row.
    expect(place.readOutput('changes.csv')).toEqual([])
  })

  test('are gone from a row once it is decided', async () => {
    place.writeRows(['Acme,Lyon'])
    const service = await serve({ answers })
    await place.run(service)
    const store = openReviewStore(place.path('checkpoint.sqlite'))
    await store.candidates.keep(service.baseUrl, new Map([[lookupOf('Acme', 'Lyon'), [candidate]]]), 0)
    store.close()
    const decision = {
      lookup: lookupOf('Acme', 'Lyon'),
      name: 'Acme',
      location: 'Lyon',
      verdict: 'none' as const,
      entityId: null,
      entityName: null,
      decidedBy: 'Ada',
      decidedAtMs: 0,
      note: null,
      service: null,
    }
    writeFileSync(place.path('decisions.csv'), decisionsHeader + formatDecisionLine(decision))
    await place.run(service, { decisions: { path: place.path('decisions.csv') } })
    expect(place.readOutput()[0]).toMatchObject({ enrich_decision: 'none', enrich_candidates: '' })
  })
})

test.each(['Reg. 2010/012345/07', 'CPR/2009/12345', 'PIN P051345678A'])(
  'the answer to a row with %s does not depend on what the embedded service answered before',
  async (number) => {
    const run = async (text: string) => {
      writeFileSync(place.path('companies.csv'), text)
      await embedded({ input: { columns: { identifiers: { registration_id: 'Number' } } } })
      return place
        .readOutput()
        .map((row) => [row['enrich_status'], row['enrich_factors']?.replaceAll(/run_\w+/g, '')])
    }
    const list = `name,Number\nLarkmoor Contractors Ltd,${number}\n`
    const fresh = await run(list)
    place = createWorkplace()
    await run(`name,Number\nLarkmoor Contractors Ltd (company number ${number.toUpperCase()}),\n`)
    expect(await run(list)).toEqual(fresh)
  },
)
