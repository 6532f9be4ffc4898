import { hash } from 'node:crypto'
import { toRootDomain } from '../../core/domain-name.js'
import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import { findMixedSpelling } from '../normalize/mixed-case.js'
import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { findTownIn } from '../match/other-writings.js'
import { parseName, parseNewName, type ParsedName } from '../normalize/parsed-name.js'
import {
  derivationVersion,
  type NameKind,
  type RegistryRow,
  type RowIdentifier,
  type RowName,
} from '../model/registry-rows.js'
import { deriveId } from '../model/identifiers.js'
import type { Sqlite } from '../../platform/sqlite.js'

/** Columns of `legal_entities` that are written for a row, in the order of `listRegistrationValues`. */
export const registrationColumns = [
  'source_number',
  'packed_key',
  'source_line',
  'import_sequence',
  'legal_name',
  'other_display_name',
  'packed_type',
  'packed_subtype',
  'packed_status',
  'legal_form',
  'jurisdiction',
  'packed_authority',
  'website',
  'domain',
  'sic',
  'naics',
  'industry_codes',
  'formed_on',
  'parent_key',
  'successor_key',
  'source_url',
  'identifiers_omitted',
  'content_hash',
  'packed_stated_on',
  'packed_named_on',
] as const

/** A stored value. SQLite keeps the type of a value in packed columns, and a number would be a float. */
type Stored = string | number | bigint | null

/** Returns a function that stores frequent texts as numbers. SQLite keeps 0 and 1 in no bytes of their own. */
const packTexts =
  (numbers: Readonly<Record<string, bigint>>) =>
  (text: string): string | bigint =>
    numbers[text] ?? text

const packType = packTexts({ business: 1n })
const packSubtype = packTexts({ incorporated_entity: 1n })
const packStatus = packTexts({ active: 1n, inactive: 0n })
export const packNameKind = packTexts({ legal: 1n, other: 0n })
export const packIdentifierType = packTexts({ registration_id: 1n, lei: 0n })

const packAuthority = (text: string): string | bigint =>
  /^RA\d{6}$/.test(text) ? BigInt(text.slice(2)) : text

const commonPrefix = 'registration_id:'
const packKey = (key: string): string =>
  key.startsWith(commonPrefix) ? `#${key.slice(commonPrefix.length)}` : key

let lastInstant: { text: string; packed: string | bigint } = { text: '', packed: '' }

/** Packs an instant as milliseconds; any other text stays. Most rows of an import have the same one. */
export function packInstant(text: string): string | bigint {
  if (text === lastInstant.text) return lastInstant.packed
  const ms = Date.parse(text)
  const isExact = !Number.isNaN(ms) && new Date(ms).toISOString() === text
  lastInstant = { text, packed: isExact ? BigInt(ms) : text }
  return lastInstant.packed
}

/** The key of a registration, or with `siq_` of a company, by its id; SQL. */
export const toKeySql = (id: string, prefix: 'le_' | 'siq_' = 'le_'): string =>
  `unhex(substr(${id}, ${prefix.length + 1}))`

/** SQL for a value of a column that is written for a row. */
export const toPlaceholder = (column: (typeof registrationColumns)[number]): string =>
  column === 'content_hash' ? 'unhex(?)' : '?'

/** The key by which numbers of registers are found, in any spelling; SQL. */
export const toNumberKey = (text: string): string =>
  `ltrim(replace(replace(replace(replace(${text}, ' ', ''), '-', ''), '.', ''), '/', ''), '0')`

/** Text of a date that is stored as milliseconds, or unchanged; SQL. */
export const unpackInstant = (column: string): string =>
  `CASE typeof(${column}) WHEN 'integer' THEN strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000, 'unixepoch')
      || printf('.%03dZ', ${column} % 1000) ELSE ${column} END`

/** The import of rows. */
export interface ImportOrigin {
  readonly sourceNumber: number
  /** Negative for an older file, so that it never counts as the newest. */
  readonly importSequence: number
  /** ISO 8601. */
  readonly fileDate: string
  /** `whole`: registrations missing from the source's newest file are removed from it. */
  readonly isWhole: boolean
  /** Sequence of the import of the source's newest file: this one, unless another file is newer. */
  readonly newestSequence: number
}

/** The import of a row. */
export interface RowOrigin {
  readonly sourceNumber: number
  readonly importSequence: number
  /** Date of the statement: ISO 8601, a day or an instant. */
  readonly statedOn: string
  /** Date from which the source states the name. */
  readonly namedOn: string
}

/**
 * Lists the values of a registration in the order of its columns. `parsedNames`: the parsed names of the row, in the
 * same order.
 */
