import { iso31661 } from 'iso-3166'
import known from './country-names.json' with { type: 'json' }
import { isAbbreviated, listUninflected, readCaseEndings } from './word-forms.js'
import { toPlainLetters } from './text.js'

/** English and own names of countries, separated by `|`. The first one is used if the name in ISO 3166-1 is a formal one. */
const countryAliases: Readonly<Record<string, string>> = known.english

/** Registers use the code XK, which ISO 3166-1 leaves to users. */
const countries = [...iso31661, { alpha2: 'XK', alpha3: 'XKX', name: 'Kosovo' }]

/** Needs only lower case. Most names are one such word, and many are read. */
const plainWord = /^[A-Za-z]+$/

/** More characters than any country's name has. */
const nameCharsMax = 200

/** Names in English, the countries' own names in Latin letters, and the codes of ISO 3166-1. */
export const countryCodes = new Map<string, string>()
const countryNames = new Map<string, string>()
for (const { alpha2, alpha3, name } of countries) {
  const aliases = countryAliases[alpha2]?.split('|') ?? []
  const everyday = alpha2 === 'AE' ? 'United Arab Emirates' : aliases[0]
  countryNames.set(alpha2, everyday !== undefined && /[,(]| of /.test(name) ? everyday : name)
  for (const one of [name, alpha2, alpha3, ...aliases]) countryCodes.set(foldName(one), alpha2)
}

/** Letters of which a name has one or the other. */
const arabicLetters: Readonly<Record<string, string>> = known.arabicLetters

/** Folds case, width, accents, spaces and signs. Letters of every script stay. */
function foldName(text: string): string {
  if (plainWord.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKC').toLowerCase()
  // ASCII, as nearly all texts are, needs no more.
  const letters = /^[\x20-\x7e]*$/.test(plain)
    ? plain
    : toPlainLetters(
        plain
          .replace(/[أإآةىیک]/g, (letter) => arabicLetters[letter] ?? letter)
          .normalize('NFD')
          .replace(/[\u0300-\u036f\u064b-\u0652\u0591-\u05c7]/g, '')
          .replaceAll('ə', 'e'),
      )
  return letters.replace(/[&+]/g, 'and').replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

/** Folds case, width and signs, and keeps accents: `Áo` (Austria, in Vietnamese) is not `AO`. */
const toAccentedKey = (text: string): string =>
  plainWord.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

/** `Oesterreich`, `Aegypten`, `Faeroeerne` */
const letterPairs = new Map(Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }))

/** Country codes by key of the name; several for a name of several countries. */
type NameTable = Map<string, readonly string[]>

/** Folded names with fewer letters are the codes of other countries. */
const foldedCharsMin = 4
/** Shorter ones are also words of other languages. */
const inflectedCharsMin = 6

function addName(table: NameTable, name: string, code: string): void {
  const accented = toAccentedKey(name)
  const folded = foldName(name)
  const keys = [accented]
  const isLatin = /^[a-z]+$/.test(folded)
  if (folded !== accented && (!isLatin || folded.length >= foldedCharsMin || isFreeCode(folded)))
    keys.push(folded)
  const written = name.toLowerCase().replace(/[äöüåø]/g, (letter) => letterPairs.get(letter) ?? letter)
  if (/[äöüåø]/i.test(name)) keys.push(foldName(written))
  for (const key of keys) {
    const codes = table.get(key) ?? []
    if (key !== '' && !codes.includes(code)) table.set(key, [...codes, code])
  }
}

/** Three letters that are no code: `Cad` for `Čad`. */
function isFreeCode(folded: string): boolean {
  otherCodes ??= listOtherCodes()
  return folded.length === 3 && !countryCodes.has(folded) && !otherCodes.has(folded)
}

let furtherNames: NameTable | null = null

function listNamesByCode(listed: Readonly<Record<string, string>>): NameTable {
  const table: NameTable = new Map()
  for (const [code, names] of Object.entries(listed))
    for (const name of names.split('|')) addName(table, name, code)
  return table
}

/** Names in use that CLDR lacks, and names of former states. They replace the same names of CLDR. */
function listFurtherNames(): NameTable {
  const table = listNamesByCode(known.names)
  for (const [codes, names] of Object.entries(known.ofSeveral))
    for (const name of names.split('|')) for (const code of codes.split(' ')) addName(table, name, code)
  return table
}

/** Names of countries in other languages that are rather known as those of towns: `Granada`, `Norfolk`. */
const townNames = new Set(known.towns.split('|'))

type Script = keyof typeof known.languages
const cldrNames = new Map<Script, NameTable>()

/** CLDR's names in the languages of a script, built at the first use; empty on a Node.js without them. */
function listCldrNames(script: Script): NameTable {
  const table = readLanguages(known.languages[script])
  // Other official languages give no name a second meaning.
  for (const [key, codes] of readLanguages(known.furtherLanguages[script]))
    if (codes.length === 1 && !/^[a-z]{1,3}$/.test(key) && !countryCodes.has(key) && !table.has(key))
      table.set(key, codes)
  return table
}

function readLanguages(languages: string): NameTable {
  const table: NameTable = new Map()
  const shortNamed = known.shortNamed.split(' ')
  for (const language of Intl.DisplayNames.supportedLocalesOf(languages.split(' '))) {
    const long = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    const short = new Intl.DisplayNames(language, { type: 'region', fallback: 'none', style: 'short' })
    for (const { alpha2 } of countries) {
      addCldrName(table, long.of(alpha2), alpha2)
      if (shortNamed.includes(alpha2)) addCldrName(table, short.of(alpha2), alpha2)
    }
  }
  return table
}

function addCldrName(table: NameTable, name: string | undefined, code: string): void {
  // Two letters are the code of a country (`EB`, `MB`) or of a union (`EU`).
  if (name === undefined || /^[A-Z]\W*[A-Z]\W*$/.test(name) || townNames.has(name)) return
  addName(table, name, code)
  // "Myanmar (Birma)", "Kongo (Kinshasa)"
  const plain = name.replace(/\s*[(（].*$/, '')
  if (plain !== name && plain !== '') addName(table, plain, code)
}

const getScript = (text: string): Script =>
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u.test(text)
    ? 'latin'
    : /\p{Script=Cyrillic}/u.test(text)
      ? 'cyrillic'
      : /[\u0900-\u0dff\u0e80-\u109f\u1200-\u139f\u1780-\u17ff]/u.test(text)
        ? 'southern'
        : 'other'

/** Whether names of countries in other languages than English are known: not on a Node.js with little language data. */
export const areLanguagesKnown = (): boolean =>
  Intl.DisplayNames.supportedLocalesOf(known.languages.latin.split(' ')).length > 1

/** Codes of sport and of vehicles, used only if they are no code of ISO 3166. */
let otherCodes: ReadonlyMap<string, string> | null = null
function listOtherCodes(): ReadonlyMap<string, string> {
  const listed = [...known.cars.split('|'), ...known.olympic.split('|')].map(
    (pair) => pair.toLowerCase().split(' ') as [string, string],
  )
  const numbers = iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2] as const)
  return new Map([...listed.map(([code, country]) => [code, country.toUpperCase()] as const), ...numbers])
}

