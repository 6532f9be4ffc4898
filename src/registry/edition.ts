import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../core/errors.js'
import { closeNumber, toCompanyNumber } from '../core/numbers/national-numbers.js'
import type { StatedIdentifier } from '../core/numbers/stated-identifiers.js'
import type { Sqlite } from '../platform/sqlite.js'
import { packageFolder } from '../platform/native-package.js'
import { derivationVersion } from './model/registry-rows.js'

export interface SourceRow {
  readonly name: string
  readonly format: string
  readonly coverage: 'whole' | 'part'
  readonly settings_json: string
  readonly file_sha256: string
  /** SHA-256 of the source's older whole files that added something, separated by commas; `null` without any. */
  readonly before: string | null
  readonly derivation: number
  readonly row_count: number
  /** Rows of its largest file. The newest one may have changes only. */
  readonly largest_count: number
  readonly rejected_count: number
  readonly imported_at: string
}

export function readSources(database: Sqlite): SourceRow[] {
  return database
    .prepare<[], SourceRow>(
      `SELECT s.*, (SELECT group_concat(f.file_sha256) FROM (SELECT DISTINCT o.file_date, o.file_sha256
           FROM source_files o WHERE o.source_number = s.number AND s.coverage = 'whole'
             AND o.import_sequence <> s.import_sequence AND o.derivation > 0 ORDER BY o.file_date, o.file_sha256) f) AS before,
         (SELECT max(o.row_count) FROM source_files o WHERE o.source_number = s.number) AS largest_count
       FROM sources s ORDER BY s.import_sequence`,
    )
    .all()
}

/** Computes the edition. An import depends only on these values and on the order of imports. */
export function computeEdition(
  sources: readonly Pick<SourceRow, 'file_sha256' | 'settings_json' | 'derivation' | 'before'>[],
): string {
  const content = sources.map(({ file_sha256, settings_json, derivation, before }) => [
    file_sha256,
    settings_json,
    derivation,
    // Names and companies of older files can still be found.
    ...(before === null ? [] : [before]),
  ])
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}

type Settings = Readonly<Record<string, unknown>>

/** A partial file adds to previous imports, so the edition depends on all of them. */
export function buildSettings(
  database: Sqlite,
  source: Pick<SourceRow, 'coverage'> & { readonly sourceName: string; readonly settings: Settings },
): Settings {
  if (source.coverage === 'whole') return source.settings
  const before = database
    .prepare<[string], { file_sha256: string; settings_json: string }>(
      'SELECT file_sha256, settings_json FROM sources WHERE name = ?',
    )
    .get(source.sourceName)
  if (before === undefined) return source.settings
  const content = before.file_sha256 + before.settings_json
  return { ...source.settings, before: createHash('sha256').update(content).digest('hex') }
}

export const shippedPath = fileURLToPath(new URL('fixtures/registry/companies.csv', packageFolder))

/** Options with which the shipped file is imported. */
export const shippedSettings = { idType: 'id' } as const

/** Reads the file of the small registry that ships with the package. Errors: REGISTRY_NOT_FOUND. */
export function readShippedFile(): Buffer {
  if (existsSync(shippedPath)) return readFileSync(shippedPath)
  throw new UserError(
    'REGISTRY_NOT_FOUND',
    'the registry that ships with enrich is missing from this installation',
    { hint: 'reinstall the package, or pass your own registry with --registry' },
  )
}

/** Returns the edition of the shipped registry. Errors: REGISTRY_NOT_FOUND. */
export function getShippedEdition(): string {
  return computeEdition([
    {
      file_sha256: createHash('sha256').update(readShippedFile()).digest('hex'),
      settings_json: JSON.stringify(shippedSettings),
      derivation: derivationVersion,
      before: null,
    },
  ])
}

/**
 * Reads the edition of a registry without opening all of it. It changes with the content, and equal content has an equal
 * edition on every machine. `path`: `null` for the demo registry. Throws REGISTRY_NOT_FOUND, _INVALID and _EMPTY.
 *
 *     const edition = await readEdition('registry.sqlite')
 */
export async function readEdition(path: string | null): Promise<string> {
  if (path === null) return getShippedEdition()
  const { openStore, requireCompanies } = await import('./store/open-store.js')
  const database = openStore(path, 'readonly')
  try {
    requireCompanies(database, path)
    return computeEdition(readSources(database))
  } finally {
    database.close()
  }
}

