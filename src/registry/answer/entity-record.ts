import type { EntityRecord, Identifier, ResultEntity } from '../../contract/entity.js'
import { legalForm as legalForms, type LegalForm, type Sector } from '../../contract/enums.js'
import { entityId, legalEntityId, presenceId } from '../../contract/ids.js'
import { unknownClassification, unknownProfiles } from '../../contract/unknown.js'
import { addressBlockOf, formattedAddress, authorityBlockOf, standingOf } from './registration-facts.js'
import { businessModelOf, industryPathOf, naicsLabel, sicLabel } from '../reference/industry-codes.js'
import { fundOrTrust, parseName } from '../normalize/parsed-name.js'
import { countryNameOf } from '../../core/countries.js'
import type { RegistrationOutline, StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** A code in a row is as certain as the row, minus one percent for clerical errors. */
const rowCodeConfidence = 99

/** Returns the registration that represents a company: the first of a company, otherwise the first. */
export function primaryOf<Registration extends RegistrationOutline>(
  stored: StoredEntity<Registration>,
): Registration {
  const [first] = stored.legalEntities
  return (
    stored.legalEntities.find(
      ({ subtype, removedFromSource }) => subtype === 'incorporated_entity' && !removedFromSource,
    ) ?? first
  )
}

/**
 * Builds `entity` of a job result (interface: "v3 job result"). `matching_branch` describes the matched registration
 * if it is in another country than the primary one.
 */
export function resultEntityOf(stored: StoredEntity, matched: StoredLegalEntity | null): ResultEntity {
  const primary = primaryOf(stored)
  const { countryCode, stateCode } = jurisdictionParts(primary.jurisdiction)
  const parentName = statedFirst(stored, (registration) => registration.parentName)
  return {
    id: entityId.parse(stored.id),
    display_name: primary.displayName,
    legal_name: primary.legalName,
    status: standingOf(primary, stored).status,
    description: null,
    website: statedFirst(stored, ({ website }) => website),
    headquarters: { address: addressBlockOf(primary.address) },
    primary_legal_entity: {
      id: legalEntityId.parse(primary.id),
      jurisdiction: primary.jurisdiction,
      country_code: countryCode,
      state_code: stateCode,
      registration_authority: authorityBlockOf(primary),
    },
    identifiers: identifiersOf(stored),
    matching_branch: matched === null ? null : matchingBranchOf(matched, primary),
    facets: facetsOf(stored, primary),
    industry: industryOf(stored),
    parent_entity: parentName === null ? null : { name: parentName },
  }
}

/** Returns the registrations that are still in their sources, or all if every one was removed. */
function named(stored: StoredEntity): readonly StoredLegalEntity[] {
  const standing = stored.legalEntities.filter(({ removedFromSource }) => !removedFromSource)
  return standing.length > 0 ? standing : stored.legalEntities
}

/** Returns a value of the shown registration or, if it has none, of the first other one with a value. */
function statedFirst(
  stored: StoredEntity,
  pick: (registration: StoredLegalEntity) => string | null,
): string | null {
  for (const registration of [primaryOf(stored), ...named(stored)]) {
    const stated = pick(registration)
    if (stated !== null) return stated
  }
  return null
}

/** Builds the full record of a company; facts without a source are `null`. */
export function entityRecordOf(stored: StoredEntity): EntityRecord {
  const primary = primaryOf(stored)
  const entity = resultEntityOf(stored, null)
  const listing = listingOf(stored)
  return {
    ...entity,
    type: primary.type,
    subtype: primary.subtype,
    attributes: {
      description: null,
      website: entity.website,
      domain: entity.website === null ? null : domainOf(entity.website),
      employee_count: null,
      employee_range: null,
      revenue: null,
      revenue_range: null,
      founding_date: statedFirst(stored, ({ formedOn }) => formedOn),
      stock_ticker: listing?.ticker ?? null,
      exchange: listing?.exchange ?? null,
      is_public: listing === null ? null : true,
      market_cap: null,
      funding_total_usd: null,
      funding_rounds_count: null,
    },
    classification: classificationOf(stored),
    operational_presence: presenceOf(stored, primary),
    social_profiles: unknownProfiles,
  }
}

function matchingBranchOf(
  matched: StoredLegalEntity,
  primary: StoredLegalEntity,
): ResultEntity['matching_branch'] {
  const { countryCode, stateCode } = jurisdictionParts(matched.jurisdiction)
  const home = jurisdictionParts(primary.jurisdiction).countryCode
  if (countryCode === null || home === null || countryCode === home) return null
  return {
    notes: `The query matched the registration of "${matched.legalName}" in ${matched.jurisdiction ?? ''}.`,
    address: formattedAddress(matched.address),
    state_code: stateCode,
    country_code: countryCode,
    jurisdiction: matched.jurisdiction,
  }
}

/** Counts the identifiers in registers that are not shown. */
export function omittedIdentifierCount({ legalEntities }: StoredEntity): number {
  return legalEntities.reduce(
    (sum, { identifiersOmitted, removedFromSource }) => sum + (removedFromSource ? 0 : identifiersOmitted),
    0,
  )
}

/** Splits `us_de` into its ISO codes, "US" and "US-DE". */
export function jurisdictionParts(jurisdiction: string | null): {
  countryCode: string | null
  stateCode: string | null
} {
  if (jurisdiction === null) return { countryCode: null, stateCode: null }
  const [country = '', region] = jurisdiction.toUpperCase().split('_')
  return { countryCode: country, stateCode: region === undefined ? null : `${country}-${region}` }
}

/** Converts `us_de` to "US-DE", `gb` to "GB". */
function isoJurisdiction(jurisdiction: string | null): string | null {
  const { countryCode, stateCode } = jurisdictionParts(jurisdiction)
  return stateCode ?? countryCode
}

/** Identifiers of all present registrations, without duplicates. */
export function identifiersOf(stored: StoredEntity): Identifier[] {
  const identifiers: Identifier[] = []
  for (const { identifiers: own } of named(stored)) {
    for (const { type, value, jurisdiction: code } of own) {
      const jurisdiction = isoJurisdiction(code)
      const isKnown = identifiers.some(
        (other) => other.type === type && other.value === value && other.jurisdiction === jurisdiction,
      )
      if (!isKnown) identifiers.push({ type, value, jurisdiction })
    }
  }
  return identifiers
}

function facetsOf(stored: StoredEntity, primary: StoredLegalEntity): ResultEntity['facets'] {
  return { sector: sectorOf(stored, primary), legal_form: legalFormOf(primary) }
}

/** A listed share makes a company public; without one its sector is unknown. */
function sectorOf(stored: StoredEntity, primary: StoredLegalEntity): Sector | null {
  if (primary.type === 'government') return 'government'
  if (primary.type === 'nonprofit') return 'nonprofit'
  return isListed(stored) ? 'public' : null
}

export function isListed(stored: StoredEntity): boolean {
  return stored.legalEntities.some(({ identifiers }) => identifiers.some(({ type }) => type === 'ticker'))
}

/**
 * The interface has American forms; others get the nearest one: limited liability without traded shares (GmbH, SARL,
 * Ltd) is `llc`, stock companies (AG, SA, PLC) are `corporation`.
 */
function legalFormOf(primary: StoredLegalEntity): LegalForm | null {
  if (primary.legalForm !== null) {
    const named = legalForms.safeParse(primary.legalForm.toLowerCase().replaceAll(' ', '_'))
    if (named.success) return named.data
    for (const spelling of [primary.legalForm, ...primary.listedForm]) {
      const spelled = parseName(`x ${spelling}`)
      if (spelled.legalForm !== null) return spelled.legalForm
    }
  }
  return parseName(primary.legalName).legalForm ?? (fundOrTrust(primary) === 'trust' ? 'trust' : null)
}

function industryOf(stored: StoredEntity): ResultEntity['industry'] {
  const entry = (code: string, label: string | null) => ({
    code,
    label,
    is_primary: true,
    confidence: rowCodeConfidence,
  })
  const sic = statedFirst(stored, (registration) => registration.sic)
  const naics = statedFirst(stored, (registration) => registration.naics)
  return {
    schemes: {
      ...(sic === null ? {} : { sic: [entry(sic, sicLabel(sic))] }),
      ...(naics === null ? {} : { naics_2022: [entry(naics, naicsLabel(naics))] }),
    },
  }
}

/** Classifies the industry by the registered codes; empty without codes. */
function classificationOf(stored: StoredEntity): EntityRecord['classification'] {
  const codes = {
    sic: statedFirst(stored, ({ sic }) => sic),
    naics: statedFirst(stored, ({ naics }) => naics),
    industryCodes: statedFirst(stored, ({ industryCodes }) => industryCodes),
  }
  const path = industryPathOf(codes)
  const model = businessModelOf({ ...codes, isFund: fundOrTrust(primaryOf(stored)) === 'fund' })
  return {
    ...unknownClassification,
    sector: path?.sector ?? null,
    industry: path?.industry ?? null,
    sub_industry: path?.subIndustry ?? null,
    market_segments: [...model.marketSegments],
    revenue_models: [...model.revenueModels],
  }
}

/** Returns the first ticker with an exchange, otherwise the first ticker. */
function listingOf(stored: StoredEntity): { ticker: string; exchange: string | null } | null {
  const tickers = stored.legalEntities.flatMap(({ identifiers, removedFromSource }) =>
    removedFromSource ? [] : identifiers.filter(({ type }) => type === 'ticker'),
  )
  const shown = tickers.find(({ exchange }) => exchange !== undefined) ?? tickers[0]
  return shown === undefined ? null : { ticker: shown.value, exchange: shown.exchange ?? null }
}

function domainOf(website: string): string | null {
  const host = /^(?:https?:\/\/)?(?:www\.)?([a-z0-9.-]+\.[a-z]{2,})/i.exec(website)?.[1]
  return host === undefined ? null : host.toLowerCase()
}

function presenceOf(stored: StoredEntity, primary: StoredLegalEntity): EntityRecord['operational_presence'] {
  const home = jurisdictionParts(primary.jurisdiction).countryCode ?? primary.address.countryCode
  const byCountry = new Map<string, StoredLegalEntity[]>()
  for (const registration of named(stored)) {
    const code = jurisdictionParts(registration.jurisdiction).countryCode ?? registration.address.countryCode
    if (code !== null) byCountry.set(code, [...(byCountry.get(code) ?? []), registration])
  }
  return [...byCountry].map(([code, registrations]) => ({
    id: presenceId.parse(`op_${stored.id.slice(4)}_${code.toLowerCase()}`),
    country_code: code,
    country: countryNameOf(code),
    count: registrationCount(registrations),
    is_home_jurisdiction: code === home,
  }))
}

/** Rows of several sources count as one registration unless number or state differ. */
function registrationCount(ofCountry: readonly StoredLegalEntity[]): number {
  const numbers = new Map<string, Set<string>>()
  for (const { jurisdiction, identifiers } of ofCountry) {
    const own = identifiers.filter(({ type }) => type === 'registration_id').map(({ value }) => value)
    const key = jurisdiction ?? ''
    numbers.set(key, new Set([...(numbers.get(key) ?? []), ...own]))
  }
  const jurisdictions = [...numbers.keys()]
  const isVague = (one: string) =>
    jurisdictions.some((other) => other !== one && (one === '' || other.startsWith(`${one}_`)))
  return jurisdictions
    .filter((jurisdiction) => !isVague(jurisdiction))
    .reduce((sum, jurisdiction) => sum + Math.max(1, numbers.get(jurisdiction)?.size ?? 0), 0)
}
