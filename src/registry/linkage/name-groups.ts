import type { Sqlite } from '../../platform/sqlite.js'
import { linkRowOf, type HeldIdentifier, type LinkRow } from './link-row.js'

/** Names that more registrations share tell none of them. */
const groupRowsMax = 40

interface KeyRow {
  number: number
  entity_number: number
  source_number: number
}

/** Cores that are looked at together. */
const pageKeys = 500

/**
 * Registrations of two or more sources whose legal names have one core, a group at a time in the order of the
 * core, without those groups that identifiers have made one company. Reads the index of names once, and rows
 * of such groups alone; between two groups the database may be written to.
 */
export function* nameGroups(
  database: Sqlite,
  rowOf: (legalEntityNumber: number) => LinkRow,
): Generator<LinkRow[]> {
  if (!hasSeveralSources(database)) return
  for (const keys of keyGroups(database)) {
    if (keys.length > groupRowsMax || !isAcross(keys)) continue
    yield keys.map(({ number }) => rowOf(number))
  }
}

function isAcross([first, ...others]: readonly KeyRow[]): boolean {
  return (
    others.some(({ source_number }) => source_number !== first?.source_number) &&
    others.some(({ entity_number }) => entity_number !== first?.entity_number)
  )
}

function hasSeveralSources(database: Sqlite): boolean {
  const count = database
    .prepare<[], number>(
      `SELECT count(*) FROM sources s
       WHERE EXISTS (SELECT 1 FROM legal_entities l WHERE l.source_number = s.number)`,
    )
    .pluck()
    .get()
  return (count ?? 0) > 1
}

function* keyGroups(database: Sqlite): Generator<KeyRow[]> {
  const page = database
    .prepare<[string], string>(
      `SELECT core_key FROM names WHERE core_key > ? GROUP BY core_key HAVING count(*) > 1
       ORDER BY core_key LIMIT ${pageKeys}`,
    )
    .pluck()
  const rows = database.prepare<[string], KeyRow>(
    `SELECT l.number, ${companyOf} AS entity_number, l.source_number FROM names n
     JOIN legal_entities l ON l.number = n.legal_entity_number AND l.removed_from_source = 0
     WHERE n.core_key = ? AND n.kind = 'legal'`,
  )
  for (let keys = page.all(''); keys.length > 0; keys = page.all(keys.at(-1) ?? '')) {
    for (const key of keys) yield rows.all(key)
  }
}

/** The company that identifiers give a registration, whatever its name joins it to. */
export const companyOf = 'coalesce(l.joined_from_number, l.entity_number)'

interface StoredRow {
  number: number
  id: string
  entity_number: number
  source_number: number
  legal_name: string
  jurisdiction: string | null
  has_industry: number
  formed_on: string | null
  status: string | null
  subtype: string
  is_branch: number
  city_key: string
  region_code: string
  postal_key: string
  country_code: string | null
  address_text: string
}

/** What a source's import took for granted. */
interface SourceDefaults {
  number: number
  idType: string | null
  defaultJurisdiction: string | null
}

interface StoredIdentifier {
  type: string
  value: string
  jurisdiction: string
  authority: string | null
  legal_entity_number: number
}

/** Reads what is compared of a registration, with the numbers of its company's others. */
export function createRowReader(database: Sqlite): (number: number) => LinkRow {
  const row = database.prepare<[number], StoredRow>(
    `SELECT l.number, l.id, ${companyOf} AS entity_number, l.source_number, l.legal_name, l.jurisdiction,
       coalesce(l.sic, l.naics, l.industry_codes) IS NOT NULL AS has_industry, l.formed_on, l.status, l.subtype,
       EXISTS (SELECT 1 FROM relationships r WHERE r.child_number = l.number
         AND r.type = 'IS_INTERNATIONAL_BRANCH_OF' AND r.to_date IS NULL) AS is_branch,
       coalesce(a.city_key, '') AS city_key, coalesce(a.region_code, '') AS region_code,
       coalesce(a.postal_key, '') AS postal_key, a.country_code,
       coalesce(a.street_address, '') || ' ' || coalesce(a.formatted_address, '') AS address_text
     FROM legal_entities l
     LEFT JOIN addresses a ON a.legal_entity_number = l.number AND a.kind = 'headquarters'
     WHERE l.number = ?`,
  )
  const sources = database
    .prepare<[], SourceDefaults>(
      `SELECT number, settings_json ->> '$.idType' AS idType,
         settings_json ->> '$.jurisdiction' AS defaultJurisdiction FROM sources`,
    )
    .all()
  const defaultsOf = new Map(sources.map((source) => [source.number, source]))
  // A company that identifiers joined still has the registrations that they moved to it.
  const identifiers = database.prepare<[number, number], StoredIdentifier>(
    `SELECT i.type, i.value, i.jurisdiction, l.registration_authority AS authority, i.legal_entity_number
     FROM legal_entities l JOIN identifiers i ON i.legal_entity_number = l.number
     WHERE l.number IN (
         SELECT number FROM legal_entities WHERE entity_number = ? AND joined_from_number IS NULL
         UNION ALL SELECT number FROM legal_entities WHERE joined_from_number = ?)
       AND l.removed_from_source = 0`,
  )
  return (number) => {
    const found = row.get(number)
    if (found === undefined) throw new Error(`there is no registration ${number}`)
    const defaults = defaultsOf.get(found.source_number)
    const toIdentifier = ({ legal_entity_number, ...identifier }: StoredIdentifier): HeldIdentifier => ({
      ...identifier,
      isOwn: legal_entity_number === number,
    })
    return linkRowOf({
      number,
      id: found.id,
      entityNumber: found.entity_number,
      sourceNumber: found.source_number,
      legalName: found.legal_name,
      jurisdiction: found.jurisdiction,
      hasIndustry: found.has_industry === 1,
      formedOn: found.formed_on,
      status: found.status,
      subtype: found.subtype,
      isBranch: found.is_branch === 1,
      city: found.city_key,
      regionCode: found.region_code,
      postalKey: found.postal_key,
      countryCode: found.country_code,
      addressText: found.address_text,
      identifiers: identifiers.all(found.entity_number, found.entity_number).map(toIdentifier),
      idType: defaults?.idType ?? null,
      defaultJurisdiction: defaults?.defaultJurisdiction ?? null,
    })
  }
}