const none: readonly string[] = []
/** Many rows have the same countries and towns. */
const remembered = new Map<string, readonly string[]>()
const rememberedMax = 10_000

/**
 * Returns the ISO 3166-1 alpha-2 codes that a name or code of a country may mean, in one of eighty languages: two for
 * `Congo` and for `SR` (Suriname, `Slovenská republika`), those of its successors for a former state, none if it is not
 * known. Not for words of names: inflected names (`w Niemczech`) are also adjectives.
 */
export const findCountryCodes = (text: string): readonly string[] => [
  ...findSureCodes(text),
  ...(shortForms.get(text.replace(/[.\s]/g, '').toUpperCase())?.split(' ') ?? none),
]

/** Codes that other countries use for their own name: `SR` in Slovakia. */
const shortForms = new Map(Object.entries(known.shortForms))

function findSureCodes(text: string): readonly string[] {
  const exact = findExactCodes(text)
  return exact.length > 0 ? exact : readInflected(text.slice(0, nameCharsMax).trim())
}

/** Finds names that are not inflected. */
export function findExactCodes(text: string): readonly string[] {
  const tidy = text.slice(0, nameCharsMax).trim()
  const before = remembered.get(tidy)
  if (before !== undefined) return before
  if (remembered.size >= rememberedMax) remembered.clear()
  const codes = readCountry(tidy)
  remembered.set(tidy, codes)
  return codes
}