export function listRegistrationValues(
  row: RegistryRow,
  parsedNames: readonly StoredName[],
  { sourceNumber, importSequence, statedOn, namedOn }: RowOrigin,
  contentHash: string,
): Stored[] {
  const displayName = chooseDisplayName(row, parsedNames)
  return [
    sourceNumber,
    packKey(row.sourceKey),
    row.sourceLine,
    importSequence,
    row.legalName,
    displayName === row.legalName ? null : displayName,
    packType(row.type),
    packSubtype(row.subtype),
    row.status === null ? null : packStatus(row.status),
    row.legalForm,
    row.jurisdiction,
    row.registrationAuthority === null ? null : packAuthority(row.registrationAuthority),
    row.website,
    row.website === null ? null : toRootDomain(row.website),
    row.sic,
    row.naics,
    row.industryCodes,
    row.formedOn,
    row.parentKey,
    row.successorKey,
    row.sourceUrl,
    row.identifiersOmitted ?? 0,
    contentHash,
    packInstant(statedOn),
    packInstant(namedOn),
  ]
}

/** The parts of a parsed name that the registry stores. */
export type StoredName = Pick<ParsedName, 'tokens' | 'coreKey' | 'fullKey' | 'formClass' | 'acronym'>

/** Values that depend on one row only. `parsedNames`: in the order of its names. */
export interface DerivedRow {
  readonly id: string
  readonly companyId: string
  readonly contentHash: string
  readonly parsedNames: readonly StoredName[]
}

export function deriveRow(row: RegistryRow): DerivedRow {
  return {
    id: deriveId('le_', row.sourceKey),
    companyId: deriveId('siq_', row.sourceKey),
    contentHash: computeContentHash(row),
    parsedNames: parseNames(row),
  }
}

/** Parsed once for the columns and the index. */
export const parseNames = ({ names, address, jurisdiction }: RegistryRow): StoredName[] =>
  names.map(({ name }) => {
    const country = jurisdiction?.slice(0, 2).toUpperCase() ?? address.countryCode
    const town = address.city === null ? null : findTownIn(name, address.city, country ?? '')
    const { tokens, coreKey, fullKey, formClass, acronym } = parseNewName(name, { town, country })
    return { tokens, coreKey, fullKey, formClass, acronym }
  })

/** Computes a hash, in hexadecimal digits, that is equal for rows with equal facts, regardless of their line. */
export function computeContentHash(row: RegistryRow): string {
  const facts: unknown[] = Object.values(row)
  facts[facts.indexOf(row.sourceLine)] = derivationVersion
  return hash('sha1', JSON.stringify(facts), 'hex').slice(0, contentHashDigits)
}

const contentHashDigits = 16

/**
 * Prefers a shorter name in use that has only words or the initials of the registered name, then the spelling of
 * another name in use if the registered name has no small letter.
 */
function chooseDisplayName(
  { names, legalName, mixedName }: RegistryRow,
  parsedNames: readonly StoredName[],
): string {
  if (names.length < 2) return mixedName ?? legalName
  const registered = parsedNames[names.findIndex(({ name }) => name === legalName)] ?? parseName(legalName)
  const isBrand = ({ kind, name }: RowName, index: number) => {
    const parsed = parsedNames[index]
    return (
      kind === 'other' &&
      mayBeBrand(name, legalName) &&
      parsed !== undefined &&
      isBrandName(parsed, registered)
    )
  }
  return (
    names.find(isBrand)?.name ?? mixedName ?? findMixedSpelling(legalName, names, hasSameLetters) ?? legalName
  )
}

function mayBeBrand(name: string, legalName: string): boolean {
  return name.length < legalName.length && (name.length <= 5 || name !== name.toUpperCase())
}

/** Initials that are a word say nothing of the company: "MON". */
const everydayWords = new Set(wordTables.everyday.join(' ').split(' '))

function isBrandName(brand: StoredName, registered: StoredName): boolean {
  if (brand.tokens.length === 0) return false
  if (brand.coreKey === registered.acronym) return !everydayWords.has(brand.coreKey)
  return brand.tokens.every((token) => registered.tokens.includes(token))
}

interface NameColumns {
  kind: NameKind
  name: string
  ended_on: string | null
  ended_source: string | null
}

/** Reads the names of a registration; `stated`: without names of older files. */
export function createNameReader(
  database: Sqlite,
  which: 'all' | 'stated',
): (legalEntityNumber: number) => RowName[] {
  const names = database.prepare<[number], NameColumns>(
    `SELECT kind, name, ended_on, ended_source FROM names
     WHERE legal_entity_number = ?${which === 'stated' ? ' AND ended_source IS NULL' : ''} ORDER BY number`,
  )
  return (legalEntityNumber) =>
    names.all(legalEntityNumber).map(({ kind, name, ended_on, ended_source }) => ({
      kind,
      name,
      ...(ended_on === null ? {} : { endedOn: ended_on }),
      ...(ended_source === null ? {} : { endedSource: ended_source }),
    }))
}

