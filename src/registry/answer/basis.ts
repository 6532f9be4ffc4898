import { formatCount } from '../../core/text.js'
import type { ResultEntity } from '../../contract/entity.js'
import type { BasisEntry, Citation } from '../../contract/result.js'
import { formatAddress, findStanding, getStatus } from './registration-facts.js'
import { findNaicsLabel, findSicLabel } from '../reference/industry-codes.js'
import { countOmittedIdentifiers } from './entity-record.js'
import { removeRegistrySuffix } from '../../core/registry-suffix.js'
import { recordUrls } from '../model/identifiers.js'
import type { RowName } from '../model/registry-rows.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** An identifier or website of the query, in the spelling of the registration. */
interface QueryIdentifier {
  readonly type: string
  readonly value: string
}

/**
 * Builds the provenance of every populated field (interface: "v3 job result", `basis`). Statements of a government
 * register cite its record; others cite the row of the loaded file, with lower confidence.
 */
export function buildBasis(
  entity: ResultEntity,
  primary: StoredLegalEntity,
  stored: StoredEntity,
  askedBy: readonly QueryIdentifier[] = [],
): BasisEntry[] {
  const registrations = stored.legalEntities
  const own = listFields(entity, primary).map(({ field, value, reasoning, origin }) => {
    const holder = findHolder(field, value, [primary, ...registrations])
    const citation = origin === 'file' ? createFileCitation(holder, value) : createRecordCitation(holder)
    const isRecorded = origin === 'record' && citation.authority_tier === 1
    const isAskedBy = field === 'website' && askedBy.some(({ type }) => type === 'website')
    return {
      field,
      confidence: isRecorded ? ('high' as const) : ('medium' as const),
      reasoning: isAskedBy ? `It was asked by it. ${reasoning}` : reasoning,
      citations: [citation],
    }
  })
  const identifiers = entity.identifiers.map((identifier, index) => {
    const holders = registrations.filter((registration) => hasIdentifier(registration, identifier))
    const citations = (holders.length > 0 ? holders : [primary]).map((holder) =>
      createIdentifierCitation(holder, identifier),
    )
    const isAskedBy = askedBy.some(
      ({ type, value }) => type === identifier.type.replace('sec_', '') && value === identifier.value,
    )
    return {
      field: `identifiers.${index}.value`,
      confidence: citations.some(({ authority_tier }) => authority_tier === 1)
        ? ('high' as const)
        : ('medium' as const),
      reasoning: `${isAskedBy ? 'It was asked by it. ' : ''}The registration has this ${identifier.type.replaceAll('_', ' ')}, in canonical form.`,
      citations,
    }
  })
  return [...own, ...buildStatusEntry(entity, primary, stored), ...identifiers, ...buildOmissionEntry(stored)]
}

function buildStatusEntry(
  entity: ResultEntity,
  primary: StoredLegalEntity,
  stored: StoredEntity,
): BasisEntry[] {
  if (entity.status === null) return []
  const { holder, isStated } = findStanding(primary, stored)
  const citation = createRecordCitation(holder, isStated ? findRecordUrl(holder) : buildEdgarUrl(holder))
  return [
    {
      field: 'status',
      confidence: isStated && citation.authority_tier === 1 ? 'high' : 'medium',
      reasoning: isStated
        ? 'The status on the registration.'
        : 'Its shares are listed, and no newer source says that it has ended.',
      citations: [citation],
    },
  ]
}

/** States how many identifiers are not shown. */
function buildOmissionEntry(stored: StoredEntity): BasisEntry[] {
  const count = countOmittedIdentifiers(stored)
  if (count === 0) return []
  const holders = stored.legalEntities.filter(({ identifiersOmitted }) => identifiersOmitted > 0)
  return [
    {
      field: 'identifiers',
      confidence: 'high',
      reasoning: `Registers list ${formatCount(count)} more identifiers than are shown.`,
      citations: holders.map((holder) => createRecordCitation(holder)),
    },
  ]
}

/** Fields that may come from another registration than the one shown: see `findStated`. */
const fieldPickers: Readonly<Record<string, (registration: StoredLegalEntity) => string | null>> = {
  website: ({ website }) => website,
  'industry.schemes.sic.0.code': ({ sic }) => sic,
  'industry.schemes.naics_2022.0.code': ({ naics }) => naics,
  'industry.schemes.sic.0.label': ({ sic }) => (sic === null ? null : findSicLabel(sic)),
  'industry.schemes.naics_2022.0.label': ({ naics }) => (naics === null ? null : findNaicsLabel(naics)),
  'parent_entity.name': ({ parentName }) => parentName,
}

