import { quoteName } from '../../core/text.js'
import type { EntityRecord, Identifier, ResultEntity } from '../../contract/entity.js'
import { type Sector, entityId, legalEntityId, presenceId } from '../../contract/enums.js'
import { unknownClassification } from '../../contract/unknown.js'
import {
  buildAddressBlock,
  classifyLegalForm,
  formatAddress,
  buildAuthorityBlock,
  findStanding,
} from './registration-facts.js'
import {
  findBusinessModel,
  findConcordedNaics,
  findIndustryPath,
  findNaicsLabel,
  findSicLabel,
} from '../reference/industry-codes.js'
import { orderBics } from '../linkage/entity-clusters.js'
import { formatExchange } from '../model/identifiers.js'
import { classifyFundOrTrust } from '../normalize/parsed-name.js'
import { formatJurisdiction } from '../normalize/places.js'
import { findCountryName } from '../../core/countries.js'
import type { CompanyProfile } from '../model/registry-rows.js'
import type { RegistrationOutline, StoredEntity, StoredLegalEntity } from '../store/reader.js'

/** A code in a row is as certain as the row, minus one percent for clerical errors. */
const rowCodeConfidence = 99
/** A code of one scheme may correspond to several of another. */
const concordedConfidence = 80

/** Lists all names of a company, as its registrations have them. */
export const listNames = ({ legalEntities }: StoredEntity): string[] =>
  legalEntities.flatMap(({ legalName, names }) => [legalName, ...names.map(({ name }) => name)])

