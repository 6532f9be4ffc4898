import type { ResultEntity } from '../contract/entity.js'
import type { BasisEntry, Citation } from '../contract/result.js'
import { formattedAddress } from './entity-record.js'
import type { StoredLegalEntity } from './store/reader.js'

/**
 * Provenance of every populated field of note (interface: "v3 job result", `basis`). All rests on the
 * registry's row, so each entry cites it; what was read out of the row rather than stated there says so.
 */
export function basisOf(
  entity: ResultEntity,
  primary: StoredLegalEntity,
  registrations: readonly StoredLegalEntity[],
): BasisEntry[] {
  const citation = citationOf(primary)
  const own = fieldsOf(entity).map(({ field, reasoning, derived }) => ({
    field,
    confidence: derived === true ? ('medium' as const) : ('high' as const),
    reasoning,
    citations: [citation],
  }))
  const identifiers = entity.identifiers.map((identifier, index) => {
    const holders = registrations.filter((registration) => holds(registration, identifier))
    return {
      field: `identifiers.${index}.value`,
      confidence: 'high' as const,
      reasoning: `The registry row bears this ${identifier.type.replaceAll('_', ' ')} in canonical form.`,
      citations: (holders.length > 0 ? holders : [primary]).map(citationOf),
    }
  })
  return [...own, ...identifiers]
}

interface FieldReason {
  readonly field: string
  readonly reasoning: string
  readonly derived?: true
}

function fieldsOf(entity: ResultEntity): FieldReason[] {
  const fields: FieldReason[] = []
  const stated = (field: string, value: unknown, reasoning: string) => {
    if (value !== null && value !== undefined) fields.push({ field, reasoning })
  }
  const derived = (field: string, value: unknown, reasoning: string) => {
    if (value !== null && value !== undefined) fields.push({ field, reasoning, derived: true })
  }
  stated('legal_name', entity.legal_name, 'The name on the registration.')
  stated('display_name', entity.display_name, 'The shortest name in use that the registration lists.')
  stated('status', entity.status, 'The status on the registration.')
  stated('website', entity.website, 'The website given with the registration.')
  addressFields(entity, stated, derived)
  const legalEntity = entity.primary_legal_entity
  stated('primary_legal_entity.jurisdiction', legalEntity?.jurisdiction, 'Where the registration is held.')
  stated(
    'primary_legal_entity.registration_authority.code',
    legalEntity?.registration_authority?.code,
    'The authority that keeps the registration.',
  )
  derived('facets.sector', entity.facets?.sector, 'Read from the type of the entity and its listed share.')
  derived('facets.legal_form', entity.facets?.legal_form, 'Read from the legal form on the registration.')
  stated(
    'industry.schemes.sic.0.code',
    entity.industry?.schemes.sic?.[0]?.code,
    'The code on the registration.',
  )
  stated(
    'industry.schemes.naics_2022.0.code',
    entity.industry?.schemes.naics_2022?.[0]?.code,
    'The code on the registration.',
  )
  stated('parent_entity.name', entity.parent_entity?.name, 'The parent that the registration names.')
  return fields
}

type Note = (field: string, value: unknown, reasoning: string) => void

function addressFields(entity: ResultEntity, stated: Note, derived: Note): void {
  const address = entity.headquarters?.address
  if (!address) return
  for (const part of ['street_address', 'city', 'state', 'postal_code', 'country', 'country_code'] as const) {
    stated(`headquarters.address.${part}`, address[part], 'From the address on the registration.')
  }
  derived('headquarters.address.state_code', address.state_code, 'ISO 3166-2 code of the state as written.')
  derived(
    'headquarters.address.formatted_address',
    address.formatted_address,
    'The parts of the address in one line.',
  )
}

function holds(registration: StoredLegalEntity, identifier: ResultEntity['identifiers'][number]): boolean {
  return registration.identifiers.some(
    ({ type, value }) => type === identifier.type && value === identifier.value,
  )
}

/** The row as evidence: the public record's address and what it says, in a line. */
function citationOf(registration: StoredLegalEntity): Citation {
  return {
    url: recordUrl(registration),
    excerpt: excerptOf(registration),
    source_type: 'government_registry',
    authority_tier: 1,
  }
}

const excerptCharsMax = 400

function excerptOf(registration: StoredLegalEntity): string {
  const facts = [
    registration.legalName,
    ...registration.identifiers.map(({ type, value }) => `${type} ${value}`),
    registration.jurisdiction === null ? null : `jurisdiction ${registration.jurisdiction}`,
    registration.status === null ? null : `status ${registration.status}`,
    formattedAddress(registration.address),
    `(${registration.sourceName}, line ${registration.sourceLine}, file of ${registration.sourceDate.slice(0, 10)})`,
  ]
  return facts
    .filter((fact) => fact !== null)
    .join('; ')
    .slice(0, excerptCharsMax)
}

/** The public record: the row's own address for it, else the one its identifiers lead to; null if none does. */
function recordUrl(registration: StoredLegalEntity): string | null {
  if (registration.sourceUrl !== null) return registration.sourceUrl
  const valueOf = (wanted: string) => registration.identifiers.find(({ type }) => type === wanted)?.value
  const companyNumber = valueOf('registration_id')
  if (companyNumber !== undefined && registration.jurisdiction?.startsWith('gb') === true) {
    return `https://find-and-update.company-information.service.gov.uk/company/${encodeURIComponent(companyNumber)}`
  }
  const lei = valueOf('lei')
  if (lei !== undefined) return `https://search.gleif.org/#/record/${lei}`
  const cik = valueOf('cik') ?? valueOf('sec_cik')
  if (cik !== undefined) return `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`
  return null
}
