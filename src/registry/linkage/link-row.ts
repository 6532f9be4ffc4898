import { iso31661, iso31662 } from 'iso-3166'
import { parseName, type ParsedName } from '../normalize/parsed-name.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { toRegister, type JoinGroup } from './entity-clusters.js'

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

/** Registers that number in sequence: a number, and the month in which it was about reached (`number month`). */
const cikTable = `
1000000 1995-09 1050000 1997-11 1075000 1998-12 1100000 1999-11 1150000 2001-09 1200000 2002-10 1250000 2003-07
1300000 2004-08 1350000 2006-01 1400000 2007-05 1450000 2008-11 1500000 2010-09 1550000 2012-05 1600000 2014-02
1650000 2015-08 1700000 2017-03 1750000 2018-08 1800000 2020-01 1850000 2021-03 1900000 2021-12 1950000 2022-10
2000000 2023-11 2050000 2025-01 2100000 2025-12`

const companiesHouseTable = `
3000000 1994-12 3500000 1998-02 4000000 2000-05 4200000 2001-04 4500000 2002-08 5000000 2003-12 5500000 2005-07 6000000 2006-11 7000000 2009-08 8000000 2012-03 9000000 2014-04
10000000 2016-02 11000000 2017-10 12000000 2019-05 13000000 2020-11 14000000 2022-03 15000000 2023-07 16000000 2024-10`

interface Anchor {
  readonly number: number
  readonly month: string
}

function parseAnchors(table: string): Anchor[] {
  const parts = table.trim().split(/\s+/)
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ number: Number(part), month: parts[index + 1] ?? '' }] : [],
  )
}

const cikAnchors = parseAnchors(cikTable)
const companiesHouseAnchors = parseAnchors(companiesHouseTable)

/** Returns the month (`YYYY-MM`) by which the SEC had issued a CIK, or `null` if it is newer than the table. */
function findCikIssueMonth(cik: string): string | null {
  return cikAnchors.find(({ number }) => Number(cik) <= number)?.month ?? null
}

/** Returns the month (`YYYY-MM`) after which an English or Welsh company was formed, or `null` if unknown. */
function findEarliestFormationMonth(companyNumber: string): string | null {
  if (!/^\d{7,8}$/.test(companyNumber)) return null
  return companiesHouseAnchors.findLast(({ number }) => Number(companyNumber) >= number)?.month ?? null
}

/** A registration of one source, by its name and its key, which has its number. */
export interface KeyedRow {
  readonly entity_number: number
  readonly source_key: string
  readonly legal_name: string
  /** 1 if the source no longer states it. */
  readonly removed: number
}

/**
 * Groups registrations whose keys are new because an option of the import gives another type or place of their numbers: the
 * source stated the same number with the same name before.
 */
export function groupNewKeys(rows: Iterable<KeyedRow>): JoinGroup[] {
  const byNumber = new Map<string, KeyedRow[]>()
  for (const row of rows) {
    const key = `${splitKey(row.source_key).number} ${row.legal_name}`
    byNumber.set(key, [...(byNumber.get(key) ?? []), row])
  }
  return [...byNumber.values()].flatMap((group) => {
    const [present, ...others] = group.filter(({ removed }) => removed === 0)
    if (present === undefined || others.length > 0) return []
    const { place } = splitKey(present.source_key)
    const before = group
      .filter(({ removed, source_key }) => removed === 1 && isWithin(place, splitKey(source_key).place))
      .map(({ entity_number }) => entity_number)
    const entityNumbers = [...new Set([present.entity_number, ...before])]
    return entityNumbers.length === 1 ? [] : [{ reason: 'new_key', entityNumbers }]
  })
}

/** Splits keys like `registration_id:co:860025900` and `id:860.025.900`. */
function splitKey(sourceKey: string): { readonly place: string; readonly number: string } {
  const [type, ...parts] = sourceKey.split(':')
  const [place = '', number = ''] = type === 'registration_id' ? parts : ['', parts.join(':')]
  return {
    place,
    number: number
      .toUpperCase()
      .replace(/[\s./-]/g, '')
      .replace(/^0+/, ''),
  }
}

/** An unknown place contradicts none, and a country none of its states. */
const isWithin = (one: string, other: string): boolean =>
  one === '' || other === '' || `${one}_`.startsWith(`${other}_`) || `${other}_`.startsWith(`${one}_`)
