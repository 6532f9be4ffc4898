import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { stageKinds } from '../../src/core/lookup-state.js'
import { getStageColumns } from '../../src/pipeline/answers/column-kinds.js'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { queryDuckDb, readParquet, rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const input = fixture('companies.csv')
const all = ['--with', 'entity,hierarchy,domain']
const stageColumns = stageKinds.flatMap(getStageColumns)
const read = (place: CliPlace, name: string) => readFileSync(place.path(name))

/** A run with all stages. */
async function runAll(place: CliPlace, output: string, ...flags: string[]): Promise<string> {
  const { code, stderr } = await place.run([input, '-o', output, ...all, ...flags])
  expect([code, stderr]).toEqual([0, expect.stringContaining(`written   ${output}`)])
  return stderr
}

/** As CSV has it: nothing and empty lists are empty, lists are JSON, times go to the second. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.length === 0) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? text.slice(0, 19).replace('T', ' ') : text
}

describe('columns of stages', () => {
  test('hold the same in every format, and are read back with their types', async () => {
    const place = createPlace()
    const told = await runAll(place, 'out.ndjson')
    expect(told).toMatch(/^ {2}entity {4}\d+ companies · \d+ submitted, free of charge · complete \d+$/m)
    expect(told).toMatch(/^ {2}hierarchy \d+ companies · \d+ submitted, free of charge · completed \d+$/m)
    expect(told).toMatch(/^ {2}domain {4}\d+ domains · \d+ submitted, free of charge · matched \d+/m)
    const again = await runAll(place, 'out.parquet')
    expect(again).toMatch(/^ {2}entity {4}(\d+) companies · \1 answered before$/m)
    await runAll(place, 'out.csv', '--basis', 'inline')

    const objects = readJsonLines(read(place, 'out.ndjson').toString())
    const cells = rowsOfCsv(read(place, 'out.csv'))
    const { rows, typeOf } = await readParquet(place.path('out.parquet'))
    expect([cells.length, rows.length]).toEqual([objects.length, objects.length])
    const types = await queryDuckDb(`DESCRIBE SELECT * FROM '${place.path('out.parquet')}'`)
    const typed = new Map(types.map((column) => [column['column_name'], column['column_type']]))
    for (const { name, kind } of stageColumns) {
      const key = `enrich_${name}`
      expect(objects.map((row) => cellOf(row[key]))).toEqual(cells.map((row) => row[key]))
      if (kind === 'text') expect(rows.map((row) => cellOf(row[key]))).toEqual(cells.map((row) => row[key]))
    }
    expect(
      ['ownership_chain', 'domain_aliases', 'entity_revenue', 'entity_updated_at', 'domain_tranco_rank'].map(
        (name) => typed.get(`enrich_${name}`),
      ),
    ).toEqual([
      'STRUCT("name" VARCHAR, country_code VARCHAR, relationship_type VARCHAR, ownership_percentage DOUBLE)[]',
      'VARCHAR[]',
      'BIGINT',
      'TIMESTAMP WITH TIME ZONE',
      'INTEGER',
    ])
    expect(typeOf('enrich_entity_is_public')).toBe('BOOLEAN')
    const chained = objects.filter((row) => (row['enrich_ownership_chain'] as unknown[] | null)?.length)
    expect(chained.length).toBeGreaterThan(0)
    const [count] = await queryDuckDb(
      `SELECT count(*) AS n FROM '${place.path('out.parquet')}' WHERE len(enrich_ownership_chain) > 0 ` +
        `AND enrich_ownership_chain[-1].name = enrich_ultimate_parent_name`,
    )
    expect(Number(count?.['n'])).toBe(chained.length)
    // The company at the top is known by the id that a row of its own is answered with.
    const idOf = new Map(objects.map((row) => [row['enrich_legal_name'], row['enrich_entity_id']]))
    const tops = chained.filter((row) => idOf.has(row['enrich_ultimate_parent_name']))
    expect(tops.length).toBeGreaterThan(0)
    for (const row of chained) expect(row['enrich_ultimate_parent_id']).toMatch(/^siq_/)
    expect(tops.map((row) => row['enrich_ultimate_parent_id'])).toEqual(
      tops.map((row) => idOf.get(row['enrich_ultimate_parent_name'])),
    )
  })

  test('are filled where the row has a sure company, and their first answer is what it is without them', async () => {
    const place = createPlace()
    await place.run([input, '-o', 'plain.csv'])
    await runAll(place, 'out.csv')
    const plain = rowsOfCsv(read(place, 'plain.csv'))
    const rows = rowsOfCsv(read(place, 'out.csv'))
    const names = new Set(stageColumns.map(({ name }) => `enrich_${name}`))
    expect(
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)))),
    ).toEqual(plain)
    for (const row of rows) {
      const isSure = row['enrich_status'] === 'matched'
      expect([row['enrich_entity_record_status'], row['enrich_hierarchy_status']]).toEqual(
        isSure ? ['complete', 'completed'] : ['', ''],
      )
      expect(row['enrich_domain_status'] !== '').toBe(isSure && row['enrich_website'] !== '')
      if (isSure) expect(row['enrich_entity_current_id']).toBe(row['enrich_entity_id'])
    }
    const basis = rowsOfCsv(read(place, 'out.csv.basis.csv')).filter(
      ({ field }) => field === 'ownership_chain',
    )
    expect(basis.length).toBeGreaterThan(0)
    for (const entry of basis) {
      expect([entry['run_id'], entry['citation_url']]).toEqual(['', expect.stringMatching(/^https:/)])
      // An empty list is an empty cell.
      const value = entry['value'] === '[]' ? '' : entry['value']
      expect(rows[Number(entry['row_number']) - 1]?.['enrich_ownership_chain']).toBe(value)
    }
  })

  test('may be chosen; without --with there are none, also where all is known', async () => {
    const place = createPlace()
    await runAll(
      place,
      'out.csv',
      '--columns',
      'status,enrich_domain_name,ultimate_parent_name',
      '--basis',
      'none',
    )
    expect(Object.keys(rowsOfCsv(read(place, 'out.csv'))[0] ?? {}).slice(-3)).toEqual([
      'enrich_status',
      'enrich_ultimate_parent_name',
      'enrich_domain_name',
    ])
    await place.run(['export', input, '-o', 'without.csv'])
    expect(read(place, 'without.csv').toString()).not.toContain('enrich_domain_name')
    await runAll(place, 'whole.csv')
    expect((await place.run(['export', input, '-o', 'exported.csv', ...all])).code).toBe(0)
    expect(read(place, 'exported.csv').equals(read(place, 'whole.csv'))).toBe(true)
    const refused = await place.run([input, '-o', 'x.csv', '--columns', 'domain_name', '--with', 'entity'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--with domain')])
  })
})

describe('stages that are asked for', () => {
  test.each([
    ['entity,owners', 'There is no stage owners; there are entity, hierarchy, domain.'],
    ['domain,domain', 'domain is named twice.'],
    [',', 'It must name at least one of entity, hierarchy, domain.'],
  ])('as %s are refused before anything is done', async (text, sentence) => {
    const place = createPlace()
    const { code, stderr } = await place.run([input, '-o', 'out.csv', '--with', text])
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(existsSync(place.path('.enrich'))).toBe(false)
  })

  test('are planned before, counted after, and known then', async () => {
    const place = createPlace()
    const planned = async () => {
      const { stdout } = await place.run(['plan', input, ...all, '--json'])
      return JSON.parse(stdout) as {
        lookupCount: number
        stages: { kind: string; plan: Record<string, number>; moreMax: number }[]
      }
    }
    const before = await planned()
    expect(before.stages.map(({ kind, moreMax, plan }) => [kind, moreMax, plan['submit']])).toEqual(
      stageKinds.map((kind) => [kind, before.lookupCount, 0]),
    )
    await place.run([input, '-o', 'plain.csv'])
    const resolved = await planned()
    await runAll(place, 'out.csv')
    const after = await planned()
    for (const [at, { plan, moreMax }] of after.stages.entries()) {
      expect([plan['submit'], moreMax]).toEqual([0, 0])
      expect(plan['answered']).toBe(resolved.stages[at]?.plan['submit'])
      expect(plan['answered']).toBeGreaterThan(0)
    }
    const status = (await place.run(['status'])).stdout
    expect(status).toContain(`records of companies: ${after.stages[0]?.plan['answered']} answered (complete `)
    expect(status).toMatch(/next: \d+ doubtful rows .* after run 2: enrich review /)
  })
})
