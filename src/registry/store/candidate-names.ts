import type { Sqlite } from '../../platform/sqlite.js'
import type { CandidateName } from '../match/candidate.js'
import { readPlaceLine } from './row-writer.js'
import type { Vocabulary } from '../match/vocabulary.js'
import type { NameKind } from '../model/registry-rows.js'
import type { FormClass } from '../normalize/legal-forms.js'
import { spellOutShortForms } from '../normalize/clean-text.js'
import { foldText } from '../normalize/normalize-name.js'
import { parseForm, parseName } from '../normalize/parsed-name.js'
import legalForms from '../reference/legal-forms.json' with { type: 'json' }
import { spellOutForm } from '../reference/registers.js'

/** As a list: SQLite makes objects of more than twelve columns slowly, and they are slow to read. */
type CandidateRow = readonly [
  number: number,
  entityNumber: number,
  legalEntityNumber: number,
  sourceNumber: number,
  kind: string,
  name: string,
  registeredName: string | null,
  legalForm: string | null,
  tokens: string,
  coreKey: string,
  fullKey: string,
  formClass: string | null,
  acronym: string,
  status: string | null,
  isRemoved: number,
  type: string,
  subtype: string,
  jurisdiction: string | null,
  isRegistrant: number,
  cityKey: string,
  regionCode: string,
  postalKey: string,
  countryCode: string | null,
  line: string | null,
  prominence: number,
  tickers: string | null,
]

const selectCandidates = `
  SELECT n.number, l.entity_number, n.legal_entity_number, l.source_number, n.kind, n.name,
    CASE WHEN n.kind <> 'legal' THEN (SELECT r.name FROM names r
      WHERE r.legal_entity_number = l.number AND r.kind = 'legal' LIMIT 1) END, l.legal_form,
    n.tokens, n.core_key, n.full_key, n.form_class, n.acronym, l.status, l.removed_from_source, l.type, l.subtype,
    l.jurisdiction, l.source_key GLOB 'cik:*', a.city_key, a.region_code, a.postal_key, a.country_code,
    CASE WHEN a.city_key = '' THEN substr(a.formatted_address, 1, 500) END,
    (SELECT 4 * max(e.sic IS NOT NULL OR e.naics IS NOT NULL OR e.industry_codes IS NOT NULL)
      + 2 * max(EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = e.number AND i.type = 'lei'))
      FROM legal_entities e WHERE e.entity_number = l.entity_number),
    (SELECT group_concat(lower(i.value), ' ') FROM legal_entities e
      JOIN identifiers i ON i.legal_entity_number = e.number AND i.type = 'ticker'
      WHERE e.entity_number = l.entity_number)
  FROM names n
  JOIN legal_entities l ON l.number = n.legal_entity_number
  JOIN addresses a ON a.legal_entity_number = l.number
  WHERE `

interface SelectCandidates {
  all(value: number | string): CandidateRow[]
}

/** Prepares a statement that selects rows of candidates; `where` may also have a limit. */
export function prepareCandidates(database: Sqlite, where: string): SelectCandidates {
  return database.prepare<[number | string], CandidateRow>(selectCandidates + where).raw()
}

const rememberedMax = {
  /** Some 60 MB for each thread. */
  names: 65_536,
  /** Numbers of names in all lists of words together: 16 MB. */
  listedNames: 4_000_000,
  /** A word in more names has no list: to read it once would take longer than many searches of the index. */
  namesOfWord: 20_000,
} as const

/** Reading so few names takes less time than searching the index for words that many names have. */
const checkedNamesMax = 150
/** The index skips at most a page of entries at once. */
const entriesSkippedMax = 1_000

interface Statements {
  /** `value`: numbers of names, as JSON. */
  readonly byNumbers: SelectCandidates
  readonly byWords: { all(expression: string, countMax: number): number[] }
}

/** Names and words of one state of the registry. Many queries find the same ones, so they are remembered. */
export class CandidateNames {
  readonly #vocabulary: Vocabulary
  readonly #statements: Statements
  readonly #names = new Map<number, CandidateName>()
  readonly #numbersByWord = new Map<string, Uint32Array>()
  #listedCount = 0

  constructor(vocabulary: Vocabulary, statements: Statements) {
    this.#vocabulary = vocabulary
    this.#statements = statements
  }

