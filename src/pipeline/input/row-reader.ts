import { identify, isPlaceholder, type Lookup } from '../../core/lookup-identity.js'
import {
  type CheckpointReader,
  type KeyedLookup,
  calculateResolutionKey,
  buildStageLookup,
} from '../checkpoint/lookup.js'
import { createHeaderFinder, createTotalFinder, type InvalidRow } from './rows-without-company.js'
import type { TextRow } from './input.js'
import { mayBeIdentifier, twoLetterCode } from './column-content.js'
import type { LookupRule } from './columns.js'
import { identifierKeys, identifierPlaceKeys, listIdentifierColumns } from '../../core/identifiers.js'
import type { RowQuestion } from './row-question.js'
import texts from './fault-texts.json' with { type: 'json' }
import { parsePlaceHeader } from '../../core/header-words.js'
import { closeNumber, hasWrongCheckDigits } from '../../core/numbers/national-numbers.js'
import { isPersonNumber } from '../../core/numbers/number-forms.js'
import { toPlainDigits, toPlainWidth, writeGreekPlain } from '../../core/text.js'
import { personWords } from '../../core/word-forms.js'
import numberForms from '../../core/numbers/number-forms.json' with { type: 'json' }
import headerWords from '../../core/headers.json' with { type: 'json' }

export type ValidQuestion = Exclude<RowQuestion, { kind: 'invalid' }>

/** Returns the lookups of rows, in order; rows contain the cells of `listLookupColumns`. */
export type RowReader = (rows: readonly TextRow[]) => Promise<readonly RowQuestion[]>

const loadQuestions = () => import('./row-question.js')

const loadCountries = () => import('../../core/countries.js')

/**
 * Creates a reader for rows. Support for identifiers (domain suffixes, countries) is loaded with the first row that may
 * have any. Placeholders (`n/a`) in locations and contexts are omitted. `earlier`: a lookup submitted before with a
 * placeholder, or with an address as name, is kept, so that it is not billed again.
 */
export function createRowReader(rule: LookupRule, earlier: EarlierNames): RowReader {
  const { columns, readsNames } = rule
  const hasIdentifiers = listIdentifierColumns(columns.identifiers).length > 0
  const isPlain = !hasIdentifiers && columns.country === undefined
  const isRead = ([cell = null]: TextRow) => readsNames && columns.name !== null && mayBeIdentifier(cell)
  const blankPlaceholders = createPlaceholderBlanker(rule)
  const findHeader = createHeaderFinder(rule)
  const findTotal = createTotalFinder(rule)
  const countryColumns = listCountryColumns(rule)
  let countries: Awaited<ReturnType<typeof loadCountries>> | null = null
  const noteCountry = (row: TextRow, question: RowQuestion): RowQuestion => {
    if (question.kind === 'invalid') return question
    const isUnknown = (cell: string) =>
      cell !== '' && countries?.findCountryCodes(removeRegion(cell)).length === 0
    const unknown = countryColumns.flatMap((at) => row[at]?.trim() ?? []).find(isUnknown)
    return unknown === undefined ? question : { ...question, unknownCountry: unknown }
  }
  let questions: Awaited<ReturnType<typeof loadQuestions>> | null = null
  const ask = (row: TextRow) =>
    questions === null || (isPlain && !isRead(row))
      ? readPlainQuestion(rule, row)
      : questions.toRowQuestion(rule, questions.toRowCells(rule, row))
  const askAsEarlier = (row: TextRow, now: RowQuestion): RowQuestion[] =>
    !hasIdentifiers || earlier === noEarlierNames ? [] : (questions?.listEarlier(rule, row, now) ?? [])
  const cutPerson = (row: TextRow): TextRow | InvalidRow => {
    const [name = null, ...others] = columns.name === null ? [] : row
    if (name === null || !mayHavePerson(name)) return row
    const stated = [...countryColumns.flatMap((at) => row[at]?.trim() ?? []), columns.country ?? '']
    const codes = stated.flatMap((cell) => countries?.findCountryCodes(removeRegion(cell)) ?? [])
    const rest = cutPersonNumber(name, codes)
    const found = phone.test(name.trim()) ? 'it is a phone number' : texts.alone.person_number
    if (rest === null) return { kind: 'invalid', reason: `no company name, and ${found}` }
    return rest === name ? row : [rest, ...others]
  }
  return async (rows) => {
    if (columns.name !== null && rows.some(([cell]) => mayHavePerson(cell ?? '')))
      countries ??= await loadCountries()
    if (questions === null && (!isPlain || rows.some(isRead))) questions = await loadQuestions()
    const read = rows.map((row) => {
      const cut = cutPerson(row)
      const blanked = blankPlaceholders('kind' in cut ? row : cut)
      const unasked = 'kind' in cut ? cut : (findHeader(row) ?? findTotal(blanked))
      if (unasked !== null) return { blanked, before: [], now: unasked, isCut: false }
      const now = ask(blanked)
      const before = [
        ...(isRead(row) ? [readPlainQuestion(rule, row)] : []),
        ...(blanked === row ? [] : [ask(row)]),
        ...askAsEarlier(blanked, now),
      ].filter((question) => question.kind === 'resolution')
      return {
        blanked,
        before: before.filter(({ lookup }) => !isSameLookup(lookup, now)),
        now,
        isCut: cut !== row,
      }
    })
    const hasName = countryColumns.some((at) => read.some(({ blanked }) => !isCountryCode(blanked[at] ?? '')))
    if (hasName) countries ??= await loadCountries()
    await earlier.fetch(read.flatMap(({ before }) => before.map(({ lookup }) => lookup)))
    return read.map(({ blanked, before, now, isCut }) => {
      const question = noteCountry(blanked, before.find(({ lookup }) => earlier.wasAsked(lookup)) ?? now)
      const isCounted = isCut && question.kind !== 'invalid'
      return isCounted ? { ...question, faults: [...question.faults, 'person_number'] } : question
    })
  }
}

