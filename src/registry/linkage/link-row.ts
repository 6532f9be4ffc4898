import { iso31661, iso31662 } from 'iso-3166'
import { parseName, type ParsedName } from '../normalize/parsed-name.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { cikGivenBy, companyFormedAfter } from '../reference/registers.js'
import { registerOf } from './entity-clusters.js'

/** A registration as the store holds it, with what its source's import took for granted. */
export interface HeldRegistration {
  readonly number: number
  readonly id: string
  /** The company it belongs to by identifiers alone. */
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
  /** Street and line, for what they say of who sits there. */
  readonly addressText: string
  /** Those of its company's other registrations too. */
  readonly identifiers: readonly HeldIdentifier[]
  /** What the source's rows are known by, and the jurisdiction of those that state none. */
  readonly idType: string | null
  readonly defaultJurisdiction: string | null
}

export interface HeldIdentifier {
  readonly type: string
  readonly value: string
  readonly jurisdiction: string
  /** The authority of the registration that bears it. */
  readonly authority: string | null
  /** Of this registration; else of another of its company. */
  readonly isOwn: boolean
}

/** What of a registration one company's other registrations must not contradict. Empty text stands for unknown. */
export interface StatedFacts {
  /** The words that number: "Fund II, Series 3" is "ii 3". */
  readonly numbers: string
  /** Where it is registered; several where a code can be read as either. */
  readonly homes: ReadonlySet<string>
  /** ISO 3166-2; of countries alone whose states keep registers of their own. */
  readonly homeState: string
  readonly seat: string
  readonly isBritishBranch: boolean
  /** By type, or by register: what differs in one of them belongs to two companies. */
  readonly numbersByRegister: ReadonlyMap<string, ReadonlySet<string>>
}

/** What of a registration is compared. */
export interface LinkRow extends StatedFacts {
  readonly number: number
  readonly id: string
  readonly entityNumber: number
  readonly sourceNumber: number
  readonly legalName: string
  readonly name: ParsedName
  /** The legal form, spellings of one form alike. */
  readonly formKey: string
  readonly place: { readonly city: string; readonly region: string; readonly postal: string } | null
  readonly isProminent: boolean
  /** A person, or one who trades under a name of their own. */
  readonly isPerson: boolean
  readonly hasEnded: boolean
  readonly formedOn: string | null
  /** The month, `YYYY-MM`, after which it was formed, where its number alone says so. */
  readonly formedAfter: string | null
  /** The month by which the SEC knew it. */
  readonly registeredBy: string | null
  readonly taxNumbers: ReadonlySet<string>
}

export function linkRowOf(held: HeldRegistration): LinkRow {
  const name = parseName(held.legalName)
  const seat = withoutTerritory(held.countryCode ?? '')
  const home = homeOf(held, seat)
  return {
    number: held.number,
    id: held.id,
    entityNumber: held.entityNumber,
    sourceNumber: held.sourceNumber,
    legalName: held.legalName,
    name,
    formKey: formKeyOf(name),
    numbers: name.tokens.filter(isNumberWord).join(' '),
    homes: new Set(home.countries.map(withoutTerritory)),
    homeState: home.state,
    seat,
    place: placeOf(held),
    isBritishBranch: held.isBranch || held.identifiers.some(isBritishBranchNumber),
    isProminent: isProminent(held),
    isPerson: held.subtype === 'natural_person' || held.subtype === 'unincorporated_entity',
    hasEnded: held.status === 'inactive',
    formedOn: held.formedOn,
    ...datesByNumber(held),
    numbersByRegister: numbersByRegister(held),
    taxNumbers: new Set(held.identifiers.filter(({ type }) => type === 'ein').map(({ value }) => value)),
  }
}

/** Companies House numbers an establishment or registration of a company whose seat is elsewhere by these. */
function isBritishBranchNumber({ type, value, jurisdiction, isOwn }: HeldIdentifier): boolean {
  return (
    isOwn &&
    type === 'registration_id' &&
    jurisdiction.startsWith('gb') &&
    /^(?:FC|BR|SF|SR|NF|NR|OE)\d/.test(value)
  )
}

/** Registers number in the order in which companies come to them. */
function datesByNumber({
  formedOn,
  identifiers,
}: HeldRegistration): Pick<LinkRow, 'formedAfter' | 'registeredBy'> {
  const valueOf = (isWanted: (identifier: HeldIdentifier) => boolean) =>
    identifiers.find((identifier) => identifier.isOwn && isWanted(identifier))?.value
  const british = valueOf(
    ({ type, jurisdiction }) => type === 'registration_id' && jurisdiction.startsWith('gb'),
  )
  const cik = valueOf(({ type }) => type === 'cik')
  return {
    formedAfter: formedOn?.slice(0, 7) ?? (british === undefined ? null : companyFormedAfter(british)),
    registeredBy: cik === undefined ? null : cikGivenBy(cik),
  }
}