/** Initials with points that without them are the code of another country: `R.O.U.` is Uruguay, `ROU` Romania. */
const pointedNames = new Map(Object.entries(known.pointed))

function readCountry(text: string): readonly string[] {
  const pointed = pointedNames.get(text.toUpperCase().replace(/\s/g, ''))
  if (pointed !== undefined) return [pointed]
  const codes = findName(text)
  if (codes.length > 0) return codes
  const key = foldName(text)
  if (key === '') return none
  otherCodes ??= listOtherCodes()
  const other = otherCodes.get(/^\d{1,3}$/.test(key) ? key.padStart(3, '0') : key)
  const short = other === undefined ? readAbbreviation(text) : [other]
  if (short.length > 0) return short
  const plain = removeFormalWords(text)
  const named = plain === null ? none : findName(plain)
  return named.length > 0 ? named : readSeveralNames(text)
}

/** Finds a whole name, or a code of ISO 3166-1. */
function findName(text: string): readonly string[] {
  const accented = toAccentedKey(text)
  const folded = foldName(text)
  if (folded === '') return none
  furtherNames ??= listFurtherNames()
  const further = furtherNames.get(accented)
  const own = accented === folded ? countryCodes.get(folded) : undefined
  // The names of ISO 3166-1 do not tell which Congo is meant.
  if (further !== undefined && (own === undefined || further.length > 1)) return further
  // "NGA" is Nigeria; "Nga" is Russia in Vietnamese too.
  const isCode = folded.length !== 3 || text === text.toUpperCase() || text === text.toLowerCase()
  if (own !== undefined && isCode) return [own]
  const script = getScript(text)
  let names = cldrNames.get(script)
  if (names === undefined) {
    names = listCldrNames(script)
    cldrNames.set(script, names)
  }
  const exact = names.get(accented)
  if (exact !== undefined && own !== undefined) return [...new Set([own, ...exact])]
  if (exact !== undefined) return exact
  const code = countryCodes.get(folded)
  if (code !== undefined) return [code]
  return furtherNames.get(folded) ?? names.get(folded) ?? none
}

interface NameWords {
  readonly words: readonly string[]
  readonly code: string
}

/** Names by their number of words and first letter: `2w` for `Wielka Brytania`. Built at the first abbreviation. */
let namesByWords: ReadonlyMap<string, readonly NameWords[]> | null = null

const splitWords = (name: string): string[] => name.split(/[\s-]+|(?<=\.)/).filter((word) => word !== '')

