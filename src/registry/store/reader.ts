import type { Sqlite } from '../../platform/sqlite.js'
import type { EntitySubtype, EntityType, IdentifierType } from '../../contract/enums.js'
import type { RowAddress, RowIdentifier, RowName, StatedRow } from '../model/registry-rows.js'
import { toStoredKey } from '../model/identifiers.js'
import { formatDisplayName } from '../normalize/mixed-case.js'
import { creditedName, selectParent } from './relationships.js'
import { putRichestFirst, sortClaims } from '../linkage/survivorship.js'
import {
  createIdentifierReader,
  createMembershipReader,
  createNameReader,
  factCount,
  isRegistrant,
  type RegisterMembership,
} from './registration-columns.js'

/** A stored registration with its origin. */
export interface StoredLegalEntity {
  readonly number: number
  readonly id: string
  readonly legalName: string
  /** Name in use as stated. */
  readonly nameInUse: string
  /** Name in use as people write it: with small letters, without EDGAR's additions to names of registrants. */
  readonly displayName: string
  readonly type: EntityType
  readonly subtype: EntitySubtype
  readonly status: string | null
  readonly legalForm: string | null
  /** Abbreviations, then name of the form, if an imported list has its code. */
  readonly listedForm: readonly string[]
  readonly jurisdiction: string | null
  readonly registrationAuthority: string | null
  /** The authority's entry in an imported list. */
  readonly listedAuthority: ListedAuthority | null
  readonly website: string | null
  readonly sic: string | null
  readonly naics: string | null
  /** Codes of other schemes, as `scheme:code code`. */
  readonly industryCodes: string | null
  readonly formedOn: string | null
  /** Display name of the parent. */
  readonly parentName: string | null
  readonly sourceUrl: string | null
  readonly sourceKey: string
  readonly sourceName: string
  /** Format of the source's import. */
  readonly sourceFormat: string
  readonly sourceLine: number
  /** Date of the newest file with the registration. */
  readonly sourceDate: string
  /** Missing in the newest file of the source. */
  readonly removedFromSource: boolean
  /** Exchange of its shares; `null` if not stated. */
  readonly exchange: string | null
  /** Number of known facts; -1 for a predecessor or a branch. */
  readonly factCount: number
  /** Number of stated identifiers that are not kept. */
  readonly identifiersOmitted: number
  readonly names: readonly RowName[]
  readonly identifiers: readonly ListedIdentifier[]
  /** Root domains from lists of domains; that of `website` may be missing. */
  readonly domains: readonly string[]
  readonly address: RowAddress
  /** Reads what each source states about the registration, in the order of precedence. */
  readonly readStatements: () => readonly Statement[]
  /** Reads which registers name the registration, and which no longer do. */
  readonly readMembership: () => RegisterMembership
  /** Reads the origin of `parentName`; `null` if there is no parent. */
  readonly readParentOrigin: () => ParentOrigin | null
}

/** The facts of a registration as one source states them. */
export interface Statement {
  readonly format: string
  readonly sourceName: string
  /** Date of the source's newest file. */
  readonly fileDate: string
  readonly row: StatedFacts
}

type StatedFacts = Omit<StatedRow, 'parentKey' | 'successorKey'>

interface ParentOrigin {
  /** The parent's name in use as stated. */
  readonly nameInUse: string
  readonly sourceName: string
  readonly fileDate: string
  readonly url: string | null
}

type ListedIdentifier = RowIdentifier & { readonly type: IdentifierType }

interface ListedAuthority {
  readonly name: string | null
  readonly organization: string | null
  readonly jurisdiction: string | null
  readonly countryCode: string | null
  readonly website: string | null
}

interface ListedForm {
  readonly name: string
  /** Separated by semicolons. */
  readonly abbreviations: string | null
}

/** A registration without its lists, which take as long to read as everything else. */
export type RegistrationOutline = Omit<
  StoredLegalEntity,
  'names' | 'identifiers' | 'domains' | 'readStatements' | 'readMembership' | 'readParentOrigin'
>

/**
 * A company with its registrations: present before removed or succeeded, home before branches, oldest first, except that
 * the one with the most facts comes first (`putRichestFirst`).
 */
export interface StoredEntity<Registration = StoredLegalEntity> {
  readonly id: string
  readonly mergedInto: string | null
  readonly legalEntities: readonly [Registration, ...Registration[]]
}

export interface StoreReader {
  outlineByNumber(number: number): StoredEntity<RegistrationOutline> | null
  entityById(id: string): StoredEntity | null
  entityByNumber(number: number): StoredEntity | null
  entityNumber(id: string): number | null
  /** Follows merges of an id to the last one; `null` if the id was not merged. */
  findMergeTarget(id: string): string | null
}

