import { iso31661, iso31662 } from 'iso-3166'
import { parseName, type ParsedName } from '../normalize/parsed-name.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { findCikIssueMonth, findEarliestFormationMonth } from '../reference/registers.js'
import { toRegister } from './entity-clusters.js'

/** A stored registration, with the defaults of its source's import. */
export interface LinkInput {
  readonly number: number
  readonly id: string
  /** Its company by identifiers alone. */
  readonly entityNumber: number
  readonly sourceNumber: number
  readonly legalName: string
  readonly jurisdiction: string | null
  readonly hasIndustry: boolean
  readonly formedOn: string | null
  readonly status: string | null
  readonly subtype: string
  /** Another registration is stated to be its head office. */
  readonly isBranch: boolean
  readonly city: string
  readonly regionCode: string
  readonly postalKey: string
  readonly countryCode: string | null
  /** Street and address line, to detect registered agents. */
  readonly addressText: string
  /** Includes those of the company's other registrations. */
  readonly identifiers: readonly LinkIdentifier[]
  /** Type of the ids of the source's rows, and default jurisdiction of rows without one. */
  readonly idType: string | null
  readonly defaultJurisdiction: string | null
}

export interface LinkIdentifier {
  readonly type: string
  readonly value: string
  readonly jurisdiction: string
  /** Authority of the registration that has the identifier. */
  readonly authority: string | null
  /** True for this registration, false for another one of its company. */
  readonly isOwn: boolean
}

/** Facts that the other registrations of a company must not contradict. Empty text means unknown. */
export interface StatedFacts {
  /** Number words of the name: "Fund II, Series 3" gives "ii 3". */
  readonly numbers: string
  /** Countries of registration; several if a code is ambiguous. */
  readonly homes: ReadonlySet<string>
  /** ISO 3166-2; only for countries whose states have registers. */
  readonly homeState: string
  readonly seat: string
  readonly isBritishBranch: boolean
  /** Numbers by type or register: different values of one key mean two companies. */
  readonly numbersByRegister: ReadonlyMap<string, ReadonlySet<string>>
}

/** The facts of a registration that are compared. */
export interface LinkRow extends StatedFacts {
  readonly number: number
  readonly id: string
  readonly entityNumber: number
  readonly sourceNumber: number
  readonly legalName: string
  readonly name: ParsedName
  /** The legal form, with one key for all spellings of a form. */
  readonly formKey: string
  readonly place: { readonly city: string; readonly region: string; readonly postal: string } | null
  readonly isProminent: boolean
  /** A natural person or a sole trader. */
  readonly isPerson: boolean
  readonly hasEnded: boolean
  readonly formedOn: string | null
  /** Month (`YYYY-MM`) after which it was formed; if no date is stated, according to its number. */
  readonly formedAfter: string | null
  /** Month by which the SEC had registered it. */
  readonly registeredBy: string | null
  readonly taxNumbers: ReadonlySet<string>
}

export function toLinkRow(held: LinkInput): LinkRow {
  const name = parseName(held.legalName)
  const seat = toSovereignCountry(held.countryCode ?? '')
  const home = findHome(held, seat)
  return {
    number: held.number,
    id: held.id,
    entityNumber: held.entityNumber,
    sourceNumber: held.sourceNumber,
    legalName: held.legalName,
    name,
    formKey: toFormKey(name),
    numbers: name.tokens.filter(isNumberWord).join(' '),
    homes: new Set(home.countries.map(toSovereignCountry)),
    homeState: home.state,
    seat,
    place: toComparablePlace(held),
    isBritishBranch: held.isBranch || held.identifiers.some(isBritishBranchNumber),
    isProminent: isProminent(held),
    isPerson: held.subtype === 'natural_person' || held.subtype === 'unincorporated_entity',
    hasEnded: held.status === 'inactive',
    formedOn: held.formedOn,
    ...estimateDates(held),
    numbersByRegister: groupNumbers(held),
    taxNumbers: new Set(held.identifiers.filter(({ type }) => type === 'ein').map(({ value }) => value)),
  }
}

/** Companies House gives these prefixes to establishments and registrations of foreign companies. */
function isBritishBranchNumber({ type, value, jurisdiction, isOwn }: LinkIdentifier): boolean {
  return (
    isOwn &&
    type === 'registration_id' &&
    jurisdiction.startsWith('gb') &&
    /^(?:FC|BR|SF|SR|NF|NR|OE)\d/.test(value)
  )
}

/** Registers issue numbers in order of registration. */
function estimateDates({ formedOn, identifiers }: LinkInput): Pick<LinkRow, 'formedAfter' | 'registeredBy'> {
  const findValue = (isWanted: (identifier: LinkIdentifier) => boolean) =>
    identifiers.find((identifier) => identifier.isOwn && isWanted(identifier))?.value
  const british = findValue(
    ({ type, jurisdiction }) => type === 'registration_id' && jurisdiction.startsWith('gb'),
  )
  const cik = findValue(({ type }) => type === 'cik')
  return {
    formedAfter:
      formedOn?.slice(0, 7) ?? (british === undefined ? null : findEarliestFormationMonth(british)),
    registeredBy: cik === undefined ? null : findCikIssueMonth(cik),
  }
}

