import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityRecord, EntityReply } from '../src/contract/entity.js'
import type { BasisEntry } from '../src/contract/result.js'
import { loadDriver, type Sqlite } from '../src/platform/sqlite.js'
import { connectTo, finishRun, serve, type Get } from './service.js'
import { drawCompanies, readConcordance, readStated, type DrawnCompany } from './stated-fields.js'
import { diskFolder, grouped, type Say } from './support.js'

/** Registers by the names of their sources: `lei_entities.csv`, `sec-tickers`, `companies-house`. */
const registers = {
  GLEIF: /gleif|(?:^|[^a-z])lei(?:[^a-z]|$)(?!cik)/i,
  SEC: /(?:^|[^a-z])(?:sec|edgar)(?:[^a-z]|$)/i,
  'Companies House': /compan(?:y|ies)\W?_?house/i,
} as const

interface Field {
  readonly field: string
  /** Reads the values in the record. */
  readonly read: (record: EntityRecord) => readonly (string | null)[]
  /** Its path in the basis. */
  readonly path: RegExp | null
}

/** Fields that are measured. */
const fields: readonly Field[] = [
  { field: 'description', read: ({ description }) => [description], path: /^description$/ },
  // The basis has the fields of a job result, which has no founding date.
  { field: 'founding date', read: ({ attributes }) => [attributes.founding_date], path: null },
  {
    field: 'industry',
    read: ({ industry }) =>
      Object.values(industry.schemes).flatMap((codes = []) => codes.map(({ code }) => code)),
    path: /^industry\.schemes\.\w+\.0\.code$/,
  },
  {
    field: 'NAICS 2022',
    read: ({ industry }) => (industry.schemes.naics_2022 ?? []).map(({ code }) => code),
    path: /^industry\.schemes\.naics_2022\.0\.code$/,
  },
  // Labels of industries without a code; the basis has no classification either.
  { field: 'business tags', read: ({ classification }) => classification.business_tags, path: null },
  { field: 'website', read: ({ website }) => [website], path: /^website$/ },
  { field: 'status', read: ({ status }) => [status], path: /^status$/ },
]

interface FieldCount extends Field {
  stated: number
  filled: number
  /** Filled and stated fields whose company was answered with a basis, and those that have a citation. */
  asked: number
  cited: number
  /** Stated, but not filled: ids. */
  readonly missed: string[]
  /** Filled, but not with a value that a source states. */
  readonly invented: string[]
}

/** Reads the record of each company and its basis over HTTP, and compares them with the statements. */
async function measureFields(
  database: Sqlite,
  drawn: readonly DrawnCompany[],
  get: Get,
): Promise<FieldCount[]> {
  const counts = fields.map((field): FieldCount => ({
    ...field,
    stated: 0,
    filled: 0,
    asked: 0,
    cited: 0,
    missed: [],
    invented: [],
  }))
  const concordance = readConcordance()
  for (const { id, number, query } of drawn) {
    const stated = readStated(database, number, concordance)
    const record = await readRecord(get, id)
    const basis = await readBasis(get, id, query)
    for (const count of counts) {
      const { path } = count
      const known = stated.get(count.field) ?? []
      const filled = count.read(record).filter((value) => value !== null)
      if (known.length > 0) count.stated++
      if (known.length > 0 && filled.length > 0) count.filled++
      if (known.length > 0 && filled.length === 0) count.missed.push(id)
      for (const value of filled) if (!known.includes(value)) count.invented.push(`${id} "${value}"`)
      if (filled.length === 0 || basis === null || path === null) continue
      count.asked++
      if (basis.some(({ field, citations }) => path.test(field) && citations.length > 0)) count.cited++
    }
  }
  return counts
}

async function readRecord(get: Get, id: string): Promise<EntityRecord> {
  for (;;) {
    const { entity, enrichment } = (await get(`/v3/entities/${id}`)).body as EntityReply
    if (entity !== null && enrichment?.status === 'complete') return entity
    await sleep(20)
  }
}

/** Resolves the company by its identifier. `null` if another answer is given: funds are only candidates. */
async function readBasis(get: Get, id: string, query: string): Promise<readonly BasisEntry[] | null> {
  const { data } = (await finishRun(get, query)).reply as {
    data?: { entity: { id: string } | null; basis?: readonly BasisEntry[] } | null
  }
  return data?.entity?.id === id ? (data.basis ?? []) : null
}

/** Measures `count` random companies of each register. */
export async function* measureRegisters(database: Sqlite, get: Get, seed: number, count: number) {
  const names = database.prepare<[], { name: string }>('SELECT name FROM sources').all()
  for (const [register, pattern] of Object.entries(registers)) {
    const sources = names.map(({ name }) => name).filter((name) => pattern.test(name))
    const { all, drawn } = drawCompanies(database, sources, seed, count)
    const counts = await measureFields(database, drawn, get)
    yield { register, sources, all, drawn: drawn.length, counts }
  }
}

interface Deps {
  readonly registryPath: string | null
  readonly seed: number
}

/** The fields of 200 random companies of each register, as `enrich serve` answers, against the rows of the registry. */
export async function reportFields(say: Say, { registryPath, seed }: Deps): Promise<void> {
  if (registryPath === null) {
    say('  skipped: pass --registry FILE')
    return
  }
  const path = resolve(registryPath)
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-fields-'))
  const database = new (loadDriver())(path, { readonly: true })
  const served = await serve(folder, ['--registry', path])
  try {
    const measured = measureRegisters(database, connectTo(served.url), seed, 200)
    for await (const { register, sources, all, drawn, counts } of measured) {
      say(`  ${register} (${sources.join(', ')}): ${drawn} of ${grouped(all)} companies`)
      for (const count of counts) say(formatCount(count))
    }
  } finally {
    await served.stop()
    database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function formatCount({ field, path, stated, filled, asked, cited, missed, invented }: FieldCount): string {
  const share = stated === 0 ? '' : ` (${((100 * filled) / stated).toFixed(1)} %)`
  const citations = path === null ? '' : `, cited ${cited} of ${asked}`
  const figures = `stated ${stated}, filled ${filled}${share}, not stated ${invented.length}${citations}`
  const cases = [
    ...missed.slice(0, 5).map((id) => `\n      not filled: ${id}`),
    ...invented.map((text) => `\n      not stated: ${text}`),
  ]
  return `    ${field.padEnd(14)}${figures}${cases.join('')}`
}
