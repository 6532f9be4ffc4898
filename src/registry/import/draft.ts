import { memoize, toPlainDigits } from '../../core/text.js'
import { parseDate, type DateOrder } from '../../core/file-formats.js'
import { mayBeOtherCalendar, writeLocalYear } from '../../core/time.js'
import {
  type EntitySubtype,
  type EntityType,
  type IdentifierType,
  identifierType,
} from '../../contract/enums.js'
import {
  findRegionCode,
  isSubdivision,
  readBritishLine,
  readForeignLine,
  readTown,
  toCityKey,
} from '../normalize/places.js'
import { readKind } from '../normalize/streets.js'
import {
  classifyFundOrTrust,
  isNonprofitForm,
  isNonprofitName,
  parseFormText,
  isSoleTraderForm,
} from '../normalize/parsed-name.js'
import { isBusiness } from '../reference/industry-codes.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import { foldText } from '../../core/lookup-identity.js'
import type {
  NameKind,
  ReadRow,
  RegistryRow,
  RowAddress,
  RowIdentifier,
  RowName,
} from '../model/registry-rows.js'
import { matchLimits, importLimits } from '../model/limits.js'
import { limitIdentifiers, toRegister } from '../linkage/entity-clusters.js'
import { findStatus, isNoForm, isPrivateForm, isPublicForm } from '../reference/registers.js'
import { spellOutShortForms } from '../normalize/clean-text.js'
import { findCountryCode } from '../../core/countries.js'

/** A registration in the words of a file, before any check. */
export interface Draft {
  /** Type of the row's id: a type of identifier, or a word for numbers of the file. */
  readonly idType: string
  readonly id: string | null
  readonly name: string | null
  readonly otherNames?: readonly string[]
  readonly formerNames?: readonly (string | DatedName)[]
  /** `null` if the file states none. */
  readonly type: EntityType | null
  readonly subtype: EntitySubtype
  /** The subtype is stated by the file; optional, only for files whose columns are mapped. */
  readonly isSubtypeStated?: boolean
  readonly status?: string | null
  readonly legalForm?: string | null
  readonly country?: string | null
  readonly jurisdiction?: string | null
  readonly registrationAuthority?: string | null
  readonly identifiers?: readonly DraftIdentifier[]
  readonly address?: Partial<Omit<RowAddress, 'countryCode'>>
  readonly website?: string | null
  readonly sic?: string | null
  readonly naics?: string | null
  readonly industryCodes?: string | null
  readonly formedOn?: string | null
  /** Order of day and month in `formedOn`; optional, defaults to the day. */
  readonly formedOrder?: DateOrder | undefined
  readonly parentId?: string | null
  readonly successorId?: string | null
  readonly sourceUrl?: string | null
}

/** A former name and its last day, as the file writes it. */
interface DatedName {
  readonly name: string
  readonly endedOn: string | null
}

export interface DraftIdentifier {
  readonly type: IdentifierType
  readonly text: string
  /** Jurisdiction of the number, if not that of the company. */
  readonly jurisdiction?: string
  readonly exchange?: string
}

/** Checks a draft. Pure; any text gives a row or a reason. */
export function checkDraft(draft: Draft, sourceLine: number, dropped: string[] = []): ReadRow {
  const legalName = draft.name
  if (legalName === null || legalName === '') return reject('it has no name', dropped)
  if (legalName.length > matchLimits.nameCharsMax) {
    return reject(`its name is longer than ${matchLimits.nameCharsMax} characters`, dropped)
  }
  const countryCode = readCountry(draft.country ?? null, dropped)
  const jurisdiction = readJurisdiction(draft.jurisdiction ?? null, dropped)
  const place = jurisdiction ?? countryCode?.toLowerCase() ?? null
  const stated = collectIdentifiers(draft, place, dropped)
  const identifiers = limitIdentifiers(stated, importLimits.identifiersMax, countryCode)
  const omitted = stated.length - identifiers.length
  const key = toSourceKey(draft, identifiers, place)
  if ('reason' in key) return reject(key.reason, dropped)
  const { registrationAuthority: authority = null } = draft
  const row: RegistryRow = {
    sourceKey: key.value,
    sourceLine,
    legalName,
    names: collectNames(legalName, draft),
    ...chooseType(draft, { legalName, countryCode, identifiers }, dropped),
    status: readStatus(draft.status ?? null, jurisdiction?.slice(0, 2).toUpperCase() ?? countryCode, dropped),
    legalForm: draft.legalForm ?? null,
    jurisdiction,
    registrationAuthority: checkShape(authority, /^RA\d{6}$/, 'registration authority', dropped),
    identifiers,
    ...(omitted > 0 && { identifiersOmitted: omitted }),
    address: buildAddress(draft.address ?? {}, countryCode),
    website: checkShape(draft.website ?? null, websiteShape, 'website', dropped),
    sic: readCode(draft.sic ?? null, /^(?!0{4})\d{4}$/, 'SIC code', dropped),
    naics: readCode(draft.naics ?? null, /^\d{2,6}$/, 'NAICS code', dropped),
    industryCodes: draft.industryCodes ?? null,
    formedOn: readDay(draft.formedOn, { what: 'founding date', order: draft.formedOrder, place }, dropped),
    parentKey: toOtherKey(draft, draft.parentId, place),
    successorKey: toOtherKey(draft, draft.successorId, place),
    sourceUrl: checkShape(draft.sourceUrl ?? null, /^https?:\/\/\S+$/i, 'source address', dropped),
  }
  return { row, reason: null, dropped }
}