/** Spellings of one form: single words, and whole forms. */
const formWords: Readonly<Record<string, string>> = {
  ltd: 'limited',
  corp: 'corporation',
  corporations: 'corporation',
  inc: 'incorporated',
  incorp: 'incorporated',
  co: 'company',
  pvt: 'private',
  pty: 'proprietary',
  ltda: 'limitada',
}
const wholeForms: Readonly<Record<string, string>> = {
  publiclimitedcompany: 'plc',
  limitedliabilitycompany: 'llc',
  lc: 'llc',
  limitedpartnership: 'lp',
  limitedliabilitypartnership: 'llp',
  nationalassociation: 'na',
  designatedactivitycompany: 'dac',
  aktiengesellschaft: 'ag',
  gesellschaftmitbeschrankterhaftung: 'gmbh',
  gesellschaftmitbeschraenkterhaftung: 'gmbh',
  aktiebolag: 'ab',
  aktiebolaget: 'ab',
  abpubl: 'ab',
  naamlozevennootschap: 'nv',
  beslotenvennootschap: 'bv',
  societeanonyme: 'sa',
  sociedadanonima: 'sa',
  societaperazioni: 'spa',
  societaseuropaea: 'se',
  osakeyhtio: 'oy',
  unlimitedliabilitycompany: 'ulc',
}

function toFormKey({ formWords: words, formClass }: ParsedName): string {
  const written = words.map((word) => formWords[word] ?? word).join('')
  // Forms in other scripts were removed before the words were made.
  if (written === '') return formClass === null ? '' : `native ${formClass}`
  return wholeForms[written] ?? written
}

const countryCodes = new Set(iso31661.map(({ alpha2 }) => alpha2))
const regionCodes = new Set(iso31662.map(({ code }) => code))
/** American places that files give as a country, or as a state of the United States. */
const territories = new Set(['AS', 'GU', 'MP', 'PR', 'UM', 'VI'])
/** Countries whose states and provinces incorporate companies. */
const federal = new Set(['US', 'CA'])

function toSovereignCountry(country: string): string {
  return territories.has(country) ? 'US' : country
}

interface RegistrationPlace {
  readonly countries: readonly string[]
  readonly state: string
}

const unknownHome: RegistrationPlace = { countries: [], state: '' }

/**
 * Returns the stated place of registration. A default of the import is not a statement, unless the file comes from a
 * register and is keyed by its numbers. Nor is "us" for an SEC registrant: foreign companies file there too.
 */
function findHome(
  { jurisdiction, idType, defaultJurisdiction, identifiers }: LinkInput,
  seat: string,
): RegistrationPlace {
  if (jurisdiction === null) return unknownHome
  const isTakenForGranted = jurisdiction === defaultJurisdiction && idType !== 'registration_id'
  const isRegistrant = identifiers.some(({ type, isOwn }) => isOwn && /^(?:sec_)?cik$/.test(type))
  if (isTakenForGranted || (jurisdiction === 'us' && isRegistrant)) return unknownHome
  const [country = '', region = ''] = jurisdiction.toUpperCase().split('_')
  if (country !== 'US' || region === '') {
    const state = `${country}-${region}`
    return { countries: [country], state: federal.has(country) && regionCodes.has(state) ? state : '' }
  }
  return parseAmericanHome(region, seat)
}

/** SEC files mix states and countries: "us_es" is Spain; "us_de" with a seat in Germany is ambiguous. */
function parseAmericanHome(region: string, seat: string): RegistrationPlace {
  if (!regionCodes.has(`US-${region}`)) {
    const countries = countryCodes.has(region) ? [region] : []
    return { countries: regionCodes.has(`CA-${region}`) ? [...countries, 'CA'] : countries, state: '' }
  }
  if (seat === region && seat !== 'US') return { countries: ['US', seat], state: '' }
  return { countries: ['US'], state: `US-${region}` }
}

/** Addresses of agents that receive mail for thousands of companies: they show the state of registration at most. */
const agentAddress =
  /\bc\/o\b|\bcare of\b|corporation (?:trust|service)|corporate (?:creations|service)|registered agent|cogency|\bc ?t corp|\b1209 (?:n\w* )?orange|251 little falls|2711 centerville|850 new burton|ugland|nexus way|elgin ave|\bmaples\b|\bwalkers\b/i

/** Only zeros or only nines are a placeholder for a postal code. */
function toComparablePlace({ city, regionCode, postalKey, addressText }: LinkInput): LinkRow['place'] {
  if (agentAddress.test(addressText)) return null
  const digits = /^\d{9}$/.test(postalKey) ? postalKey.slice(0, 5) : postalKey
  const postal = digits.length < 4 || /^(?:0+|9+)$/.test(digits) ? '' : digits
  return city === '' && regionCode === '' && postal === '' ? null : { city, region: regionCode, postal }
}

/** Anyone may file ownership reports with the SEC; a ticker or an industry code shows a company of note. */
function isProminent({ identifiers, hasIndustry }: LinkInput): boolean {
  const has = (wanted: string) => identifiers.some(({ type }) => type === wanted)
  return has('ticker') || (hasIndustry && has('cik'))
}

function groupNumbers({ identifiers }: LinkInput): LinkRow['numbersByRegister'] {
  const byRegister = new Map<string, Set<string>>()
  for (const identifier of identifiers) {
    const { value } = identifier
    const register = toIdentifierRegister(identifier)
    if (register === null) continue
    const known = byRegister.get(register) ?? new Set()
    byRegister.set(register, known.add(value))
  }
  return byRegister
}

function toIdentifierRegister({ type, value, jurisdiction, authority }: LinkIdentifier): string | null {
  if (type === 'registration_id') return toRegister(jurisdiction, authority, value)
  return type === 'lei' || type === 'cik' ? type : null
}