function findHolder(
  field: string,
  value: string,
  registrations: readonly [StoredLegalEntity, ...StoredLegalEntity[]],
): StoredLegalEntity {
  const pick = fieldPickers[field]
  const holder = registrations.find(
    (registration) => pick?.(registration) === value && !registration.removedFromSource,
  )
  return holder ?? registrations[0]
}

interface FieldReason {
  readonly field: string
  readonly value: string
  readonly reasoning: string
  /** Stated by the register's record, derived from it, or stated only by the loaded file. */
  readonly origin: 'record' | 'derived' | 'file'
}

/** Number of former names in a sentence, latest first. */
const formerNamesTold = 3

/** Describes the name on the registration and its former names. */
function describeLegalName(primary: StoredLegalEntity): string {
  const former = primary.names.filter(({ kind, endedOn }) => kind === 'former' && endedOn !== undefined)
  const told = former
    .sort((a, b) => ((a.endedOn ?? '') < (b.endedOn ?? '') ? 1 : -1))
    .slice(0, formerNamesTold)
    .map((entry) => ` "${entry.name}" is a former name${formatEnd(entry)}.`)
  const removed = primary.removedFromSource
    ? ` The newest file of ${primary.sourceName} no longer names the registration; that of ${primary.sourceDate.slice(0, 10)} did.`
    : ''
  return `The name on the registration.${removed}${told.join('')}`
}

function describeDisplayName({ displayName, legalName }: StoredLegalEntity): string {
  return displayName !== legalName && displayName === removeRegistrySuffix(legalName)
    ? 'The name on the registration, without what EDGAR adds to it.'
    : 'The shortest name in use that the registry lists.'
}

/** Example: " since 2026-05-01 (gleif)", the end of a former name and the source that shows it. */
export function formatEnd({ endedOn, endedSource }: RowName): string {
  return `${endedOn === undefined ? '' : ` since ${endedOn}`}${endedSource === undefined ? '' : ` (${endedSource})`}`
}

function listFields(entity: ResultEntity, primary: StoredLegalEntity): FieldReason[] {
  const fields: FieldReason[] = []
  const createNote =
    (origin: FieldReason['origin']): Note =>
    (field, value, reasoning) => {
      if (value !== null && value !== undefined) fields.push({ field, value, reasoning, origin })
    }
  const [stated, derived, filed] = [createNote('record'), createNote('derived'), createNote('file')]
  stated('legal_name', entity.legal_name, describeLegalName(primary))
  filed('display_name', entity.display_name, describeDisplayName(primary))
  filed('website', entity.website, 'The website that the registry lists; public registers usually have none.')
  noteAddress(entity.headquarters.address, primary, stated, derived)
  const legalEntity = entity.primary_legal_entity
  stated('primary_legal_entity.jurisdiction', legalEntity.jurisdiction, 'Where the registration is held.')
  const authority = legalEntity.registration_authority.code
  const authorityField = 'primary_legal_entity.registration_authority.code'
  if (primary.registrationAuthority !== null) {
    stated(authorityField, authority, 'The authority that keeps the registration.')
  } else {
    derived(
      authorityField,
      authority,
      'The register that the number or the jurisdiction of the registration is of.',
    )
  }
  derived('facets.sector', entity.facets.sector, 'Read from the type of the entity and its listed share.')
  derived('facets.legal_form', entity.facets.legal_form, 'Read from the legal form on the registration.')
  for (const scheme of ['sic', 'naics_2022'] as const) {
    const [code] = entity.industry.schemes[scheme] ?? []
    stated(`industry.schemes.${scheme}.0.code`, code?.code, 'The code on the registration.')
    derived(`industry.schemes.${scheme}.0.label`, code?.label, 'What the scheme calls the code.')
  }
  filed('parent_entity.name', entity.parent_entity?.name, 'The parent that the registry names.')
  return fields
}

type Note = (field: string, value: string | null | undefined, reasoning: string) => void