type NamedRow = Pick<RegistryRow, 'legalName' | 'identifiers'> & Pick<RowAddress, 'countryCode'>

/**
 * Rows without a type are companies, except funds, trusts, associations and foundations, which are recognized by form or,
 * without one, by name, and sole traders by their form. Companies in a register of the United Kingdom and those with the SIC code of a
 * business are always companies.
 */
function chooseType(
  draft: Draft,
  { legalName, countryCode, identifiers }: NamedRow,
  dropped: string[],
): Pick<RegistryRow, 'type' | 'subtype'> {
  const { subtype } = draft
  const type = draft.type ?? 'business'
  if (subtype !== 'incorporated_entity' || draft.isSubtypeStated === true) return { type, subtype }
  if (draft.type !== 'nonprofit' && isSoleTraderForm(draft.legalForm ?? '', countryCode, legalName))
    return { type, subtype: 'unincorporated_entity' }
  const isBritish = identifiers.some(
    ({ type: kind, jurisdiction }) => kind === 'registration_id' && jurisdiction?.startsWith('gb') === true,
  )
  if (isBritish || isBusiness(draft.sic)) return { type, subtype }
  const named = { legalName, legalForm: draft.legalForm ?? null }
  const form = named.legalForm === null || isNoForm(named.legalForm) ? '' : named.legalForm
  // A company limited by guarantee is one, whatever its name. The publisher of LEIs states the category of a body.
  const isOpen = form === '' || (!/^[A-Z\d]{4}$/.test(form) && parseFormText(form).formClass === null)
  const isByName = isOpen && !identifiers.some(({ type: kind }) => kind === 'lei')
  const isNonprofit = (form !== '' && isNonprofitForm(form)) || (isByName && isNonprofitName(legalName))
  if (draft.type === null && isNonprofit) return { type: 'nonprofit', subtype: 'nonprofit_entity' }
  const isPlain = classifyFundOrTrust(named) === null
  const isOpenText = isOpen && draft.isSubtypeStated === false && /\p{L}{3}/u.test(form)
  if (isPlain && isOpenText && !isNonprofit && !isKnownForm(form, countryCode))
    dropped.push(`legal form "${form.slice(0, 40)}" is not known`)
  return { type, subtype: isPlain ? subtype : 'complex_business_structure' }
}

/** Whether a form is known by words for private and public companies, or as a short form of the country. */
const isKnownForm = (form: string, country: string | null): boolean =>
  isPrivateForm(form) ||
  isPublicForm(form) ||
  parseFormText(spellOutShortForms(`Qq ${form}`, [country ?? '']).slice(3)).formClass !== null