function listNamesByWords(): Map<string, NameWords[]> {
  const names = new Map<string, NameWords[]>()
  const add = (name: string | undefined, code: string) => {
    if (name === undefined || townNames.has(name)) return
    const words = splitWords(name.replace(/\s*[(（].*$/, '')).map(foldName)
    const key = `${words.length}${words[0]?.charAt(0)}`
    names.set(key, [...(names.get(key) ?? []), { words, code }])
  }
  const { latin, cyrillic } = known.languages
  for (const language of Intl.DisplayNames.supportedLocalesOf(`${latin} ${cyrillic}`.split(' '))) {
    const long = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    for (const { alpha2 } of countries) add(long.of(alpha2), alpha2)
  }
  for (const [code, own] of Object.entries(known.names)) for (const name of own.split('|')) add(name, code)
  return names
}

/** One word with a point has at least this many letters: shorter ones are rather regions (`Calif.`, `Colo.`). */
const shortWordMin = 5

/**
 * Reads words that a point cuts: the start of a name with one word (`Deutschl.`); in a name with more words, any letters of
 * a word in their order (`Wlk. Brytania`, `Rep. Checa`). The codes of several countries are no answer.
 */
function readAbbreviation(text: string): readonly string[] {
  const words = splitWords(text).map((word) => ({ letters: foldName(word), isCut: word.endsWith('.') }))
  const [first] = words
  const isText = words.every(({ letters }) => /^\p{L}+$/u.test(letters))
  if (first === undefined || !isText || words.length > 4 || !words.some(({ isCut }) => isCut)) return none
  const isSingle = words.length === 1
  if (!words.some(({ letters }) => letters.length >= (isSingle ? shortWordMin : 3))) return none
  namesByWords ??= listNamesByWords()
  const named = namesByWords.get(`${words.length}${first.letters.charAt(0)}`) ?? []
  const found = named.filter((name) => isAbbreviated(words, name.words))
  const codes = [...new Set(found.map(({ code }) => code))]
  return codes.length === 1 ? codes : none
}

const caseEndings = readCaseEndings(Object.values(known.cases), foldName)
/** Inflected names without such an ending. */
let inflectedNames: NameTable | null = null

const preposition = new RegExp(`^(?:${known.prepositions})\\s+(?=\\p{L}{4})`, 'iu')
const formBehind = new RegExp(`(?:\\s+(?:${known.formsBehind})|(?<=..)${known.formsJoined})$`, 'iu')

/** Reads a name in a case, behind a preposition, or with the form of the state behind it: `w Niemczech`. */
function readInflected(text: string): readonly string[] {
  if (townNames.has(text)) return none
  inflectedNames ??= listNamesByCode(known.inflected)
  const bare = text.replace(preposition, '').replace(formBehind, '')
  for (const one of new Set([text, bare])) {
    const key = foldName(one)
    const charsMin = /^[a-z]/.test(key) ? inflectedCharsMin : inflectedCharsMin - 1
    const names = key.length < charsMin ? [] : listUninflected(key, caseEndings)
    const found = names.filter((name) => name.length >= inflectedCharsMin - 1).flatMap(findName)
    const exact = inflectedNames.get(key) ?? (one === text ? none : findName(one))
    const codes = exact.length > 0 ? exact : [...new Set(found)]
    if (codes.length === 1) return codes
  }
  return none
}

const article = new RegExp(known.article, 'iu')
const formalWords = new RegExp(known.formalWords, 'iu')
/** Removes an article and the form of the state: `die Schweiz`, `Republik Österreich`; null without them. */
function removeFormalWords(text: string): string | null {
  const bare = text.replace(article, '')
  const plain = bare
    .replace(formalWords, '')
    .replace(/^d[’'`´]\s*/iu, '')
    .replace(article, '')
  return plain === text || foldName(plain).length < foldedCharsMin ? null : plain
}

/** `Schweden (SE)`, `DE - Germany`, `Suisse / Schweiz`: all parts name the same country. */
function readSeveralNames(text: string): readonly string[] {
  const parts = text
    .split(/[()[\]（）/|;,:–—]|\s+-\s*|\s*-\s+|(?<=^[A-Za-z]{2,3})-|-(?=[A-Za-z]{2,3}$)/)
    .flatMap((part) => (part.trim() === '' ? [] : [part]))
  const [first = none, ...others] = parts.length > 1 ? parts.map((part) => findName(part)) : []
  return others.reduce((shared, codes) => shared.filter((code) => codes.includes(code)), first)
}

/** Returns the ISO 3166-1 alpha-2 code for a country's name or code, or null if it is unknown or of several countries. */
export function findCountryCode(text: string): string | null {
  const codes = findSureCodes(text)
  return codes.length === 1 ? (codes[0] ?? null) : null
}

/** Returns the everyday English name for a country code, or null. */
export function findCountryName(code: string): string | null {
  return countryNames.get(code) ?? null
}