/** Spellings of one form, of its words and of all of it. */
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

function formKeyOf({ formWords: words, formClass }: ParsedName): string {
  const written = words.map((word) => formWords[word] ?? word).join('')
  // A form of another script was cut before the words were made.
  if (written === '') return formClass === null ? '' : `native ${formClass}`
  return wholeForms[written] ?? written
}

const countryCodes = new Set(iso31661.map(({ alpha2 }) => alpha2))
const regionCodes = new Set(iso31662.map(({ code }) => code))
/** American places that files call a country, or a state of the United States. */
const territories = new Set(['AS', 'GU', 'MP', 'PR', 'UM', 'VI'])
/** Countries whose states and provinces incorporate companies. */
const federal = new Set(['US', 'CA'])

function withoutTerritory(country: string): string {
  return territories.has(country) ? 'US' : country
}

interface Home {
  readonly countries: readonly string[]
  readonly state: string
}

const unknownHome: Home = { countries: [], state: '' }

/**
 * Where a registration states that it is registered. What an import took for granted is no statement, unless
 * the file is a register's, whose numbers its rows are known by; nor is "us" of one that files with the SEC:
 * anybody may.
 */
function homeOf(
  { jurisdiction, idType, defaultJurisdiction, identifiers }: HeldRegistration,
  seat: string,
): Home {
  if (jurisdiction === null) return unknownHome
  const isTakenForGranted = jurisdiction === defaultJurisdiction && idType !== 'registration_id'
  const isRegistrant = identifiers.some(({ type, isOwn }) => isOwn && /^(?:sec_)?cik$/.test(type))
  if (isTakenForGranted || (jurisdiction === 'us' && isRegistrant)) return unknownHome
  const [country = '', region = ''] = jurisdiction.toUpperCase().split('_')
  if (country !== 'US' || region === '') {
    const state = `${country}-${region}`
    return { countries: [country], state: federal.has(country) && regionCodes.has(state) ? state : '' }
  }
  return americanHome(region, seat)
}

/** SEC files write states and countries alike: "us_es" is Spain, "us_on" Ontario; "us_de" with a seat in Germany is either. */
function americanHome(region: string, seat: string): Home {
  if (!regionCodes.has(`US-${region}`)) {
    const countries = countryCodes.has(region) ? [region] : []
    return { countries: regionCodes.has(`CA-${region}`) ? [...countries, 'CA'] : countries, state: '' }
  }
  if (seat === region && seat !== 'US') return { countries: ['US', seat], state: '' }
  return { countries: ['US'], state: `US-${region}` }
}

/** Addresses of those who receive mail for thousands of companies: they say where it is registered at most. */
const agentAddress =
  /\bc\/o\b|\bcare of\b|corporation (?:trust|service)|corporate (?:creations|service)|registered agent|cogency|\bc ?t corp|\b1209 (?:n\w* )?orange|251 little falls|2711 centerville|850 new burton|ugland|nexus way|elgin ave|\bmaples\b|\bwalkers\b/i

/** Zeros and nines alone stand for a postal code that a form asked for. */
function placeOf({ city, regionCode, postalKey, addressText }: HeldRegistration): LinkRow['place'] {
  if (agentAddress.test(addressText)) return null
  const digits = /^\d{9}$/.test(postalKey) ? postalKey.slice(0, 5) : postalKey
  const postal = digits.length < 4 || /^(?:0+|9+)$/.test(digits) ? '' : digits
  return city === '' && regionCode === '' && postal === '' ? null : { city, region: regionCode, postal }
}

/** Ownership reports are filed with the SEC by anybody; who is traded or runs a business there is a company of note. */
function isProminent({ identifiers, hasIndustry }: HeldRegistration): boolean {
  const has = (wanted: string) => identifiers.some(({ type }) => type === wanted)
  return has('ticker') || (hasIndustry && has('cik'))
}

function numbersByRegister({ identifiers }: HeldRegistration): LinkRow['numbersByRegister'] {
  const byRegister = new Map<string, Set<string>>()
  for (const identifier of identifiers) {
    const { value } = identifier
    const register = registerOfIdentifier(identifier)
    if (register === null) continue
    const known = byRegister.get(register) ?? new Set()
    byRegister.set(register, known.add(value))
  }
  return byRegister
}

function registerOfIdentifier({ type, jurisdiction, authority }: HeldIdentifier): string | null {
  if (type === 'registration_id') return registerOf(jurisdiction, authority)
  return type === 'lei' || type === 'cik' ? type : null
}