/** Splits a one-line address into its parts and keeps the line. A region may say that it is a town: "Thành phố Đà Nẵng". */
function buildAddress(stated: NonNullable<Draft['address']>, countryCode: string | null): RowAddress {
  const { street = null, city = null, region = null, postalCode = null, formatted = null } = stated
  const kind = region === null ? undefined : readKind(region)?.kind
  const isKnown = kind === 'town' || kind === 'region' || findRegionCode(countryCode, region ?? '') !== null
  const ends = [isKnown ? region : null, isPostalCode(postalCode) ? postalCode : null]
  const apart = ends.filter((part) => part !== null && formatted?.includes(part) === false)
  const readLine = countryCode === 'GB' ? readBritishLine : readForeignLine
  const isLine = street === null && formatted !== null && countryCode !== null
  const whole = isLine ? readLine([formatted, ...apart].join(', '), countryCode) : null
  const read = city === null || toCityKey(whole?.city ?? '') === toCityKey(city) ? whole : null
  const town = city === null ? null : readTown(city, countryCode)
  const locality = street === null ? null : (town?.street ?? null)
  return {
    street: read?.street ?? (locality === null ? street : `${street ?? ''}, ${locality}`),
    streetNumber: stated.streetNumber ?? null,
    subPremise: stated.subPremise ?? null,
    city: town?.city ?? city ?? read?.city ?? (kind === 'town' ? region : null),
    region: region ?? read?.region ?? town?.region ?? null,
    postalCode: isPostalCode(postalCode) ? postalCode : (read?.postalCode ?? town?.postalCode ?? null),
    countryCode,
    formatted,
  }
}

/** Registers write zeros if a country has no postal codes. */
const isPostalCode = (text: string | null): boolean => text !== null && !/^[0\s-]*$/.test(text)

const websiteShape = /^(?:https?:\/\/)?[^\s/]+\.[^\s/]{2,}(?:\/\S*)?$/i

export const isWebsite = (text: string): boolean => websiteShape.test(text)

const reject = (reason: string, dropped: readonly string[]): ReadRow => ({ row: null, reason, dropped })

function collectIdentifiers(draft: Draft, home: string | null, dropped: string[]): RowIdentifier[] {
  const identifiers: RowIdentifier[] = []
  const add = ({ type, text, jurisdiction, exchange }: DraftIdentifier, isId: boolean) => {
    const canonical = toCanonicalIdentifier(type, toPlainDigits(text))
    if ('reason' in canonical) {
      // An invalid id rejects the row, so it is not counted as dropped.
      if (!isId) dropped.push(canonical.reason)
      return
    }
    const isKnown = identifiers.some((other) => other.type === type && other.value === canonical.value)
    if (isKnown) return
    const place = type === 'registration_id' ? (jurisdiction ?? home) : type === 'ein' ? 'us' : null
    identifiers.push({ type, value: canonical.value, jurisdiction: place, ...(exchange && { exchange }) })
  }
  if (isIdentifierType(draft.idType) && draft.id !== null) add({ type: draft.idType, text: draft.id }, true)
  for (const identifier of draft.identifiers ?? []) add(identifier, false)
  return identifiers
}

const identifierTypes = new Set<string>(identifierType.options)

const isIdentifierType = (text: string): text is IdentifierType => identifierTypes.has(text)

/**
 * `lei:5493…`, `registration_id:gb:00445790`, `id:17`: the key of a row in all imports. A number that several companies
 * may have (`HRB 501`) makes no key without the name.
 */
function toSourceKey(
  draft: Pick<Draft, 'idType' | 'id' | 'name' | 'registrationAuthority'>,
  identifiers: readonly RowIdentifier[],
  place: string | null,
): { value: string } | { reason: string } {
  const { idType, id, name, registrationAuthority } = draft
  if (!isIdentifierType(idType)) {
    if (id === null) return { reason: 'it has no id' }
    return id.length > importLimits.idCharsMax
      ? { reason: `its id is longer than ${importLimits.idCharsMax} characters` }
      : { value: `${idType}:${id}` }
  }
  const text = id ?? identifiers.find((identifier) => identifier.type === idType)?.value
  if (text === undefined) return { reason: `it has no ${idType}` }
  const canonical = toCanonicalIdentifier(idType, toPlainDigits(text))
  if ('reason' in canonical) return canonical
  if (idType !== 'registration_id') return { value: `${idType}:${canonical.value}` }
  const register = toRegister(place ?? '', registrationAuthority ?? null, canonical.value)
  const isAmbiguous = place !== null && register === null
  const owner = isAmbiguous && name !== null ? `:${foldText(name)}` : ''
  return { value: `${idType}:${place ?? ''}:${canonical.value}${owner}` }
}

function toOtherKey({ idType }: Draft, id: string | null | undefined, place: string | null): string | null {
  if (id === null || id === undefined) return null
  const key = toSourceKey({ idType, id, name: null }, [], place)
  return 'value' in key ? key.value : null
}