/** Returns the registration that represents a company: the first of a company, otherwise the first. */
export function getPrimary<Registration extends RegistrationOutline>(
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
export function buildResultEntity(stored: StoredEntity, matched: StoredLegalEntity | null): ResultEntity {
  const primary = getPrimary(stored)
  const { countryCode, stateCode } = splitJurisdiction(primary.jurisdiction)
  const parentName =
    findStated(stored, (registration) => registration.parentName) ??
    findProfiled(stored, ({ parent }) => parent)
  return {
    id: entityId.parse(stored.id),
    display_name: primary.displayName,
    legal_name: primary.legalName,
    status: findStanding(primary, stored).status,
    description: findProfiled(stored, ({ description }) => description),
    website: findStated(stored, ({ website }) => website),
    headquarters: { address: buildAddressBlock(primary.address) },
    primary_legal_entity: {
      id: legalEntityId.parse(primary.id),
      jurisdiction: primary.jurisdiction,
      country_code: countryCode,
      state_code: stateCode,
      registration_authority: buildAuthorityBlock(primary),
    },
    identifiers: listIdentifiers(stored),
    matching_branch: matched === null ? null : buildMatchingBranch(matched, primary),
    facets: buildFacets(stored, primary),
    industry: buildIndustry(stored),
    parent_entity: parentName === null ? null : { name: parentName },
  }
}

/** Returns the registrations that are still in their sources, or all if every one was removed. */
function listPresent(stored: StoredEntity): readonly StoredLegalEntity[] {
  const standing = stored.legalEntities.filter(({ removedFromSource }) => !removedFromSource)
  return standing.length > 0 ? standing : stored.legalEntities
}

/** Returns a value of the shown registration or, if it has none, of the first other one with a value. */
function findStated(
  stored: StoredEntity,
  pick: (registration: StoredLegalEntity) => string | null,
): string | null {
  for (const registration of [getPrimary(stored), ...listPresent(stored)]) {
    const stated = pick(registration)
    if (stated !== null) return stated
  }
  return null
}

/** Returns a value of the profile in the first statement that has it. */
function findProfiled<Value>(
  stored: StoredEntity,
  pick: (profile: CompanyProfile) => Value | null,
): Value | null {
  for (const registration of new Set([getPrimary(stored), ...listPresent(stored)])) {
    for (const { row } of registration.readStatements()) {
      const value = row.profile === undefined ? null : pick(row.profile)
      if (value !== null) return value
    }
  }
  return null
}

/** Returns the first range that ends at or above a number, otherwise the last one. */
function findRange(value: number | null, ranges: readonly (readonly [number, string])[]): string | null {
  if (value === null) return null
  return (ranges.find(([end]) => value <= end) ?? ranges.at(-1))?.[1] ?? null
}

const employeeRanges = [
  [10, '1-10'],
  [50, '11-50'],
  [200, '51-200'],
  [500, '201-500'],
  [1_000, '501-1000'],
  [5_000, '1001-5000'],
  [10_000, '5001-10000'],
  [Infinity, '10001+'],
] as const

const revenueRanges = [
  [1e6, '0-1M'],
  [1e7, '1M-10M'],
  [5e7, '10M-50M'],
  [1e8, '50M-100M'],
  [5e8, '100M-500M'],
  [1e9, '500M-1B'],
  [1e10, '1B-10B'],
  [Infinity, '10B+'],
] as const

/** Builds the full record of a company; facts without a source are `null`. */
export function buildEntityRecord(stored: StoredEntity): EntityRecord {
  const primary = getPrimary(stored)
  const entity = buildResultEntity(stored, null)
  const listing = findListing(stored)
  const employees = findProfiled(stored, (profile) => profile.employees)
  const revenue = findProfiled(stored, (profile) => profile.revenue)
  return {
    ...entity,
    type: primary.type,
    subtype: primary.subtype,
    attributes: {
      description: entity.description,
      website: entity.website,
      domain: entity.website === null ? null : extractDomain(entity.website),
      employee_count: employees,
      employee_range: findRange(employees, employeeRanges),
      revenue,
      revenue_range: findRange(revenue, revenueRanges),
      founding_date:
        findStated(stored, ({ formedOn }) => formedOn) ?? findProfiled(stored, ({ foundedOn }) => foundedOn),
      stock_ticker: listing?.ticker ?? null,
      exchange: listing?.exchange ?? null,
      is_public: listing === null ? null : true,
      market_cap: null,
      funding_total_usd: null,
      funding_rounds_count: null,
    },
    classification: buildClassification(stored),
    operational_presence: buildPresence(stored, primary),
    social_profiles: {
      linkedin: { handle: findProfiled(stored, ({ linkedin }) => linkedin) },
      facebook: { handle: findProfiled(stored, ({ facebook }) => facebook) },
      crunchbase: { handle: findProfiled(stored, ({ crunchbase }) => crunchbase) },
    },
  }
}

function buildMatchingBranch(
  matched: StoredLegalEntity,
  primary: StoredLegalEntity,
): ResultEntity['matching_branch'] {
  const { countryCode, stateCode } = splitJurisdiction(matched.jurisdiction)
  const home = splitJurisdiction(primary.jurisdiction).countryCode
  if (countryCode === null || home === null || countryCode === home) return null
  return {
    notes: `The query matched the registration of ${quoteName(matched.legalName)} in ${formatJurisdiction(matched.jurisdiction ?? '')}.`,
    address: formatAddress(matched.address),
    state_code: stateCode,
    country_code: countryCode,
    jurisdiction: matched.jurisdiction,
  }
}

/** Counts the identifiers in registers that are not shown. */
export function countOmittedIdentifiers({ legalEntities }: StoredEntity): number {
  return legalEntities.reduce(
    (sum, { identifiersOmitted, removedFromSource }) => sum + (removedFromSource ? 0 : identifiersOmitted),
    0,
  )
}

/** Splits `us_de` into its ISO codes, "US" and "US-DE". */
export function splitJurisdiction(jurisdiction: string | null): {
  countryCode: string | null
  stateCode: string | null
} {
  if (jurisdiction === null) return { countryCode: null, stateCode: null }
  const [country = '', region] = jurisdiction.toUpperCase().split('_')
  return { countryCode: country, stateCode: region === undefined ? null : `${country}-${region}` }
}

/** Converts `us_de` to "US-DE", `gb` to "GB". */
function toIsoJurisdiction(jurisdiction: string | null): string | null {
  const { countryCode, stateCode } = splitJurisdiction(jurisdiction)
  return stateCode ?? countryCode
}

/** Identifiers of all present registrations, without duplicates; of several BICs, the head office's first. */
export function listIdentifiers(stored: StoredEntity): Identifier[] {
  const identifiers: Identifier[] = []
  for (const { identifiers: own } of listPresent(stored)) {
    for (const { type, value, jurisdiction: code } of own) {
      const jurisdiction = toIsoJurisdiction(code)
      const isKnown = identifiers.some(
        (other) => other.type === type && other.value === value && other.jurisdiction === jurisdiction,
      )
      if (!isKnown) identifiers.push({ type, value, jurisdiction })
    }
  }
  const { address, jurisdiction } = getPrimary(stored)
  return orderBics(identifiers, address.countryCode ?? splitJurisdiction(jurisdiction).countryCode)
}

function buildFacets(stored: StoredEntity, primary: StoredLegalEntity): ResultEntity['facets'] {
  return { sector: classifySector(stored, primary), legal_form: classifyLegalForm(primary, isListed(stored)) }
}

/** A listed share makes a company public; without one its sector is unknown. */
function classifySector(stored: StoredEntity, primary: StoredLegalEntity): Sector | null {
  if (primary.type === 'government') return 'government'
  if (primary.type === 'nonprofit') return 'nonprofit'
  return isListed(stored) ? 'public' : null
}

export function isListed(stored: StoredEntity): boolean {
  return stored.legalEntities.some(({ identifiers }) => identifiers.some(({ type }) => type === 'ticker'))
}

function buildIndustry(stored: StoredEntity): ResultEntity['industry'] {
  const toIndustryCode = (code: string, label: string | null, confidence: number) => ({
    code,
    label,
    is_primary: true,
    confidence,
  })
  const { sic, naics, industryCodes } = findCodes(stored)
  const concorded = naics === null ? findConcordedNaics({ sic, industryCodes }) : null
  const shown = naics ?? concorded?.naics ?? null
  const confidence = concorded === null ? rowCodeConfidence : concordedConfidence
  return {
    schemes: {
      ...(shown === null ? {} : { naics_2022: [toIndustryCode(shown, findNaicsLabel(shown), confidence)] }),
      ...(sic === null ? {} : { sic: [toIndustryCode(sic, findSicLabel(sic), rowCodeConfidence)] }),
    },
  }
}

function findCodes(stored: StoredEntity) {
  return {
    sic: findStated(stored, ({ sic }) => sic),
    naics: findStated(stored, ({ naics }) => naics),
    industryCodes: findStated(stored, ({ industryCodes }) => industryCodes),
  }
}

/** Classifies the industry by the registered codes; empty without codes. */
function buildClassification(stored: StoredEntity): EntityRecord['classification'] {
  const codes = findCodes(stored)
  const path = findIndustryPath(codes)
  const model = findBusinessModel({ ...codes, isFund: classifyFundOrTrust(getPrimary(stored)) === 'fund' })
  return {
    ...unknownClassification,
    sector: path?.sector ?? null,
    industry: path?.industry ?? null,
    sub_industry: path?.subIndustry ?? null,
    business_tags: [
      ...(findProfiled(stored, ({ industries }) => (industries.length === 0 ? null : industries)) ?? []),
    ],
    market_segments: [...model.marketSegments],
    revenue_models: [...model.revenueModels],
  }
}

/** Returns the first ticker with an exchange, otherwise the first ticker. */
function findListing(stored: StoredEntity): { ticker: string; exchange: string | null } | null {
  const tickers = stored.legalEntities.flatMap(({ identifiers, removedFromSource }) =>
    removedFromSource ? [] : identifiers.filter(({ type }) => type === 'ticker'),
  )
  const shown = tickers.find(({ exchange }) => exchange !== undefined) ?? tickers[0]
  return shown === undefined
    ? null
    : { ticker: shown.value, exchange: shown.exchange === undefined ? null : formatExchange(shown.exchange) }
}

function extractDomain(website: string): string | null {
  const host = /^(?:https?:\/\/)?(?:www\.)?([a-z0-9.-]+\.[a-z]{2,})/i.exec(website)?.[1]
  return host === undefined ? null : host.toLowerCase()
}

function buildPresence(
  stored: StoredEntity,
  primary: StoredLegalEntity,
): EntityRecord['operational_presence'] {
  const home = splitJurisdiction(primary.jurisdiction).countryCode ?? primary.address.countryCode
  const byCountry = new Map<string, StoredLegalEntity[]>()
  for (const registration of listPresent(stored)) {
    const code = splitJurisdiction(registration.jurisdiction).countryCode ?? registration.address.countryCode
    if (code !== null) byCountry.set(code, [...(byCountry.get(code) ?? []), registration])
  }
  return [...byCountry].map(([code, registrations]) => ({
    id: presenceId.parse(`op_${stored.id.slice(4)}_${code.toLowerCase()}`),
    country_code: code,
    country: findCountryName(code),
    count: countRegistrations(registrations),
    is_home_jurisdiction: code === home,
  }))
}

/** Rows of several sources count as one registration unless number or state differ. */
function countRegistrations(ofCountry: readonly StoredLegalEntity[]): number {
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