/** Names submitted before as they are. */
export interface EarlierNames {
  /** Loads the state of these lookups for `wasAsked`. */
  fetch(lookups: readonly Lookup[]): Promise<void>
  wasAsked(lookup: Lookup): boolean
}

/** For lookups that cost nothing, whatever was asked before. */
export const noEarlierNames: EarlierNames = { fetch: () => Promise.resolve(), wasAsked: () => false }

/** Returns the names submitted earlier in the scope of a reader. */
export function createEarlierNames(reader: CheckpointReader): EarlierNames {
  return {
    fetch: async (lookups) => {
      if (lookups.length === 0) return
      await reader.fetch(lookups.map(toResolution))
    },
    wasAsked: (lookup) => hasBeenLookedUp(reader, lookup),
  }
}

const toResolution = (lookup: Lookup) => ({
  kind: 'resolution' as const,
  key: calculateResolutionKey(lookup),
})

function hasBeenLookedUp(reader: CheckpointReader, lookup: Lookup): boolean {
  const ids = reader.find([toResolution(lookup)]).filter((id) => id !== 0)
  const [known] = reader.readAnswers(ids)
  return known !== undefined && known !== null && known.state !== 'new'
}

/** The names of a reader, or of one that is opened on first use and closed by `close`; none for null. */
export function openEarlierNames(
  source: CheckpointReader | (() => CheckpointReader | null) | null,
): EarlierNames & { close: () => void } {
  if (typeof source !== 'function')
    return { ...(source === null ? noEarlierNames : createEarlierNames(source)), close: () => undefined }
  // A missing reader is not searched again: a list may have a million such names.
  let reader: CheckpointReader | null | undefined
  let names = noEarlierNames
  return {
    fetch: async (lookups) => {
      if (lookups.length === 0) return
      if (reader === undefined) {
        reader = source()
        if (reader !== null) names = createEarlierNames(reader)
      }
      await names.fetch(lookups)
    },
    wasAsked: (lookup) => names.wasAsked(lookup),
    close: () => reader?.close(),
  }
}

/** Whether a question has this lookup: it is found without the earlier ones. */
const isSameLookup = (lookup: Lookup, question: RowQuestion): boolean =>
  question.kind === 'resolution' &&
  (['name', 'location', 'context'] as const).every((key) => question.lookup[key] === lookup[key])

/** Returns the positions of columns that hold countries, among the cells of `listLookupColumns`. */
function listCountryColumns({ columns: { name, location, context, identifiers } }: LookupRule): number[] {
  const first = name === null ? 0 : 1
  const inUse = [...identifierKeys, ...identifierPlaceKeys].filter((key) => identifiers[key] !== undefined)
  const registration = inUse.indexOf('registration_country')
  const countries = location.filter((column) => parsePlaceHeader(column)?.part === 'country')
  // `Kraj` is also a town or a region.
  const sure = countries.filter((column) => countries.length === 1 || !/^kraj$/i.test(column.trim()))
  return [
    ...location.flatMap((column, at) => (sure.includes(column) ? [first + at] : [])),
    ...(registration < 0 ? [] : [first + location.length + context.length + registration]),
  ]
}