function noteAddress(
  address: ResultEntity['headquarters']['address'],
  { address: held }: StoredLegalEntity,
  stated: Note,
  derived: Note,
): void {
  const note = (part: keyof typeof address, isStated: boolean) => {
    const of = isStated ? stated : derived
    const reasoning = isStated
      ? 'From the address on the registration.'
      : 'Read out of the address on the registration.'
    of(`headquarters.address.${part}`, address[part], reasoning)
  }
  // A one-line address was split into its parts.
  const isInParts = held.formatted === null
  for (const part of ['street_address', 'city', 'state'] as const) note(part, isInParts)
  for (const part of ['postal_code', 'country', 'country_code'] as const) note(part, true)
  note('street_number', held.streetNumber !== null)
  note('sub_premise', held.subPremise !== null)
  derived('headquarters.address.state_code', address.state_code, 'ISO 3166-2 code of the state as written.')
  derived(
    'headquarters.address.formatted_address',
    address.formatted_address,
    'The parts of the address in one line.',
  )
}

function hasIdentifier(
  registration: StoredLegalEntity,
  identifier: ResultEntity['identifiers'][number],
): boolean {
  return registration.identifiers.some(
    ({ type, value }) => type === identifier.type && value === identifier.value,
  )
}

/** Cites the public record, or the row of the file if there is no record. */
function createRecordCitation(registration: StoredLegalEntity, url = findRecordUrl(registration)): Citation {
  return url === null
    ? createFileCitation(registration, null)
    : { url, excerpt: formatExcerpt(registration), source_type: 'government_registry', authority_tier: 1 }
}

/** The row of the loaded file is not public, so it ranks with the open web. */
function createFileCitation(registration: StoredLegalEntity, value: string | null): Citation {
  const stated = value === null ? [] : [value]
  return {
    url: null,
    excerpt: [...stated, registration.legalName, formatOrigin(registration)]
      .join('; ')
      .slice(0, excerptCharsMax),
    source_type: 'web',
    authority_tier: 3,
  }
}

/** Cites the record of the register that issues the type of identifier. */
function createIdentifierCitation(
  registration: StoredLegalEntity,
  { type }: ResultEntity['identifiers'][number],
): Citation {
  switch (type) {
    case 'lei':
    case 'bic':
      return createRecordCitation(registration, buildGleifUrl(registration))
    case 'cik':
    case 'sec_cik':
    case 'ein':
    case 'ticker':
      return createRecordCitation(registration, buildEdgarUrl(registration))
    case 'registration_id':
      return createRecordCitation(registration)
    case 'duns':
      return createFileCitation(registration, null)
  }
}

const excerptCharsMax = 400

function formatExcerpt(registration: StoredLegalEntity): string {
  const facts = [
    registration.legalName,
    ...registration.identifiers.map(({ type, value }) => `${type} ${value}`),
    registration.jurisdiction === null ? null : `jurisdiction ${registration.jurisdiction}`,
    getStatus(registration) === null ? null : `status ${getStatus(registration) ?? ''}`,
    formatAddress(registration.address),
    formatOrigin(registration),
  ]
  return facts
    .filter((fact) => fact !== null)
    .join('; ')
    .slice(0, excerptCharsMax)
}

function formatOrigin(registration: StoredLegalEntity): string {
  return `(${registration.sourceName}, line ${registration.sourceLine}, file of ${registration.sourceDate.slice(0, 10)})`
}

/** Returns the public record: the URL in the row, otherwise one built from its identifiers; `null` without either. */
export function findRecordUrl(registration: StoredLegalEntity): string | null {
  return (
    registration.sourceUrl ??
    buildCompaniesHouseUrl(registration) ??
    buildGleifUrl(registration) ??
    buildEdgarUrl(registration)
  )
}

function buildCompaniesHouseUrl(registration: StoredLegalEntity): string | null {
  const companyNumber = findIdentifier(registration, 'registration_id')
  if (companyNumber === undefined || registration.jurisdiction?.startsWith('gb') !== true) return null
  return recordUrls.companiesHouse(companyNumber)
}

function buildGleifUrl(registration: StoredLegalEntity): string | null {
  const lei = findIdentifier(registration, 'lei')
  return lei === undefined ? null : recordUrls.lei(lei)
}

function buildEdgarUrl(registration: StoredLegalEntity): string | null {
  const cik = findIdentifier(registration, 'cik') ?? findIdentifier(registration, 'sec_cik')
  return cik === undefined ? null : recordUrls.cik(cik)
}

function findIdentifier(registration: StoredLegalEntity, wanted: string): string | undefined {
  return registration.identifiers.find(({ type }) => type === wanted)?.value
}
