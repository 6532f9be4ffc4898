import { formatCount, quoteName } from '../../core/text.js'
import type { ResultEntity } from '../../contract/entity.js'
import type { BasisEntry, Citation } from '../../contract/result.js'
import {
  citeEach,
  citeFirst,
  citeParent,
  type CitedClaim,
  describeRemoval,
  findStanding,
} from './registration-facts.js'
import { findConcordedNaics } from '../reference/industry-codes.js'
import { countOmittedIdentifiers } from './entity-record.js'
import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import type { RowAddress, RowName } from '../model/registry-rows.js'
import type { Statement, StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** An identifier or website of the query, in the spelling of the registration. */
interface QueryIdentifier {
  readonly type: string
  readonly value: string
}

/**
 * Builds the provenance of every populated field (interface: "v3 job result", `basis`). Each citation is of the source
 * that states the value. Statements of a government register cite its record; others cite the row of the loaded file,
 * with lower confidence.
 */
export function buildBasis(
  entity: ResultEntity,
  primary: StoredLegalEntity,
  stored: StoredEntity,
  askedBy: readonly QueryIdentifier[] = [],
): BasisEntry[] {
  const present = stored.legalEntities.filter(({ removedFromSource }) => !removedFromSource)
  const registrations = [primary, ...present.filter((registration) => registration !== primary)]
  const isAskedBy = (type: string, value: string) =>
    askedBy.some((query) => query.type === type && (type === 'website' || query.value === value))
  const addQuery = (type: string, value: string, reasoning: string) =>
    isAskedBy(type, value) ? `${reasoning} The lookup has the same ${type.replaceAll('_', ' ')}.` : reasoning
  const own = listFields(entity, primary, registrations).map(({ field, reasoning, ...claim }) =>
    toEntry(
      field,
      addQuery(field, claim.value, reasoning),
      claim.citations ?? citeFirst(claim, registrations),
      claim.value === claim.from,
    ),
  )
  const bics = entity.identifiers.filter(({ type }) => type === 'bic').map(({ value }) => value)
  const firstBic = entity.identifiers.findIndex(({ type }) => type === 'bic')
  const identifiers = entity.identifiers.map(({ type, value }, index) => {
    const isIn = (row: Statement['row']) =>
      row.identifiers.some((other) => other.type === type && other.value === value)
    const reasoning = `The registration has this ${type.replaceAll('_', ' ')}, in canonical form.${index === firstBic ? describeHeadOffice(bics) : ''}`
    return toEntry(
      `identifiers.${index}.value`,
      addQuery(type.replace('sec_', ''), value, reasoning),
      citeEach({ value, label: type, from: value, isIn }, registrations),
    )
  })
  return [...own, ...buildStatusEntry(entity, primary, stored), ...identifiers, ...buildOmissionEntry(stored)]
}

/** Lists the BICs from which `orderBics` has chosen the first. */
const describeHeadOffice = (bics: readonly string[]): string =>
  bics.length < 2
    ? ''
    : ` The company has several BICs: ${bics.join(', ')}. The first one is chosen by country, branch code, bank code and location code, in this order: it is probably the head office's.`

/** Only a value in the record of a register is certain. */
function toEntry(field: string, reasoning: string, citations: Citation[], isStated = true): BasisEntry {
  const isRecorded = isStated && citations.some(({ authority_tier }) => authority_tier === 1)
  return { field, confidence: isRecorded ? 'high' : 'medium', reasoning, citations }
}

function buildStatusEntry(
  { status }: ResultEntity,
  primary: StoredLegalEntity,
  stored: StoredEntity,
): BasisEntry[] {
  if (status === null) return []
  const { holder, isStated } = findStanding(primary, stored)
  if (isStated) {
    const claim = { value: status, label: 'status', from: status, isIn: hasText('status', status) }
    return [toEntry('status', 'The status on the registration.', citeFirst(claim, [holder]))]
  }
  const share = holder.identifiers.find(({ exchange }) => exchange !== undefined)
  const from = `ticker ${share?.value ?? ''} on ${share?.exchange ?? ''}`
  const isIn = ({ identifiers }: Statement['row']) =>
    identifiers.some(({ value, exchange }) => value === share?.value && exchange !== undefined)
  const reasoning = "The company's shares are listed, and no newer source reports that the company has ended."
  return [
    toEntry('status', reasoning, citeFirst({ value: status, label: 'status', from, isIn }, [holder]), false),
  ]
}

/** States how many identifiers are not shown. */
function buildOmissionEntry(stored: StoredEntity): BasisEntry[] {
  const count = countOmittedIdentifiers(stored)
  if (count === 0) return []
  const value = formatCount(count)
  const isIn = ({ identifiersOmitted = 0 }: Statement['row']) => identifiersOmitted > 0
  return [
    {
      field: 'identifiers',
      confidence: 'high',
      reasoning: `Registers list ${value} more identifiers than are shown.`,
      citations: citeEach({ value, label: 'more identifiers:', from: value, isIn }, stored.legalEntities),
    },
  ]
}

interface FieldClaim extends CitedClaim {
  readonly field: string
  readonly reasoning: string
  /** Citations that no row of a registration gives. */
  readonly citations?: Citation[]
}

type FactName = {
  [Name in keyof Statement['row']]-?: Statement['row'][Name] extends string | null ? Name : never
}[keyof Statement['row']]

const hasText = (name: FactName, value: string) => (row: Statement['row']) => row[name] === value

/** Number of former names in a sentence, latest first. */
const formerNamesTold = 3

/** Describes the name on the registration and its former names. */
function describeLegalName(primary: StoredLegalEntity): string {
  const former = primary.names.filter(({ kind, endedOn }) => kind === 'former' && endedOn !== undefined)
  const told = former
    .sort((a, b) => ((a.endedOn ?? '') < (b.endedOn ?? '') ? 1 : -1))
    .slice(0, formerNamesTold)
    .map((entry) => ` ${quoteName(entry.name)} is a former name${formatEnd(entry)}.`)
  const removed = primary.removedFromSource ? ` ${describeRemoval(primary)}` : ''
  return `The name on the registration.${removed}${told.join('')}`
}

function describeDisplayName({ displayName, nameInUse, legalName }: StoredLegalEntity): string {
  const isRegistered = hasSameLetters(nameInUse, legalName)
  const name = isRegistered ? 'The name on the registration' : 'A shorter name in use that the registry lists'
  const changes = [
    ...(displayName.length < nameInUse.length ? ['without the text that EDGAR adds to it'] : []),
    ...(nameInUse.startsWith(displayName) ? [] : ['in upper and lower case']),
  ]
  if (displayName === nameInUse && isRegistered && nameInUse !== legalName)
    return `${name}, in the spelling of another name that the registry lists.`
  return displayName === nameInUse ? `${name}.` : `${name}, ${changes.join(' and ')}.`
}

/** Formats the end of a former name and the source that shows it: " since 2026-05-01 (gleif)". */
export function formatEnd({ endedOn, endedSource }: RowName): string {
  return `${endedOn === undefined ? '' : ` since ${endedOn}`}${endedSource === undefined ? '' : ` (${endedSource})`}`
}

function listFields(
  entity: ResultEntity,
  primary: StoredLegalEntity,
  registrations: readonly StoredLegalEntity[],
): FieldClaim[] {
  const claims: FieldClaim[] = []
  const note: Note = (field, value, { from = value, ...claim }) => {
    if (value === null || value === undefined || from === null || from === undefined) return
    claims.push({ field, value, from, label: field.slice(field.lastIndexOf('.') + 1), ...claim })
  }
  const { legal_name: legalName, display_name: displayName, website } = entity
  note('legal_name', legalName, {
    reasoning: describeLegalName(primary),
    isIn: hasText('legalName', primary.legalName),
  })
  note('display_name', displayName, {
    reasoning: describeDisplayName(primary),
    from: primary.nameInUse,
    isIn: ({ names, legalName: registered }) =>
      registered === primary.nameInUse || names.some(({ name }) => name === primary.nameInUse),
    isOnlyInFile: primary.nameInUse !== legalName,
  })
  note('website', website, {
    reasoning: 'A loaded source lists this website for the company. Official registers rarely list websites.',
    isIn: hasText('website', website ?? ''),
    isOnlyInFile: true,
  })
  note('description', entity.description, {
    reasoning: 'The description of the company in Wikidata.',
    isIn: ({ profile }) => profile?.description === entity.description,
  })
  noteAddress(entity.headquarters.address, primary.address, note)
  noteRegister(entity, primary, note)
  noteFacets(entity, primary, registrations, note)
  noteIndustry(entity, registrations, note)
  noteParent(entity, registrations, note)
  return claims
}

type Note = (
  field: string,
  value: string | null | undefined,
  claim: Pick<FieldClaim, 'reasoning' | 'isIn' | 'isOnlyInFile' | 'citations'> & {
    readonly from?: string | null | undefined
    readonly label?: string
  },
) => void

function noteIndustry(
  { industry: { schemes } }: ResultEntity,
  registrations: readonly StoredLegalEntity[],
  note: Note,
): void {
  const [sic] = schemes.sic ?? []
  const [naics] = schemes.naics_2022 ?? []
  const noteCode = (scheme: keyof typeof schemes, code: typeof sic, from: string | undefined) => {
    const isIn = (row: Statement['row']) =>
      [row.sic, row.naics, ...(row.industryCodes?.split(/[: ]/) ?? [])].includes(from ?? '')
    note(`industry.schemes.${scheme}.0.code`, code?.code, {
      reasoning:
        from === code?.code
          ? 'The code on the registration.'
          : 'The code that corresponds to the one on the registration.',
      label: scheme,
      from,
      isIn,
    })
    const reasoning = 'The title of the code in its scheme.'
    note(`industry.schemes.${scheme}.0.label`, code?.label, { reasoning, label: scheme, from, isIn })
  }
  noteCode('sic', sic, sic?.code)
  const isStated = registrations.some((registration) => registration.naics === naics?.code)
  const industryCodes = registrations.find(
    (registration) => registration.industryCodes !== null,
  )?.industryCodes
  const concorded = findConcordedNaics({ sic: sic?.code ?? null, industryCodes: industryCodes ?? null })
  noteCode('naics_2022', naics, isStated ? naics?.code : concorded?.from)
}

/** An address comes from one source, which states all of it. */
function noteAddress(address: ResultEntity['headquarters']['address'], held: RowAddress, note: Note): void {
  const isIn = (row: Statement['row']) =>
    (Object.keys(held) as (keyof RowAddress)[]).every((part) => row.address[part] === held[part])
  const noteText = (part: keyof typeof address, from: string | null, reasoning?: string) => {
    note(`headquarters.address.${part}`, address[part], {
      reasoning:
        reasoning ??
        (from === address[part]
          ? 'From the address on the registration.'
          : 'Extracted from the address on the registration.'),
      from,
      isIn,
    })
  }
  // A one-line address was split into its parts, but those that have a column of their own.
  const own = { street_address: held.street, city: held.city, state: held.region }
  for (const part of ['street_address', 'city', 'state'] as const) {
    const value = address[part]
    const isOfLine = own[part] === null || (held.formatted ?? '').includes(value ?? '')
    noteText(part, isOfLine ? (held.formatted ?? value) : value)
  }
  noteText('postal_code', held.postalCode)
  noteText('country', held.countryCode)
  noteText('country_code', held.countryCode)
  noteText('street_number', held.streetNumber ?? held.street)
  noteText('sub_premise', held.subPremise ?? held.street)
  noteText('state_code', held.region, 'ISO 3166-2 code of the state as written.')
  noteText(
    'formatted_address',
    held.formatted ?? address.formatted_address,
    'The parts of the address in one line.',
  )
}

function noteRegister(entity: ResultEntity, primary: StoredLegalEntity, note: Note): void {
  const { jurisdiction, registration_authority: authority } = entity.primary_legal_entity
  note('primary_legal_entity.jurisdiction', jurisdiction, {
    reasoning: 'The jurisdiction of the registration.',
    isIn: hasText('jurisdiction', primary.jurisdiction ?? ''),
  })
  const field = 'primary_legal_entity.registration_authority.code'
  if (primary.registrationAuthority !== null) {
    const reasoning = 'The authority that keeps the registration.'
    note(field, authority.code, {
      reasoning,
      isIn: hasText('registrationAuthority', primary.registrationAuthority),
    })
    return
  }
  const number = ['registration_id', 'cik', 'sec_cik']
    .map((type) => primary.identifiers.find((identifier) => identifier.type === type))
    .find((identifier) => identifier !== undefined)
  note(field, authority.code, {
    reasoning: 'The register to which the number or the jurisdiction of the registration belongs.',
    from: number === undefined ? null : `${number.type} ${number.value}`,
    isIn: ({ identifiers }) =>
      identifiers.some(({ type, value }) => type === number?.type && value === number.value),
  })
}

function noteFacets(
  { facets }: ResultEntity,
  primary: StoredLegalEntity,
  registrations: readonly StoredLegalEntity[],
  note: Note,
): void {
  const share = registrations.flatMap(({ identifiers }) => identifiers).find(({ type }) => type === 'ticker')
  note('facets.sector', facets.sector, {
    reasoning: 'Derived from the type of the entity and its listed share.',
    from: facets.sector === 'public' ? `ticker ${share?.value ?? ''}` : `type ${primary.type}`,
    isIn: ({ type, identifiers }) =>
      facets.sector === 'public'
        ? identifiers.some((identifier) => identifier.type === 'ticker' && identifier.value === share?.value)
        : type === primary.type,
  })
  const { legalForm, legalName } = primary
  note('facets.legal_form', facets.legal_form, {
    reasoning: 'Derived from the legal form or the name on the registration.',
    from: legalForm ?? legalName,
    isIn: legalForm === null ? hasText('legalName', legalName) : hasText('legalForm', legalForm),
  })
}

function noteParent(entity: ResultEntity, registrations: readonly StoredLegalEntity[], note: Note): void {
  const name = entity.parent_entity?.name
  const child = registrations.find(({ parentName }) => parentName === name)
  note('parent_entity.name', name, {
    reasoning: 'The parent that the registry names.',
    isIn: ({ profile }) => profile?.parent === name,
    label: 'parent',
    ...(child === undefined || name === undefined || name === null
      ? {}
      : { citations: citeParent(child, name) }),
  })
}