/** As a list: SQLite makes objects of more than twelve columns slowly. */
type OutlineRow = readonly [
  number: number,
  id: string,
  legalName: string,
  nameInUse: string,
  type: EntityType,
  subtype: EntitySubtype,
  status: string | null,
  legalForm: string | null,
  jurisdiction: string | null,
  registrationAuthority: string | null,
  website: string | null,
  sic: string | null,
  naics: string | null,
  industryCodes: string | null,
  formedOn: string | null,
  sourceUrl: string | null,
  sourceKey: string,
  sourceLine: number,
  removedFromSource: number,
  identifiersOmitted: number,
  sourceName: string,
  sourceFormat: string,
  sourceDate: string,
  street: string | null,
  streetNumber: string | null,
  subPremise: string | null,
  city: string | null,
  region: string | null,
  postalCode: string | null,
  countryCode: string | null,
  formatted: string | null,
  exchange: string | null,
  isRegistrant: number,
  parentNameInUse: string | null,
  parentLegalName: string | null,
  isParentRegistrant: number,
  authorityJson: string | null,
  formJson: string | null,
  factCount: number,
]

/** Limit for chains of merges. Each merge leads to an older company, so there are no loops. */
const mergeHopsMax = 1_000
const registrationsMax = 50

export function createStoreReader(database: Sqlite): StoreReader {
  const select = 'SELECT number, id, merged_into FROM entities WHERE'
  const byKey = database.prepare<[Buffer], EntityRow>(`${select} key = ?`)
  const findById = (id: string) => byKey.get(toStoredKey('siq_', id))
  const byNumber = database.prepare<[number], EntityRow>(`${select} number = ?`)
  const outlines = createOutlineReader(database)
  const withLists = createListsReader(database)

  const toEntity = <Registration>(
    row: EntityRow | undefined,
    complete: (outline: RegistrationOutline) => Registration,
  ): StoredEntity<Registration> | null => {
    if (!row) return null
    const [first, ...others] = putRichestFirst(outlines(row.number)).map(complete)
    return first ? { id: row.id, mergedInto: row.merged_into, legalEntities: [first, ...others] } : null
  }
  return {
    outlineByNumber: (number) => toEntity(byNumber.get(number), (outline) => outline),
    entityById: (id) => toEntity(findById(id), withLists),
    entityByNumber: (number) => toEntity(byNumber.get(number), withLists),
    entityNumber: (id) => findById(id)?.number ?? null,
    findMergeTarget(id) {
      let target: string | null = null
      for (let hop = 0; hop < mergeHopsMax; hop++) {
        const next: string | null = findById(target ?? id)?.merged_into ?? null
        if (next === null) return target
        target = next
      }
      return null
    },
  }
}

interface EntityRow {
  number: number
  id: string
  merged_into: string | null
}

function createOutlineReader(database: Sqlite): (entityNumber: number) => RegistrationOutline[] {
  const legalEntities = database
    .prepare<[number], OutlineRow>(
      `SELECT l.number, l.id, l.legal_name, l.display_name, l.type, l.subtype, l.status, l.legal_form, l.jurisdiction,
       l.registration_authority, l.website, l.sic, l.naics, l.industry_codes, l.formed_on, l.source_url, l.source_key,
       l.source_line, l.removed_from_source, l.identifiers_omitted, ${creditedName}, s.format,
       CASE l.removed_from_source WHEN 1 THEN coalesce(l.stated_on, s.file_date) ELSE s.file_date END,
       a.street_address, a.street_number, a.sub_premise, a.city, a.region, a.postal_code, a.country_code,
       a.formatted_address,
       (SELECT i.exchange FROM identifiers i WHERE i.legal_entity_number = l.number AND i.type = 'ticker'
          AND i.exchange IS NOT NULL ORDER BY i.position LIMIT 1),
       ${isRegistrant('l')}, p.display_name, p.legal_name, ${isRegistrant('p')},
       (SELECT c.facts_json FROM listed_codes c WHERE c.scheme = 'registration_authority'
          AND c.code = l.registration_authority),
       (SELECT c.facts_json FROM listed_codes c WHERE c.scheme = 'legal_form' AND c.code = l.legal_form),
       ${factCount}
     FROM legal_entities l
     JOIN sources s ON s.number = l.source_number
     JOIN addresses a ON a.legal_entity_number = l.number
     LEFT JOIN legal_entities p ON p.number = (SELECT r.parent_number ${selectParent('l.number')})
     WHERE l.entity_number = ?
     ORDER BY l.removed_from_source, l.successor_key IS NOT NULL, EXISTS (
       SELECT 1 FROM relationships r WHERE r.child_number = l.number AND r.type = 'IS_INTERNATIONAL_BRANCH_OF'
         AND r.to_date IS NULL), l.number
     LIMIT ${registrationsMax}`,
    )
    .raw()
  return (entityNumber) => legalEntities.all(entityNumber).map(toOutline)
}

