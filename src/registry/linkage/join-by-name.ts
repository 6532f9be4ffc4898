import type { Sqlite } from '../../platform/sqlite.js'
import {
  findVetoes,
  type WordWeight,
  compareRows,
  type Comparison,
  rivalMarginBits,
  thresholdBits,
  type Veto,
  vetoes,
} from './compare-rows.js'
import { type LinkRow, toLinkRow, type LinkIdentifier } from './link-row.js'

/** Reason for keeping a pair apart. */
type ApartReason = Veto | 'several_rows' | 'other_form' | 'below_threshold'

interface PairDecision extends Comparison {
  /** `null` for a pair of one company. */
  readonly apart: ApartReason | null
}

/**
 * Compares the registrations whose names have one core: pairs of two sources that identifiers have not joined, the
 * strongest first. Does not depend on the order of `rows`.
 */
export function decideGroup(rows: readonly LinkRow[], getWeight: WordWeight): PairDecision[] {
  const inOrder = [...rows].sort((a, b) => compareText(a.id, b.id))
  const pairs: Comparison[] = []
  for (const [index, a] of inOrder.entries()) {
    for (const b of inOrder.slice(index + 1)) {
      if (a.sourceNumber === b.sourceNumber || a.entityNumber === b.entityNumber) continue
      pairs.push(compareRows(a, b, inOrder, getWeight))
    }
  }
  return pairs
    .map((pair) => ({ ...pair, apart: findApartReason(pair, pairs) }))
    .sort((one, other) => other.bits - one.bits)
}

function findApartReason(pair: Comparison, pairs: readonly Comparison[]): ApartReason | null {
  const [veto] = pair.vetoes
  if (veto !== undefined) return veto
  if (pair.levels.name === 'other_form' && pair.bits < thresholdBits) return 'other_form'
  // An ambiguous pair may be below the threshold only because of its rival.
  const isNear = pair.bits + rivalMarginBits >= thresholdBits
  if (isNear && pairs.some((other) => isRival(pair, other))) return 'several_rows'
  return pair.bits < thresholdBits ? 'below_threshold' : null
}

