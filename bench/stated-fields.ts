import { readFileSync } from 'node:fs'
import type { Sqlite } from '../src/platform/sqlite.js'
import { Chance } from '../test/simulation/chance.js'

/** The statements of the sources in a registry, read by SQL of its own and not by the code that answers. */

export interface DrawnCompany {
  readonly id: string
  readonly number: number
  /** Text that names it by an identifier: `LEI …`. */
  readonly query: string
}

/** Draws companies that present registrations of these sources state. */
export function drawCompanies(database: Sqlite, sources: readonly string[], seed: number, count: number) {
  const all = database
    .prepare<[string, string], DrawnCompany>(
      `SELECT DISTINCT e.id, e.number, (
         SELECT CASE i.type WHEN 'lei' THEN 'LEI ' WHEN 'cik' THEN 'CIK ' ELSE 'company number GB ' END || i.value
         FROM identifiers i JOIN legal_entities o ON o.number = i.legal_entity_number
         WHERE o.entity_number = e.number AND (i.type IN ('lei', 'cik')
           OR (i.type = 'registration_id' AND i.jurisdiction LIKE 'gb%')) ORDER BY i.type, i.value LIMIT 1) AS query
       FROM entities e JOIN legal_entities l ON l.entity_number = e.number AND l.removed_from_source = 0
       WHERE e.merged_into IS NULL AND query IS NOT NULL AND EXISTS (
         SELECT 1 FROM sources s WHERE s.name IN (SELECT value FROM json_each(?)) AND s.number = l.source_number
         UNION ALL SELECT 1 FROM sources s JOIN claims c ON c.source_number = s.number
         WHERE c.registration_id = l.id AND s.name IN (SELECT value FROM json_each(?))) ORDER BY e.id`,
    )
    .all(JSON.stringify(sources), JSON.stringify(sources))
  const chance = new Chance(seed)
  const order = all.map((company) => ({ company, at: chance.fraction() })).sort((a, b) => a.at - b.at)
  return { all: all.length, drawn: order.slice(0, count).map(({ company }) => company) }
}

interface StatedRow {
  readonly description: string | null
  readonly founded_on: string | null
  readonly sic: string | null
  readonly naics: string | null
  readonly industry_codes: string | null
  /** A list in JSON. */
  readonly industries: string | null
  readonly website: string | null
  readonly status: string | null
}

/** The rows of present registrations, and the statement of each source that was kept. */
const selectStated = `
  SELECT NULL AS description, l.formed_on AS founded_on, l.sic, l.naics, l.industry_codes, NULL AS industries, l.website, l.status
  FROM legal_entities l WHERE l.entity_number = @number AND l.removed_from_source = 0
  UNION ALL SELECT row_json ->> '$.profile.description', coalesce(row_json ->> '$.formedOn', row_json ->> '$.profile.foundedOn'),
    row_json ->> '$.sic', row_json ->> '$.naics', row_json ->> '$.industryCodes',
    row_json ->> '$.profile.industries', row_json ->> '$.website', row_json ->> '$.status'
  FROM claims c JOIN legal_entities l ON l.id = c.registration_id
  WHERE l.entity_number = @number AND l.removed_from_source = 0
  UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'active' FROM identifiers i
  JOIN legal_entities l ON l.number = i.legal_entity_number
  WHERE l.entity_number = @number AND l.removed_from_source = 0 AND i.exchange IS NOT NULL`

/** NAICS codes by codes of other schemes, as the files of reference have them. */
export function readConcordance(): ReadonlyMap<string, string> {
  const read = (file: string) =>
    readFileSync(new URL(`../src/registry/reference/${file}`, import.meta.url), 'utf8')
  const american = [...read('sic.json').matchAll(/\b(\d{4}) (\d{2,6})(?=[,"])/g)]
  const british = [...read('uk-sic.json').matchAll(/"(\d{5})": "(\d{2,6}) /g)]
  return new Map([...american, ...british].map(([, from = '', naics = '']) => [from, naics]))
}

/** Codes of companies that do not trade. */
const noTrade = ['74990', '99999']

/** Reads the values that sources state of a company, by field. */
export function readStated(database: Sqlite, number: number, concordance: ReadonlyMap<string, string>) {
  const rows = database.prepare<[{ number: number }], StatedRow>(selectStated).all({ number })
  const list = (name: keyof StatedRow) => rows.map((row) => row[name]).filter((value) => value !== null)
  const other = [...list('sic'), ...list('industry_codes').flatMap((codes) => codes.split(/[: ]/).slice(1))]
  const codes = other.filter((code) => !noTrade.includes(code))
  const naics = [...list('naics'), ...codes.flatMap((code) => concordance.get(code) ?? [])]
  return new Map([
    ['description', list('description')],
    ['founding date', list('founded_on')],
    ['industry', [...codes, ...naics]],
    ['NAICS 2022', naics],
    ['business tags', list('industries').flatMap((labels) => JSON.parse(labels) as string[])],
    ['website', list('website')],
    ['status', list('status')],
  ])
}