function createListsReader(database: Sqlite): (outline: RegistrationOutline) => StoredLegalEntity {
  const readNames = createNameReader(database, 'all')
  const readIdentifiers = createIdentifierReader(database)
  const readMembership = createMembershipReader(database)
  const claims = database.prepare<[string], ClaimRow>(
    `SELECT s.format, ${creditedName} AS sourceName, s.file_date AS fileDate, c.row_json FROM claims c
     JOIN sources s ON s.number = c.source_number WHERE c.registration_id = ?`,
  )
  const parent = database.prepare<[number], ParentOrigin>(
    `SELECT p.display_name AS nameInUse, ${creditedName} AS sourceName, s.file_date AS fileDate, r.source_url AS url
     ${selectParent('?')}`,
  )
  return (outline) => {
    let statements: readonly Statement[] | null = null
    // Its lists are added to the outline itself, because copying that many facts takes as long as reading them.
    const registration: StoredLegalEntity = Object.assign(outline, {
      names: readNames(outline.number),
      ...splitDomains(readIdentifiers(outline.number)),
      readStatements: () => (statements ??= listStatements(registration, claims.all(outline.id))),
      readMembership: () => readMembership(outline.id),
      readParentOrigin: () => parent.get(outline.number) ?? null,
    })
    return registration
  }
}

interface ClaimRow extends Omit<Statement, 'row'> {
  row_json: string
}

/** If the source of a registration has no claim, the row of the registration is its statement. */
function listStatements(
  registration: Omit<StoredLegalEntity, 'readStatements' | 'readMembership' | 'readParentOrigin'>,
  claims: readonly ClaimRow[],
): Statement[] {
  const { sourceFormat: format, sourceName, sourceDate: fileDate } = registration
  const stated = claims.map(({ row_json, ...source }) => ({
    ...source,
    row: JSON.parse(row_json) as StatedFacts,
  }))
  const isClaimed = stated.some((claim) => claim.sourceName === sourceName)
  return [...(isClaimed ? [] : [{ format, sourceName, fileDate, row: registration }]), ...sortClaims(stated)]
}

function toOutline(row: OutlineRow): RegistrationOutline {
  const [number, id, legalName, nameInUse, type, subtype, status, legalForm, jurisdiction, ...others] = row
  const [registrationAuthority, website, sic, naics, industryCodes, formedOn, sourceUrl, ...more] = others
  const [sourceKey, sourceLine, removed, identifiersOmitted, sourceName, sourceFormat, sourceDate, ...last] =
    more
  const [street, streetNumber, subPremise, city, region, postalCode, countryCode, formatted, ...rest] = last
  const [exchange, isRegistrant, parentNameInUse, parentLegalName, isParentRegistrant, ...listed] = rest
  const [authorityJson, formJson, facts] = listed
  return {
    number,
    id,
    legalName,
    nameInUse,
    displayName: formatDisplayName(nameInUse, legalName, isRegistrant === 1, countryCode),
    type,
    subtype,
    status,
    legalForm,
    jurisdiction,
    registrationAuthority,
    website,
    sic,
    naics,
    industryCodes,
    formedOn,
    listedForm: formJson === null ? [] : listFormSpellings(JSON.parse(formJson) as ListedForm),
    listedAuthority: authorityJson === null ? null : (JSON.parse(authorityJson) as ListedAuthority),
    parentName:
      parentNameInUse === null
        ? null
        : formatDisplayName(parentNameInUse, parentLegalName ?? '', isParentRegistrant === 1),
    sourceUrl,
    sourceKey,
    sourceName,
    sourceFormat,
    sourceLine,
    sourceDate,
    removedFromSource: removed === 1,
    exchange,
    factCount: facts,
    identifiersOmitted,
    address: { street, streetNumber, subPremise, city, region, postalCode, countryCode, formatted },
  }
}

const listFormSpellings = ({ name, abbreviations }: ListedForm): string[] => [
  ...(abbreviations?.split(';') ?? []),
  name,
]

function splitDomains(stated: readonly RowIdentifier[]): Pick<StoredLegalEntity, 'identifiers' | 'domains'> {
  const isListed = (identifier: RowIdentifier): identifier is ListedIdentifier => identifier.type !== 'domain'
  return {
    identifiers: stated.filter(isListed),
    domains: stated.filter((identifier) => !isListed(identifier)).map(({ value }) => value),
  }
}