/** Most lists have these codes; with other texts, the names of countries are loaded, which takes 50 ms. */
const countryCodes: ReadonlySet<string> = new Set(headerWords.countryCodes.split(' '))

const isCountryCode = (cell: string): boolean => cell === '' || countryCodes.has(cell)

/** `us_de` is a jurisdiction of the country `us`. */
const removeRegion = (cell: string): string => cell.replace(/^([A-Za-z]{2})[-_][A-Za-z0-9]{1,3}$/, '$1')

/** Blanks the placeholders in a row's location and context; returns the same row if it has no placeholder. */
function createPlaceholderBlanker({ columns: { name, location, context } }: LookupRule) {
  const first = name === null ? 0 : 1
  const end = first + location.length + context.length
  const hasCodes = location.map((column) => /^(?:country|region)$/.test(parsePlaceHeader(column)?.part ?? ''))
  const isBlanked = (cell: string | null, at: number) =>
    at >= first &&
    at < end &&
    cell !== null &&
    isPlaceholder(cell) &&
    !(hasCodes[at - first] === true && twoLetterCode.test(cell))
  return (row: TextRow): TextRow =>
    row.some(isBlanked) ? row.map((cell, at) => (isBlanked(cell, at) ? null : cell)) : row
}

/** Looks up by name, location and context only. */
function readPlainQuestion({ columns }: LookupRule, row: TextRow): RowQuestion {
  const [name = null, ...cells] = columns.name === null ? [null, ...row] : row
  const { length } = columns.location
  const read = identify(name, cells.slice(0, length), cells.slice(length, length + columns.context.length))
  return read.kind === 'invalid'
    ? read
    : { kind: 'resolution', lookup: read.lookup, byIdentifier: false, faults: [] }
}

/** Returns the key and content of a question for the checkpoint. */
export const toKeyedLookup = ({ kind, lookup }: ValidQuestion, occurrence = 0): KeyedLookup =>
  kind === 'domain'
    ? buildStageLookup(kind, lookup.name)
    : { kind, key: calculateResolutionKey(lookup, occurrence), lookup }

const titleWords = (words: string): string =>
  words.replace(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase())

/** The number of a person with its label: `(CPF 111.444.777-35)`, `PESEL: 44051401359`. Short labels are also words: they have capitals. */
const labels = headerWords.others['number of a person'].flatMap((list) => list.split('|'))
const shortWords = labels.filter(({ length }) => length < 4).map((word) => word.toUpperCase())
const longWords = labels.filter(({ length }) => length > 3)

/** Letters of a short word may have points: `Α.Μ.Κ.Α.`, `T.C. Kimlik No`. Turkish has two letters I. */
const toPattern = (label: string): string =>
  label
    .split(' ')
    .map((word) =>
      /^\p{Lu}{2,6}$/u.test(word)
        ? Array.from(word, (letter) => `${letter === 'I' ? '[Iİ]' : letter}\\.?`).join('')
        : word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[iıİ]|(?<!^)I/g, '[iıİI]'),
    )
    .join('[\\s.]{1,3}')

/** Groups that have digits, of which the first may have letters in front: `AB-123456`, `63-123456A78`, `12/ABCDEF(N)123456`. */
const groups = String.raw`(?:\p{Lu}{1,6}[\s-]{0,2})?\d[\p{Lu}\d]*(?:[\s./-]{1,2}(?:\p{Lu}{6,9}\(\p{Lu}\))?\d[\p{Lu}\d]*)*(?:\([\dA]\))?`

/** Words for a number between a label and a number. */
const numberWords =
  'no nr n num number nummer numer número numero numéro numarası numara číslo broj број номер nomor'
    .split(' ')
    .flatMap((word) => [word, titleWords(word), word.toUpperCase()])
    .join('|')

const createLabels = (words: readonly string[], flags: string) => {
  const all = [...new Set([...words, ...words.map(writeGreekPlain)])]
  const any = all
    .toSorted((one, other) => other.length - one.length)
    .map(toPattern)
    .join('|')
  return createLabel(any, flags)
}

/** Finds a label with a number behind it. */
function createLabel(any: string, flags: string): RegExp {
  const front = `[\\s:.#№°º]{0,4}(?:(?:${numberWords})[.°º:\\s]{1,4})?`
  return new RegExp(String.raw`(?<![\p{L}\d])(?:${any})(?![\p{L}])${front}(${groups})(?![\p{L}\d])`, flags)
}

