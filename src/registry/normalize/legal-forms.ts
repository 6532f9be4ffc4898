import { isJoiningWord, removeJoiningWords } from './normalize-name.js'
import { hasOtherScript } from './sounds.js'
import { countriesInBrackets, toFormPattern } from './unspaced-names.js'
import type { LegalForm } from '../../contract/enums.js'
import { writeGreekPlain } from '../../core/text.js'
import { listKinds } from '../reference/registers.js'
import table from '../reference/legal-forms.json' with { type: 'json' }

type UsualForm =
  'limited' | 'stock' | 'partnership' | 'sole_trader' | 'cooperative' | 'association' | 'foundation'
/** Bodies of one purpose, as Japan has them. */
type PurposeForm = 'medical' | 'welfare' | 'school' | 'religious' | 'agency'
/**
 * Class of a legal form. `enterprise`: a company of the state, or one without shares that one owner holds: ФГУП, ПП.
 * `company` is a weak word ("Co"); different other classes mean different registrations.
 */
export type FormClass = UsualForm | PurposeForm | 'enterprise' | 'company'

export interface LegalFormEntry {
  readonly words: readonly string[]
  readonly formClass: FormClass
  readonly legalForm: LegalForm | null
  /** ISO 3166-1 codes of the countries that have the form; empty if not distinctive. */
  readonly countries: readonly string[]
  /** Precedes the name ("PT Astra", "OOO Romashka"). */
  readonly leading: boolean
  /** A form only as the last word, after no other form: "Acme KY", but not "Acme KY Ltd" or "Acme Inc KY". */
  readonly closing: boolean
}

/**
 * `reference/legal-forms.json`: spellings, separated by commas; `<` marks a leading form, `$` a closing one. CC,
 * DA, KS, NL, PSA, SD, KEG and teo are missing because they are too often words of names. `alone`: the short ones, in full, for fields of forms. `also`: countries that know a form of others.
 * `scripts`: forms in other scripts, with the same marks; `words`: its words in Latin letters, where they tell forms of one class apart. `public_limited`: countries of `isPublicLimited`. `kinds`: see `listKinds`. `written`: see `lastForms`. `qualities`: see `toFormPattern`. `writings`: usual writings of words and phrases of forms; each spelling is read with any of them.
 */
export const writings = Object.entries(table.writings)

/** The countries where a form is usual, by the list of all that know it. */
const usualCountries = new WeakMap<readonly string[], readonly string[]>()
export const getUsual = (countries: readonly string[]) => usualCountries.get(countries) ?? countries

/** Returns the countries where a form is usual if they are few enough to locate a company, otherwise an empty list. */
export const getDistinctiveCountries = (countries: readonly string[]): readonly string[] =>
  getUsual(countries).length > 20 ? [] : getUsual(countries)

/** A single word is a spelling of its own: "co" alone is another form than "company". So is one that the table has elsewhere. */
function listWritings(spelling: string, inTable: ReadonlySet<string>): Set<string> {
  const found = new Set([spelling])
  if (!spelling.includes(' ')) return found
  for (const [long, shorts] of writings)
    for (const known of [...found])
      if (known.includes(long))
        for (const short of shorts) found.add(` ${known} `.replace(` ${long} `, ` ${short} `).trim())
  return new Set([...found].filter((writing) => writing === spelling || !inTable.has(writing)))
}

/** A form of three words is no part of a name, even at its start, nor is a long one that is not English: "Aktiebolaget Volvo". */
const isLong = (form: { class: string; countries: string }, spelling: string, words: readonly string[]) =>
  (spelling.split(' ').length > 2 && words.length > 1) ||
  (words.join('').length > 7 &&
    /stock|limited|enterprise/.test(form.class) &&
    !/US|GB|^$/.test(form.countries))

const toWords = (text = ''): string[] => (text === '' ? [] : text.split(' '))

function parseTable(): LegalFormEntry[] {
  const unmark = (marked: string) => marked.replace(/^[<$]/, '')
  const inTable = new Set(table.forms.flatMap(({ spellings }) => spellings.split(', ').map(unmark)))
  return table.forms.flatMap((form) => {
    const usual = toWords(form.countries)
    const countries = form.also === undefined ? usual : [...usual, ...toWords(form.also)]
    usualCountries.set(countries, usual)
    return form.spellings.split(', ').flatMap((marked) => {
      const spelling = unmark(marked)
      return [...listWritings(spelling, inTable)].map((writing) => {
        const words = removeJoiningWords(writing.split(' '))
        return {
          words,
          formClass: form.class as FormClass,
          legalForm: form.legal_form as LegalForm | null,
          countries,
          leading: marked.startsWith('<') || isLong(form, spelling, words),
          closing: marked.startsWith('$'),
        }
      })
    })
  })
}