/** The legal name, then the others, without duplicates. */
function collectNames(
  legalName: string | null,
  { otherNames = [], formerNames = [] }: Pick<Draft, 'otherNames' | 'formerNames'>,
): RegistryRow['names'] {
  const names: RowName[] = []
  if (legalName !== null) names.push({ kind: 'legal', name: legalName })
  if (otherNames.length + formerNames.length === 0) return names
  const seen = new Set(legalName === null ? [] : [legalName.toLowerCase()])
  const add = (kind: NameKind, text: string, endedOn: string | null) => {
    const name = text.trim()
    if (name === '' || name.length > matchLimits.nameCharsMax || seen.has(name.toLowerCase())) return
    seen.add(name.toLowerCase())
    names.push(endedOn === null ? { kind, name } : { kind, name, endedOn })
  }
  for (const name of otherNames) add('other', name, null)
  for (const former of formerNames) {
    if (typeof former === 'string') add('former', former, null)
    else add('former', former.name, parseDate(former.endedOn))
  }
  return names.slice(0, importLimits.namesMax)
}

/** Unknown words are dropped, so that no company is said to have ended by mistake. */
function readStatus(text: string | null, countryCode: string | null, dropped: string[]): string | null {
  if (text === null || text === '') return null
  const status = findStatus(text, countryCode)
  if (status === null) dropped.push(`status "${text.slice(0, 40)}" is not known`)
  return status
}

const findCountry = memoize(findCountryCode)

/** Returns the code of a country; drops unknown ones. */
export function readCountry(text: string | null, dropped: string[]): string | null {
  const code = text === null || text === '' ? null : findCountry(text)
  if (code === null && text) dropped.push(`country "${text.slice(0, 40)}" is not known`)
  return code
}

/**
 * Converts "US-DE", "us_de", "GB", "Germany" to `us_de`, `us_de`, `gb`, `de`. Drops what ISO 3166-1 does not list, and a
 * subdivision that ISO 3166-2 does not list.
 */
export function readJurisdiction(text: string | null, dropped: string[]): string | null {
  if (text === null || text === '') return null
  const [country = '', region] = text.toLowerCase().split(/[-_]/)
  const code = country.length === 2 ? readCountry(country, []) : null
  if (code !== null && region !== undefined && /^[a-z0-9]{1,3}$/.test(region)) {
    const isListed = isSubdivision(`${code}-${region.toUpperCase()}`)
    if (!isListed) dropped.push(`subdivision "${text.slice(0, 40)}" is not known`)
    return isListed ? `${code.toLowerCase()}_${region}` : code.toLowerCase()
  }
  const named = readCountry(text, [])
  if (named === null) dropped.push(`jurisdiction "${text.slice(0, 40)}" is not known`)
  return named?.toLowerCase() ?? null
}

function checkShape(text: string | null, shape: RegExp, what: string, dropped: string[]): string | null {
  if (text === null || text === '') return null
  if (shape.test(text)) return text
  dropped.push(`${what} "${text.slice(0, 60)}" does not have the form of one`)
  return null
}

function readCode(text: string | null, shape: RegExp, what: string, dropped: string[]): string | null {
  if (text === null) return null
  const first = text.split(/[|,;\s]+/).find((code) => shape.test(code))
  if (first === undefined && !/^0*$/.test(text))
    dropped.push(`${what} "${text.slice(0, 20)}" does not have the form of one`)
  return first ?? null
}

/** Reads a date in the order of its column, and drops any other text with a number. */
export function readDay(
  text: string | null = null,
  { what, order = 'dmy', place }: { what: string; order?: DateOrder | undefined; place: string | null },
  dropped: string[],
): string | null {
  const country = readCountry(place?.split('_')[0] ?? null, [])
  const day = text === null ? null : parseDate(writeLocalYear(text, country, order), order)
  const isForeign = text !== null && (order === 'other' || mayBeOtherCalendar(text, day, country))
  if (text === null || (day !== null && !isForeign) || !/[1-9]/.test(toPlainDigits(text))) return day
  const isOther = /^(?:dmy|mdy)$/.test(order) && parseDate(text, order === 'dmy' ? 'mdy' : 'dmy') !== null
  const [first, other] = order === 'dmy' ? ['day', 'month'] : ['month', 'day']
  const plain = isOther ? `has the ${other} first; its column has the ${first} first` : 'is not a whole date'
  const reason = isForeign ? 'may be of another calendar' : plain
  dropped.push(`${what} "${text.slice(0, 20)}" ${reason}`)
  return null
}