  /** Reads names in the order of `numbers`. */
  read(numbers: readonly number[]): CandidateName[] {
    const names = this.#names
    const unread = numbers.filter((number) => !names.has(number))
    if (unread.length > 0) {
      const isFull = names.size + unread.length > rememberedMax.names
      if (isFull) names.clear()
      for (const row of this.#statements.byNumbers.all(JSON.stringify(isFull ? numbers : unread)))
        names.set(row[0], toCandidateName(row))
    }
    const found: CandidateName[] = []
    for (const number of numbers) {
      const name = names.get(number)
      if (name !== undefined) found.push(name)
    }
    return found
  }

  /** Returns numbers of names that have one of the words of each slot, lowest first. */
  findByWords(slots: readonly (readonly string[])[], countMax: number): number[] {
    const listed: Uint32Array[][] = []
    const unlisted: (readonly string[])[] = []
    for (const words of slots) {
      const lists = words.map((word) => this.#listNames(word))
      if (lists.includes(null)) unlisted.push(words)
      else listed.push(lists as Uint32Array[])
    }
    if (unlisted.length === 0) return intersect(listed, countMax)
    const few = listed.length === 0 ? null : intersect(listed, checkedNamesMax + 1)
    if (few === null || few.length > checkedNamesMax)
      return this.#statements.byWords.all(slots.map(formatAlternatives).join(' AND '), countMax)
    this.read(few)
    const hasWords = (number: number) =>
      unlisted.every((words) => words.some((word) => this.#names.get(number)?.tokens.includes(word)))
    return few.filter(hasWords).slice(0, countMax)
  }

  /** Estimates how many entries of the index `findByWords` reads; 0 for words whose names are remembered. */
  estimateReads(slots: readonly (readonly string[])[], countMax: number): number {
    const vocabulary = this.#vocabulary
    if (!slots.flat().some((word) => vocabulary.countNames(word) > rememberedMax.namesOfWord)) return 0
    const counts = slots.map((words) => words.reduce((sum, word) => sum + vocabulary.countNames(word), 0))
    const least = Math.min(...counts)
    const namesTotal = Math.max(1, vocabulary.namesTotal)
    const foundCount = counts.reduce((product, count) => (product * count) / namesTotal, namesTotal)
    const readCount = counts.reduce((sum, count) => sum + Math.min(count, least * entriesSkippedMax), 0)
    return readCount * Math.min(1, countMax / foundCount)
  }

  /** Returns the names with a word; `null` if they are too many. */
  #listNames(word: string): Uint32Array | null {
    const known = this.#numbersByWord.get(word)
    if (known !== undefined) return known
    if (this.#vocabulary.countNames(word) > rememberedMax.namesOfWord) return null
    const numbers = Uint32Array.from(this.#statements.byWords.all(formatAlternatives([word]), -1))
    this.#listedCount += numbers.length
    if (this.#listedCount > rememberedMax.listedNames) {
      this.#numbersByWord.clear()
      this.#listedCount = numbers.length
    }
    this.#numbersByWord.set(word, numbers)
    return numbers
  }
}

/** Returns a function for the names of a state of the registry; the vocabulary is another one after each change. */
export function createCandidateNames(database: Sqlite): (vocabulary: Vocabulary) => CandidateNames {
  const statements = prepareStatements(database)
  const known = new WeakMap<Vocabulary, CandidateNames>()
  return (vocabulary) => {
    const names = known.get(vocabulary) ?? new CandidateNames(vocabulary, statements)
    known.set(vocabulary, names)
    return names
  }
}

const prepareStatements = (database: Sqlite): Statements => ({
  byNumbers: prepareCandidates(database, 'n.number IN (SELECT value FROM json_each(?))'),
  byWords: database
    .prepare<[string, number], number>('SELECT rowid FROM name_index WHERE name_index MATCH ? LIMIT ?')
    .pluck(),
})

/** Returns the first numbers that are in a list of each slot. */
function intersect(slots: readonly (readonly Uint32Array[])[], countMax: number): number[] {
  const [first = [], ...others] = slots
    .map((alternatives) => alternatives.map((numbers) => new AscendingNumbers(numbers)))
    .sort((a, b) => sumSizes(a) - sumSizes(b))
  const found: number[] = []
  for (let next = takeLowest(first); next !== null && found.length < countMax; next = takeLowest(first)) {
    const number = next
    if (others.every((slot) => slot.some((numbers) => numbers.includes(number)))) found.push(number)
  }
  return found
}

/** Ascending numbers, and how far they were read. */
class AscendingNumbers {
  readonly #numbers: Uint32Array
  #at = 0

  constructor(numbers: Uint32Array) {
    this.#numbers = numbers
  }

  get size(): number {
    return this.#numbers.length
  }

  /** The next number; infinite after the last one. */
  get next(): number {
    return this.#numbers[this.#at] ?? Infinity
  }

  skip(): void {
    this.#at++
  }

  /** Whether a number is one of these. It must not be lower than that of the call before. */
  includes(number: number): boolean {
    let step = 1
    while (this.#isBelow(step, number)) {
      this.#at += step
      step *= 2
    }
    for (; step > 0; step >>= 1) if (this.#isBelow(step, number)) this.#at += step
    if (this.next < number) this.#at++
    return this.next === number
  }

  #isBelow(step: number, number: number): boolean {
    return (this.#numbers[this.#at + step] ?? Infinity) < number
  }
}

const sumSizes = (slot: readonly AscendingNumbers[]): number => slot.reduce((sum, { size }) => sum + size, 0)

/** Takes the lowest next number out of all that have it; `null` after the last one. */
function takeLowest(slot: readonly AscendingNumbers[]): number | null {
  let lowest = Infinity
  for (const { next } of slot) if (next < lowest) lowest = next
  for (const numbers of slot) if (numbers.next === lowest) numbers.skip()
  return lowest === Infinity ? null : lowest
}

/** Quotes prevent the use of words as operators. The index divides a word with other signs, like 12.5. */
function formatAlternatives(words: readonly string[]): string {
  const quoted = words.map((word) => {
    const parts = word.split(/[^a-z\d\u0080-\uffff]+/i).filter((part) => part !== '')
    return parts.length < 2 ? `"${parts[0] ?? ''}"` : `(${parts.map((part) => `"${part}"`).join(' AND ')})`
  })
  return quoted.length === 1 ? (quoted[0] ?? '') : `(${quoted.join(' OR ')})`
}

/** Registers state the form in the name, in a column of its own, or in both. */
function addForm(name: string, legalForm: string | null, country: string): string {
  const form = legalForm === null ? '' : readFormColumn(legalForm, country)
  // The word for a company in front of an Arabic name states no form.
  return form === '' || !/^(?:company|null)$/.test(String(parseForm(name).formClass))
    ? name
    : `${name} ${form}`
}

const { fronts, words, codes } = legalForms.columns
const formFronts = fronts.split('|')
const formWords = new Map<string, string>(Object.entries(words))
/** Beginnings of codes with their forms, by country. */
const formCodes = new Map(
  Object.entries(codes).map(([country, list]) => [country, list.split(' ').map((code) => code.split('='))]),
)
const columnForms = new Map<string, string>()
const columnFormsMax = 5_000

/** Reads a column of legal forms: `ANÓNIMA`, `S.A.R.L`, `5710` in France. Empty text for what is no form of a company. */
function readFormColumn(legalForm: string, country: string): string {
  const key = `${country} ${legalForm}`
  const form = columnForms.get(key) ?? findColumnForm(legalForm, country)
  if (columnForms.size < columnFormsMax) columnForms.set(key, form)
  return form
}

function findColumnForm(legalForm: string, country: string): string {
  const code = legalForm.replace(/[\s-]/g, '')
  if (/^\d+$/.test(code)) {
    const known = formCodes.get(country)?.find(([start]) => code.startsWith(start ?? code))
    return known?.[1] ?? ''
  }
  const folded = foldText(legalForm).split(' ')
  const text = folded.map((word) => formWords.get(word) ?? word).filter((word) => word !== '')
  const texts = [
    spellOutShortForms(`Qq ${legalForm}`, [country]).slice(3),
    spellOutForm(legalForm),
    ...['', ...formFronts].map((front) => [front, ...text].join(' ').trim()),
  ]
  const isForm = (one: string) => {
    const { formClass, tokens } = parseName(`qq ${one}`)
    return formClass !== null && tokens.join() === 'qq'
  }
  return texts.find(isForm) ?? ''
}

export function toCandidateName(row: CandidateRow): CandidateName {
  const [, entityNumber, legalEntityNumber, sourceNumber, kind, name, registeredName, ...more] = row
  const [legalForm, tokens, ...others] = more
  const [coreKey, fullKey, formClass, acronym, status, isRemoved, type, subtype, ...places] = others
  const [jurisdiction, isRegistrant, cityKey, regionCode, postalKey, countryCode, line, ...facts] = places
  const [prominence, tickers] = facts
  const [country = '', region] = (jurisdiction ?? '').toUpperCase().split('_')
  return {
    entityNumber,
    legalEntityNumber,
    sourceNumber,
    kind: kind as NameKind,
    name,
    registeredName: addForm(
      registeredName ?? name,
      legalForm,
      country === '' ? (countryCode ?? '') : country,
    ),
    jurisdiction,
    tokens: tokens === '' ? [] : tokens.split(' '),
    coreKey,
    fullKey,
    formClass: formClass as FormClass | null,
    acronym,
    active: isRemoved === 0 && (status === null || status === 'active'),
    removed: isRemoved === 1,
    supported: type === 'business' && subtype === 'incorporated_entity',
    place: {
      ...readPlaceLine({ cityKey, regionCode, postalKey }, line, countryCode ?? country),
      countryCode: countryCode ?? '',
      // American lists name foreign registrants of the SEC with the country US.
      // A depositary receipt is of a company abroad.
      jurisdictionCountry: isRegistrant === 1 && !/\badr\b/i.test(name) ? 'US' : country,
      jurisdictionRegion: region === undefined ? '' : `${country}-${region}`,
    },
    prominence: {
      tickers: tickers ?? '',
      hasLei: (prominence & 2) > 0,
      hasIndustry: (prominence & 4) > 0,
    },
  }
}