/** True if `other` shares a registration with `pair`, fits nearly as well, and both cannot hold. */
function isRival(pair: Comparison, other: Comparison): boolean {
  if (other === pair || other.vetoes.length > 0 || other.bits <= pair.bits - rivalMarginBits) return false
  return [
    [pair.a, pair.b],
    [pair.b, pair.a],
  ].some(([shared, chosen]) => {
    const rival = other.a === shared ? other.b : other.b === shared ? other.a : undefined
    if (rival === undefined || chosen === undefined || rival.entityNumber === chosen.entityNumber)
      return false
    return rival.sourceNumber === chosen.sourceNumber || findVetoes(rival, chosen).length > 0
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A name of more registrations identifies none of them. */
const groupRowsMax = 40

interface KeyRow {
  number: number
  entity_number: number
  source_number: number
}

/** Number of cores that are read together. */
const pageKeys = 500

/**
 * Yields the registrations of two or more sources whose legal names have one core, in the order of the core, except
 * groups that identifiers have made one company. Reads the index of names once and only the rows of such groups; the
 * database may be written to between two groups.
 */
function* readNameGroups(
  database: Sqlite,
  readRow: (legalEntityNumber: number) => LinkRow,
): Generator<LinkRow[]> {
  if (!hasSeveralSources(database)) return
  for (const keys of readKeyGroups(database)) {
    if (keys.length > groupRowsMax || !isAcrossSources(keys)) continue
    yield keys.map(({ number }) => readRow(number))
  }
}

function isAcrossSources([first, ...others]: readonly KeyRow[]): boolean {
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

function* readKeyGroups(database: Sqlite): Generator<KeyRow[]> {
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

/** The company of a registration by identifiers alone, ignoring joins by name. */
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

/** Defaults of a source's import. */
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

/** Reads the facts of a registration that are compared, with the identifiers of its whole company. */
function createRowReader(database: Sqlite): (number: number) => LinkRow {
  const row = database.prepare<[number], StoredRow>(
    `SELECT l.number, l.id, ${companyOf} AS entity_number, l.source_number, l.legal_name, l.jurisdiction,
       coalesce(l.sic, l.naics, l.industry_codes) IS NOT NULL AS has_industry, l.formed_on, l.status, l.subtype,
       EXISTS (SELECT 1 FROM relationships r WHERE r.child_number = l.number
         AND r.type = 'IS_INTERNATIONAL_BRANCH_OF' AND r.to_date IS NULL) AS is_branch,
       coalesce(a.city_key, '') AS city_key, coalesce(a.region_code, '') AS region_code,
       coalesce(a.postal_key, '') AS postal_key, a.country_code,
       coalesce(a.street_address, '') || ' ' || coalesce(a.formatted_address, '') AS address_text
     FROM legal_entities l
     LEFT JOIN addresses a ON a.legal_entity_number = l.number
     WHERE l.number = ?`,
  )
  const sources = database
    .prepare<[], SourceDefaults>(
      `SELECT number, settings_json ->> '$.idType' AS idType,
         settings_json ->> '$.jurisdiction' AS defaultJurisdiction FROM sources`,
    )
    .all()
  const defaultsBySource = new Map(sources.map((source) => [source.number, source]))
  // A company joined by name keeps the registrations that identifiers gave it.
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
    const defaults = defaultsBySource.get(found.source_number)
    const toIdentifier = ({ legal_entity_number, ...identifier }: StoredIdentifier): LinkIdentifier => ({
      ...identifier,
      isOwn: legal_entity_number === number,
    })
    return toLinkRow({
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

/** Evidence of a join by name, stored with the merge. */
export interface NameEvidence {
  /** The two registrations, by id and name. */
  readonly registrations: readonly { readonly id: string; readonly name: string }[]
  readonly bits: number
  readonly levels: PairDecision['levels']
}

/** Reason for keeping a pair apart: its own, or a contradiction with other registrations of its companies. */
export type LinkReason = ApartReason | 'other_company'

/** The meaning of each reason, for users. */
export const apartReasons: Readonly<Record<LinkReason, string>> = {
  ...vetoes,
  several_rows: 'another row of the source fits as well',
  other_form: 'their legal forms differ',
  other_company: 'their other registrations contradict each other',
  below_threshold: `less than ${thresholdBits} bits of evidence for one company`,
}

/** A pair of registrations and its decision: `merge` if it joins two companies. */
export interface DecidedPair {
  readonly pair: PairDecision
  readonly apart: LinkReason | null
  readonly merge: { readonly entityNumber: number; readonly intoNumber: number } | null
}

/**
 * Decides all pairs of one name that identifiers leave open, the strongest of a group first. No company gets
 * contradictory registrations; the lower number is kept. Does not depend on the order of imports.
 */
export function* decidePairs(
  database: Sqlite,
  getWeight: WordWeight,
  clusters = createClusters(),
): Generator<DecidedPair> {
  const readRow = createRowReader(database)
  for (const rows of readNameGroups(database, readRow)) {
    for (const pair of decideGroup(rows, getWeight)) {
      if (pair.apart !== null) yield { pair, apart: pair.apart, merge: null }
      else yield { pair, ...clusters.join(pair, readRow) }
    }
  }
}

export function toNameEvidence({ a, b, bits, levels }: PairDecision): NameEvidence {
  return { registrations: [a, b].map(({ id, legalName }) => ({ id, name: legalName })), bits, levels }
}

export interface CompanyClusters {
  /** Returns the company that a company is part of so far. */
  findRoot(entityNumber: number): number
  join(pair: PairDecision, readRow: (legalEntityNumber: number) => LinkRow): Omit<DecidedPair, 'pair'>
}

/**
 * Creates a collection of companies with their registrations. Keeps only numbers in memory: the registrations of a
 * company are read again if another joins it.
 */
export function createClusters(): CompanyClusters {
  const parents = new Map<number, number>()
  const members = new Map<number, readonly number[]>()
  const findRoot = (entityNumber: number): number => {
    let root = entityNumber
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    return root
  }
  return {
    findRoot: findRoot,
    join({ a, b }, readRow) {
      const [rootA, rootB] = [findRoot(a.entityNumber), findRoot(b.entityNumber)]
      if (rootA === rootB) return { apart: null, merge: null }
      const [ofA, ofB] = [members.get(rootA) ?? [], members.get(rootB) ?? []]
      const [rowsA, rowsB] = [
        [a, ...ofA.map(readRow)],
        [b, ...ofB.map(readRow)],
      ]
      const isContradicted = rowsA.some((one) => rowsB.some((other) => findVetoes(one, other).length > 0))
      if (isContradicted) return { apart: 'other_company', merge: null }
      const [older, younger] = rootA < rootB ? [rootA, rootB] : [rootB, rootA]
      members.set(older, [...new Set([...ofA, ...ofB, a.number, b.number])])
      members.delete(younger)
      parents.set(younger, older)
      return { apart: null, merge: { entityNumber: younger, intoNumber: older } }
    },
  }
}