interface IdentifierRow {
  type: RowIdentifier['type']
  value: string
  jurisdiction: string
  exchange: string | null
}

/** Reads the identifiers of a registration, in the order of its sources. */
export function createIdentifierReader(database: Sqlite): (legalEntityNumber: number) => RowIdentifier[] {
  const identifiers = database.prepare<[number], IdentifierRow>(
    `SELECT type, value, jurisdiction, exchange FROM identifiers WHERE legal_entity_number = ? ORDER BY position`,
  )
  return (legalEntityNumber) =>
    identifiers.all(legalEntityNumber).map(({ type, value, jurisdiction, exchange }) => ({
      type,
      value,
      jurisdiction: jurisdiction === '' ? null : jurisdiction,
      ...(exchange === null ? {} : { exchange }),
    }))
}

/** A register that named a registration, and whose newest files do not. */
export interface LeftRegister {
  readonly sourceName: string
  /** Format of the register's files, or the source of a list of the user: parts of a register are one. */
  readonly register: string
  /** Day of the last file that named the registration. */
  readonly lastOn: string
  /** JSON list of the countries whose companies are kept of the register now; `null` for all. */
  readonly countries: string | null
}

const registerSql = (source: string) =>
  `CASE ${source}.format WHEN 'csv' THEN 'csv ' || ${source}.name ELSE ${source}.format END`

/** The registers of a registration. */
export interface RegisterMembership {
  readonly left: readonly LeftRegister[]
  /** Registers whose newest files name it. */
  readonly listPresent: () => readonly string[]
  /** JSON list of the countries whose companies are kept of the registration's own source; `null` for all. */
  readonly readCountries: () => string | null
}
/**
 * Reads which registers name a registration and which no longer do. A register that is published in parts has left it
 * once the newer edition of every part is loaded: companies move between parts.
 */
export function createMembershipReader(database: Sqlite): (registrationId: string) => RegisterMembership {
  const left = database.prepare<{ id: string }, LeftRegister>(
    `SELECT n.* FROM (
       SELECT s.name AS sourceName, ${registerSql('s')} AS register, max(n.lastOn) AS lastOn,
         s.settings_json ->> '$.countries' AS countries
       FROM (SELECT source_number, last_on AS lastOn FROM stated_names WHERE registration_id = @id
         UNION ALL SELECT source_number, stated_on FROM legal_entities WHERE key = ${toKeySql('@id')} AND removed_from_source = 1) n
       JOIN sources s ON s.number = n.source_number WHERE s.coverage = 'whole' GROUP BY register) n
     WHERE NOT EXISTS
       (SELECT 1 FROM sources o WHERE ${registerSql('o')} = n.register AND o.file_date <= n.lastOn)
     ORDER BY n.register`,
  )
  const present = database
    .prepare<{ id: string }, string>(
      `SELECT ${registerSql('s')} FROM sources s WHERE s.number IN (
         SELECT source_number FROM claims WHERE registration_id = @id AND row_json ->> '$.legalName' IS NOT NULL
         UNION ALL SELECT source_number FROM legal_entities WHERE key = ${toKeySql('@id')} AND removed_from_source = 0)`,
    )
    .pluck()
  const countries = database
    .prepare<{ id: string }, string | null>(
      `SELECT s.settings_json ->> '$.countries' FROM legal_entities l JOIN sources s ON s.number = l.source_number
       WHERE l.key = ${toKeySql('@id')}`,
    )
    .pluck()
  return (registrationId) => {
    const id = { id: registrationId }
    const readCountries = () => countries.get(id) ?? null
    return { left: left.all(id), listPresent: () => present.all(id), readCountries }
  }
}

/** Number of known facts of a registration `l` with the address `a`; -1 for a predecessor or a branch. */
export const factCount = `CASE WHEN l.successor_key IS NOT NULL OR EXISTS (SELECT 1 FROM relationships r
    WHERE r.child_number = l.number AND r.type = 'IS_INTERNATIONAL_BRANCH_OF' AND r.to_date IS NULL) THEN -1
  ELSE (a.street_address IS NOT NULL OR a.formatted_address IS NOT NULL) + (a.city IS NOT NULL)
    + (a.postal_code IS NOT NULL) + (a.country_code IS NOT NULL) + (l.jurisdiction IS NOT NULL)
    + (l.legal_form IS NOT NULL) + (l.registration_authority IS NOT NULL) + (l.status IS NOT NULL)
    + EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = l.number AND i.type = 'lei') END`

/** Whether EDGAR may have added a suffix to the name of a registration. */
export const isRegistrant = (registration: string) =>
  `(${registration}.display_name GLOB '*[/\\]*' AND EXISTS (SELECT 1 FROM identifiers i
     WHERE i.legal_entity_number = ${registration}.number AND i.type IN ('cik', 'sec_cik')))`