/** A loaded register that lists the companies with identifiers of a kind and form: one that it lacks is doubtful. */
export interface WholeRegister {
  readonly name: string
  readonly kind: GivenIdentifiers['kind']
  /** `gb`, `us_co`; `null` for identifiers of all countries. */
  readonly place: string | null
  readonly numbers: RegExp
}

/** Least part of the documented rows. A number that a smaller part lacks may be in the rest. */
const wholeShareMin = 0.5

/** Whether `rows` are enough for a whole register. `documented`: rows of the whole register. */
export const isWholeRegister = (rows: number, documented: number): boolean =>
  rows >= documented * wholeShareMin

/** Lists the registers of which a whole edition is loaded. */
export function listWholeRegisters(database: Sqlite): WholeRegister[] {
  const read = database.prepare<[], { settings: string; rows: number }>(
    `SELECT s.settings_json ->> '$.gives' AS settings, sum(f.row_count) AS rows FROM sources s
     JOIN (SELECT source_number, max(row_count) AS row_count FROM source_files GROUP BY source_number) f
       ON f.source_number = s.number
     WHERE s.settings_json ->> '$.gives' IS NOT NULL AND s.settings_json ->> '$.countries' IS NULL GROUP BY 1`,
  )
  return read.all().flatMap(({ settings, rows }) => {
    const { name, kind, place, numbers, rows: documented } = JSON.parse(settings) as GivenIdentifiers
    return isWholeRegister(rows, documented)
      ? [{ name, kind, place, numbers: new RegExp(numbers, 'iu') }]
      : []
  })
}

interface OwnCountry {
  readonly source: string
  readonly country: string
  /** An estimate for a large registry. */
  readonly companyCount: number
}

/** Registrations that are read: a registry of more is sampled evenly. */
const sampleMax = 20_000
/** Least share of a country in a source: a list of customers holds a few companies of many countries. */
const countryShareMin = 0.1

/** Lists the countries of the user's own registers. `known`: ids of described sources. */
export function listOwnCountries(database: Sqlite, known: ReadonlySet<string>): OwnCountry[] {
  const own = readSources(database).filter(
    ({ format, name }) => format === 'csv' || (format === 'register' && !known.has(name)),
  )
  if (own.length === 0) return []
  const last = Number(database.prepare('SELECT max(number) FROM legal_entities').pluck().get())
  const step = Math.ceil(last / sampleMax) || 1
  const counted = database.prepare<[number, number, number, number], OwnCountry>(
    `WITH RECURSIVE sample (number) AS (SELECT 1 UNION ALL SELECT number + ? FROM sample WHERE number < ?)
     SELECT source, country, held * ? AS companyCount FROM (
       SELECT s.name AS source, upper(coalesce(substr(l.jurisdiction, 1, 2), a.country_code)) AS country,
         count(*) AS held, sum(count(*)) OVER (PARTITION BY s.name) AS total
       FROM sample JOIN legal_entities l ON l.number = sample.number JOIN sources s ON s.number = l.source_number
       LEFT JOIN addresses a ON a.legal_entity_number = l.number WHERE l.removed_from_source = 0 GROUP BY 1, 2)
     WHERE country IS NOT NULL AND held >= total * ?`,
  )
  const found = counted.all(step, last, step, countryShareMin)
  return found.filter(({ source }) => own.some(({ name }) => name === source))
}

/** The identifiers that a source gives, in the settings of its import. */
export interface GivenIdentifiers {
  readonly name: string
  readonly kind: 'lei' | 'cik' | 'registration_id'
  readonly place: string | null
  /** Pattern of the identifiers. */
  readonly numbers: string
  /** Documented number of rows of the whole register. */
  readonly rows: number
}

/** True for a register with every identifier of this kind, place and form. */
export function givesAll(register: WholeRegister, { kind, value, place }: StatedIdentifier): boolean {
  if (kind !== register.kind) return false
  const number = place === null ? value : (toCompanyNumber(place.slice(0, 2).toLowerCase(), value) ?? value)
  if (!register.numbers.test(closeNumber(number))) return false
  if (register.place === null) return true
  const asked = place === null ? null : place.toLowerCase().replace('-', '_')
  return asked !== null && (asked === register.place || asked.startsWith(`${register.place}_`))
}