const entries = parseTable()
/** The words of all forms. */
export const formWords: ReadonlySet<string> = new Set(entries.flatMap(({ words }) => words))
const byLastWord = groupBy((entry) => entry.words.at(-1) ?? '')
const byFirstWord = groupBy((entry) => (entry.leading ? (entry.words[0] ?? '') : ''))
const byAnyFirstWord = groupBy((entry) => entry.words[0] ?? '')

function groupBy(getKey: (entry: LegalFormEntry) => string): Map<string, LegalFormEntry[]> {
  const groups = new Map<string, LegalFormEntry[]>()
  // The longest spelling wins: "GmbH & Co. KG" before "KG".
  for (const entry of entries.toSorted((a, b) => b.words.length - a.words.length)) {
    const key = getKey(entry)
    if (groups.get(key)?.push(entry) === undefined) groups.set(key, [entry])
  }
  return groups
}

/** A form in front of a quoted name: `SIA "AB Norvane"`, `A/s "Norvane"`. */
export const isInFrontOfQuoted = (written = ''): boolean =>
  /^\s*[\p{L}./]+,?\s*["“”„«][^"“”„«»]*["“”»]$/u.test(written)

const accentedWord = /^\P{L}*[A-Za-z]*[\u00c0-\u024f]/u

/**
 * True if two or, at the beginning, three letters with a vowel are initials or a word instead of a form: "SMITH A O CORP" and
 * "SAS Software Ltd" have the form of another country behind them; "Pão" has an accent, ПАО in Latin letters has none.
 */
export function isInitialsBefore(
  entry: Pick<LegalFormEntry, 'words' | 'countries'>,
  next: Pick<LegalFormEntry, 'formClass' | 'countries'> | null,
  { isFirst, written }: { readonly isFirst: boolean; readonly written?: string } = { isFirst: false },
): boolean {
  const [word = '', more] = entry.words
  const isShort = word.length < 3 || (isFirst && word.length === 3 && /[aeiouy]/.test(word))
  if (more !== undefined || !isShort || isInFrontOfQuoted(written)) return false
  if (isFirst && written !== undefined && accentedWord.test(written)) return true
  if (next === null || next.formClass === 'company') return false
  const [own, others] = [getUsual(entry.countries), getUsual(next.countries)]
  return own.length > 0 && others.length > 0 && !own.some((country) => others.includes(country))
}

/** Returns the longest form that ends at index `end` of `words`, or `null`. */
export function findTrailingForm(words: readonly string[], end: number): LegalFormEntry | null {
  for (const entry of byLastWord.get(words[end - 1] ?? '') ?? []) {
    const from = end - entry.words.length
    if (!hasWordsAt(entry.words, words, from)) continue
    if (!entry.closing || (end === words.length && findTrailingForm(words, from) === null)) return entry
  }
  return null
}

const fronts = new Map(Object.entries(table.fronts).map(([country, words]) => [country, words.split(' ')]))

export const hasFronts = (country: string): boolean => fronts.has(country)

/** Returns the short form that names of a country begin with: "AS Norvane", "Ab Norvane Oy" in two languages, but not "AS Norvane OÜ", which has its own. */
export function findNationalFrontForm(country: string, words: readonly string[]): LegalFormEntry | null {
  const [word = '', next] = words
  if (next === undefined || fronts.get(country)?.includes(word) !== true) return null
  const last = findTrailingForm(words, words.length)
  const isOwn = (one: LegalFormEntry) => one.words.length === 1 && one.countries.includes(country)
  const own = byAnyFirstWord.get(word)?.find(isOwn)
  const isPair = last === null || word === 'sc' || (own !== undefined && areTranslations(own, last, country))
  if (!isPair || (last?.words.length ?? 0) + 1 === words.length) return null
  const plain = entries.find(({ formClass }) => formClass === 'company')
  return own ?? (plain === undefined ? null : { ...plain, words: [word] })
}

const areTranslations = (own: LegalFormEntry, last: LegalFormEntry, country: string): boolean =>
  own.formClass === last.formClass &&
  own.words[0] !== last.words[0] &&
  last.countries.includes(country) &&
  String(listKinds(country, own.words)) === String(listKinds(country, last.words))

/** Returns the form at the beginning of `words`, or `null`. */
export function findLeadingForm(words: readonly string[]): LegalFormEntry | null {
  const known = words[0] ? byFirstWord.get(words[0]) : undefined
  return known?.find((entry) => hasWordsAt(entry.words, words, 0)) ?? null
}

/** Returns the longest form that begins at index `at` of `words`, or `null`; a closing one only at the end. Of two spelled alike, one that leads. */
export function findFormAt(words: readonly string[], at: number): LegalFormEntry | null {
  const known = byAnyFirstWord.get(words[at] ?? '') ?? []
  const isHere = (entry: LegalFormEntry) =>
    hasWordsAt(entry.words, words, at) && (!entry.closing || at + entry.words.length === words.length)
  const found = known.find(isHere) ?? null
  if (at > 0 || found === null || found.leading) return found
  const isAsLong = ({ words: own }: LegalFormEntry) => own.length === found.words.length
  return known.find((entry) => entry.leading && isAsLong(entry) && isHere(entry)) ?? found
}

/** Returns a form of several words that a column has cut, from index `at` to the end: "Joint Stock Compan". `last`: the last word as given. */
function findCutForm(words: readonly string[], at: number, last: string): LegalFormEntry | null {
  const rest = words.slice(at)
  // Shorter ones may be two words of a name.
  if (rest.length < 2 || rest.join('').length < 8) return null
  const isBegun = (entry: LegalFormEntry) =>
    entry.words.length >= rest.length &&
    hasWordsAt(rest.slice(0, -1), entry.words, 0) &&
    entry.words[rest.length - 1]?.startsWith(last) === true
  return byAnyFirstWord.get(rest[0] ?? '')?.find(isBegun) ?? null
}

/** A legal form in the text. */
export interface StatedForm {
  readonly at: number
  readonly count: number
  readonly formClass: FormClass
  readonly legalForm: LegalForm | null
  readonly countries: readonly string[]
  readonly words: readonly string[]
}

/** Forms that are words of names too: not a form as the first word. */
const isLeadingForm = ({ leading, words, formClass }: LegalFormEntry): boolean =>
  leading || (formClass !== 'company' && words.join('').length >= 4 && words[0] !== 'limited')

/** Finds the forms in the words of a text, in its order. */
export function findForms(
  words: readonly string[],
  { last, written, native }: { last: string; written: string; native: NativeCut['form'] },
): StatedForm[] {
  const forms: StatedForm[] = []
  // Joining words are missing in the table of forms: "GmbH & Co. KG".
  const places = words.flatMap((word, at) => (isJoiningWord(word) ? [] : [at]))
  const plain = places.map((at) => words[at] ?? '')
  for (let index = 0; index < plain.length;) {
    const whole = findFormAt(plain, index)
    const cut = (whole?.words.length ?? 0) < plain.length - index ? findCutForm(plain, index, last) : null
    const entry = cut ?? whole
    const count = cut === null ? (whole?.words.length ?? 1) : plain.length - index
    const leads =
      entry !== null &&
      (isLeadingForm(entry) || (entry.formClass !== 'company' && isInFrontOfQuoted(written)))
    if (entry !== null && (index > 0 || (leads && count < plain.length))) {
      const at = places[index] ?? 0
      const end = (places[index + count - 1] ?? at) + 1
      const { formClass, legalForm, countries } = entry
      forms.push({ at, count: end - at, formClass, legalForm, countries, words: entry.words })
    }
    index += count
  }
  for (let at = forms.length - 1; at >= 0; at--) {
    const [form, next = forms[at - 1]] = [forms[at], forms[at + 1]]
    if (!form || !next) continue
    const isNext = next.at === form.at + form.count
    // "sp. z o.o. sp. k." is a partnership, and "trgovina na veliko d.o.o." has a word in between.
    const isOne = isNext && `${form.formClass} ${next.formClass}` === 'limited partnership'
    const isWord = isNext || written.includes(` ${form.words.join(' ')} `)
    if (isOne) forms.splice(at, 2, { ...next, at: form.at, count: form.count + next.count })
    else if (isWord && isInitialsBefore(form, next)) forms.splice(at, 1)
  }
  const [first, ending = null] = [forms[0], forms.at(-1)]
  if (first?.at === 0 && isInitialsBefore(first, ending, { isFirst: true, written })) forms.shift()
  if (native !== null) forms.push({ at: findPurpose(words, written) || words.length, count: 0, ...native })
  return forms
}

/** Returns where the purpose of a company begins, behind a form in another script of which only spaces are left; 0 without one. */
export const findPurpose = (words: readonly string[], written: string): number =>
  /^(?:(?!\sза\s).)*\S\s{2,}за\s/iu.test(written) ? Math.max(0, words.indexOf('za', 1)) : 0

const hasWordsAt = (form: readonly string[], words: readonly string[], from: number): boolean =>
  from >= 0 && form.every((word, index) => words[from + index] === word)

/** Not part of a longer word or of initials. */
const apart = String.raw`(?<![\p{L}\p{N}./])`

/** Companies of Argentina and Uruguay state their trades in the form: "Sociedad Anónima Industrial y Comercial". */
const anonima = new RegExp(
  String.raw`(?<=\S\s)sociedad an[oó]nima(?:,?\s+(?:[ye]\s+)?(?:${table.trades}))*(?:\s+de(?:\s+\p{L}+){1,5})?\s*$`,
  'iu',
)

/** Forms that differ from words only by punctuation or capitals: without it "I/S" is "is". */
const writtenForms: readonly (readonly [pattern: RegExp, spelledOut: string])[] = [
  [new RegExp(String.raw`${apart}A\s?/\s?S(?![\p{L}\p{N}/])`, 'giu'), ' as '],
  [new RegExp(String.raw`${apart}I/S(?![\p{L}\p{N}/])`, 'giu'), ' interessentskab '],
  [new RegExp(String.raw`${apart}K/S(?![\p{L}\p{N}/])`, 'giu'), ' kommanditselskab '],
  [new RegExp(String.raw`${apart}P/S(?![\p{L}\p{N}/])`, 'giu'), ' partnerselskab '],
  [new RegExp(String.raw`(?<=\S\s)S\s?/\s?A\.?(?![\p{L}\p{N}/])`, 'giu'), ' sa '],
  [new RegExp(String.raw`(?<=\S\s)P/L\.?\s*$`, 'iu'), ' pty ltd'],
  [anonima, ' sociedad anonima'],
  [/(?<![\p{L}\p{N}])[vV](?:\s?[./]\s?|an\s)d\b\.?(?=\s\p{Lu})/gu, 'van de'],
  ...countriesInBrackets,
  [new RegExp(String.raw`(?<=\S\s)(?:${table.sacco})(?!\p{L})`, 'giu'), ' sacco '],
  [/(?<=\S\s)(?:\(P\)|(?<!(?<!\p{L})\p{L}\.?\s)P\.)\s*(?=(?:Ltd|Limited)\.?\s*$)/iu, ' private '],
  // "Trust Sha" has lost the end of "Shares".
  [/(?<=\S\s)(?:[Ss][Hh]\.\s?[Aa]\.?|SHA|ShA)\s*$/u, ' shoqeri aksionare'],
  // The form of South Africa and Namibia, in Afrikaans and in full: "CC" is too often a word of a name to be a form.
  [/(?<=\S{3}\s)\(?(?:close corporation|beslote korporasie)\)?\.?\s*$/iu, ' cc'],
  [/(?<=\p{Ll}\s)B\.?\s?K\.?\s*$/u, ' cc'],
  [/(?<=&|\s[ey])\s*C\.?\s?[aª]\.?(?=,?\s+(?:lt?da|limitada|s\.?\s?[al]|crl)\b|$)/gi, ' companhia'],
  [/(?<=\S\s)[e&]\s+C\.?(?=,?\s+S\.?\s?(?:N\.?\s?C|A\.?\s?S)\b)/gi, ' & co'],
  [new RegExp(String.raw`${apart}T:mi(?!\p{L})`, 'giu'), ' tmi '],
  [/(?<=\S\s)(?:(?:Ltd|Limited)\.?,?\s*Part|Part\.,?\s*(?:Ltd|Limited))\.?\s*$/iu, ' limited partnership'],
  [new RegExp(String.raw`${apart}(?:[eE]\.\s?[kK]|e\s?K)\.?\s*$`, 'u'), ' eingetragener kaufmann'],
  [new RegExp(String.raw`${apart}e\.?\s?U\.?\s*$`, 'u'), ' eingetragener unternehmer'],
]

/** Forms at the end of a name that are other words without their dots, or in other letters. */
const lastForms = new Map(
  Object.entries(table.written).map(([form, full]) => [form.replaceAll('.', ''), full]),
)
const lastWritten = new RegExp(
  String.raw`(?<=\S\s)(?:${Object.keys(table.written)
    .map((form) => form.replaceAll('.', String.raw`\.\s?`).replace(/\\.\\s\?$/, ''))
    .join('|')})\.?\s*$`,
  'u',
)

/** Nearly no name has one of them: this test is fast, the patterns are not. */
const hasWrittenForm =
  /an[o\u00f3]nima[ ,]|v\s?[./]\s?d\b|van d\b|savings?\s|sacco|[aikp]\s?\/\s?s|\ss\s?\/\s?a|p\/l\.?\s*$|e\.?\s?[ku]\.?\s*$|\([a-z.']{1,7}\)\s*(?:$|[lcps(-])|\s(?:gha?|ug|tz|zm|bd|lk|lanka|nig?|ng|ken?|e\.?a|w\.a|tanz|zamb?|zim|bots|gam|pak|bang|[bms]'?(?:desh|tius|sia|pore)|ugn|rwa)\.?\s+[lcps(-]|\sp\.\s*l|\ssh\.?\s?a\.?\s*$|[&ey]\s*c\.?\s?[aª]|[e&]\s+c\.?,?\s+s|close corp|beslote k|t:mi|part|\sb\.?\s?k\.?\s*$/i

/** Writes out forms that folding would change into other words. `name` must be unfolded. */
export function expandForms(name: string): string {
  const text = name.replace(lastWritten, (found) => lastForms.get(found.replace(/[.\s]/g, '')) ?? found)
  if (!hasWrittenForm.test(text)) return text
  return writtenForms.reduce((rest, [pattern, spelledOut]) => rest.replace(pattern, spelledOut), text)
}

/** `letters`: those that each writing of the form has. A search for them takes less time than the pattern. */
interface NativeForm {
  readonly letters: string
  readonly getPattern: () => RegExp
  readonly form: Omit<StatedForm, 'at' | 'count'>
}

/** Forms in other scripts, the longest first, built at the first name in one, and their patterns at one with their letters. They are removed before transliteration, which reads kanji as Chinese. */
let nativeForms: readonly NativeForm[] | null = null
const getNativeForms = (): readonly NativeForm[] =>
  (nativeForms ??= table.scripts
    .flatMap((form) => form.spellings.split(', ').map((marked) => ({ form, marked })))
    .sort((a, b) => b.marked.length - a.marked.length)
    .map(({ form: { class: formClass, legal_form: legalForm, ...form }, marked }) => {
      const [countries, words] = [toWords(form.countries), toWords(form.words)]
      const plain = writeGreekPlain(marked.normalize('NFKC').toLowerCase())
      const letters = /(?:(?![ةهأإؤیيىکك])[\p{L}\p{M}])+/u.exec(plain)?.[0] ?? ''
      const native = { formClass, legalForm, countries, words } as NativeForm['form']
      let pattern: RegExp | undefined
      return { letters, getPattern: () => (pattern ??= toFormPattern(marked)), form: native }
    }))

export type NativeCut = Readonly<{ rest: string; form: NativeForm['form'] | null }>

/** Removes forms in non-Latin scripts from a name, unless nothing else would remain. */
export function cutNativeForms(name: string): NativeCut {
  let [rest, form]: [string, NativeCut['form']] = [name, null]
  if (!hasOtherScript(name)) return { rest, form }
  const lower = writeGreekPlain(name.toLowerCase())
  for (const { letters, getPattern, form: native } of getNativeForms()) {
    const cut = lower.includes(letters) ? rest.replace(getPattern(), ' ') : rest
    if (cut === rest || !/[\p{L}\p{N}]/u.test(cut)) continue
    rest = cut
    // As "Co." in Latin letters, a word for a company adds nothing to another form.
    if (form === null || form.formClass === 'company') form = native
  }
  return { rest, form }
}