/** Names of tax numbers with a word for a natural person next to them: `MST cá nhân`, `ИНН физлица`, `personal tax no`. */
const taxNames = `(?:${headerWords.naturalPersons.numbers.replaceAll(' ', String.raw`[\s.]{1,3}`)})`
const personal = String.raw`${taxNames}[\s.(]{1,3}(?:${personWords})\)?|(?:${personWords})[\s.]{1,3}${taxNames}`

const labelled = [
  createLabels(longWords, 'giu'),
  createLabels(shortWords, 'gu'),
  createLabel(personal, 'giu'),
]
/** Labels of other numbers too, by country: the form of the number tells those of persons. */
const openLabels = [
  ...Object.entries(headerWords.personLabels),
  ...Object.entries(headerWords.personNumbers),
].map(([code, list]) => {
  const words = list.split('|').filter((word) => word.length > 2 || code in headerWords.personLabels)
  const titled = words.filter((word) => word.includes(' ') || word.length > 4).map(titleWords)
  return [
    code,
    createLabels([...words, ...titled, ...words.map((word) => word.toUpperCase())], 'gu'),
  ] as const
})
/** Forms of numbers of persons that only a label tells. */
const toldByLabel = new Map(
  Object.entries(numberForms.persons.labelled).map(([code, form]) => [code, new RegExp(`^${form}$`)]),
)

const personCharsMax = 200

/** Whether a name has enough digits for the number of a person. Cheap: it is called for every row. */
const mayHavePerson = (name: string): boolean =>
  name.length <= personCharsMax && /(?:\p{Nd}\P{Nd}{0,3}){4}\p{Nd}|[A-Z]{3}P[A-Z]\d{4}[A-Z]/u.test(name)

/** Countries whose numbers of persons have check digits that few other numbers have. */
const surelyPersons = ['be', 'br', 'cz', 'es', 'sk']
/** Numbers that their form tells in addition: with a date, a dash or groups. */
const telling = Object.entries(numberForms.persons.telling).map(
  ([country, form]) => [country, new RegExp(`^${form}$`)] as const,
)
const phone = /^(?:\+|\(\+?\d)[\d\s()./-]{7,24}$/
const wholeNumber = /^(?:[A-Z\d]{8,22}|\d[\d\s./+-]+[\dA-Z]|\+?[(\d][\d\s()./-]+)$/
/** Digits in groups, and letters and digits without spaces: `S1234567D`, `A123456(3)`, `001-010190-0001A`. */
const nextToName =
  /(?<![\p{L}\d./-])(?:\d(?:[ ./-]?\d){8,21}(?!-?[A-Z])|[A-Z\d]{1,6}(?:-?[A-Z\d]){4,17}(?:\([\dA]\))?)(?![\p{L}\d./-])/gu

/**
 * Returns a name without the number of a person in it, which is never sent; `null` if the cell is only such a number, or a
 * phone number. `countries`: those of the row, as codes.
 */
function cutPersonNumber(name: string, countries: readonly string[]): string | null {
  const text = toPlainDigits(toPlainWidth(name.trim()))
  const isPersons = (number: string, unstated: readonly string[]): boolean => {
    const formed = telling.flatMap(([country, form]) => (form.test(number) ? [country] : []))
    const asked = countries.length > 0 ? countries : [...unstated, ...formed]
    const isOpen = (one: string) => one.toLowerCase() !== 'ir' || !hasWrongCheckDigits('ir', number)
    return isPersonNumber(number, asked.filter(isOpen))
  }
  const sure = labelled.reduce((rest, label) => rest.replace(label, ' '), text)
  const cut = openLabels.reduce((rest, [code, label]) => {
    if (code !== 'any' && countries.length > 0 && !countries.includes(code)) return rest
    const asked = code === 'any' ? countries : [code]
    const isOne = (number: string) =>
      isPersonNumber(number, asked) || toldByLabel.get(code)?.test(closeNumber(number)) === true
    return rest.replace(label, (found, number: string) => (isOne(number) ? ' ' : found))
  }, sure)
  if (cut === text && wholeNumber.test(text))
    return phone.test(text) || isPersons(text, surelyPersons) ? null : name
  const rest = cut.replace(nextToName, (number) => (isPersons(number, []) ? ' ' : number))
  if (rest === text) return name
  return /\p{L}{2}/u.test(rest) ? rest.replace(/\s*[([]\s*[)\]]|[\s,;:–-]+$/gu, '').trim() : null
}
