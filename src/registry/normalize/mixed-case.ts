import { removeRegistrySuffix } from '../../core/numbers/registry-suffix.js'
import forms from '../reference/legal-forms.json' with { type: 'json' }
import places from '../reference/place-names.json' with { type: 'json' }
import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { formWords } from './legal-forms.js'
import { isNumberWord, isSimpleWord, writeDotless, writesDotless } from './normalize-name.js'

/** Words that the general rules would spell wrong: forms, abbreviations, capitals within, words of two or three letters. */
const spellings = toTable(wordTables.spellings.join(' '))

/** Only at the end: legal forms that may be words elsewhere, and "Israel, State of". */
const lastSpellings = toTable('SpA ApS eG GbR hf ehf of')
/** Small between two words. */
const particles = toTable(wordTables.small_words)

/** Words in front of a name, which are initials or a state elsewhere: "Al Baraka", but "AL Holding" and "Mobile AL". */
const prefixes = toTable('Al Ait Abd Abu Abi Bin Bou Dar Ibn Oum Sid Um Umm')

function isPrefix(word: string, before: string, after: string): boolean {
  const next = toLower(/^[ -](\p{L}{2,})/u.exec(after)?.[1] ?? '')
  if (!prefixes.has(word) || /,\s*$/.test(before)) return false
  const isOther =
    isSimpleWord(next) || formWords.has(next) || next.startsWith('holding') || !/[aeiouy]/.test(next)
  return prefixes.has(next.toUpperCase()) || (next.length > 2 && !isOther)
}

/** Short words of languages, which are initials elsewhere; those with a small first letter are small within a name. */
const languages = wordTables.spellings_by_language.map(({ shown, countries, words }) => ({
  shown: shown === '' ? null : new RegExp(shown, 'u'),
  countries: new Set(countries.match(/[A-Z]{2}/g)),
  words: toTable(words),
}))

/** `country` is empty if it is unknown. */
function findOfLanguage(word: string, name: string, country: string): string | undefined {
  const isFitting = ({ shown, countries, words }: (typeof languages)[number]) =>
    words.has(word) && (countries.has(country) || shown?.test(name) === true)
  return languages.find(isFitting)?.words.get(word)
}

/** Letters of Vietnamese names, whose syllables are short words: "TNHH", "MTV" and "CP" are initials. */
const vietnamese = /[ĂĐƠƯẠ-Ỹ]/u
const vietnameseInitials = /^(?:TNHH|MTV|CP|CTCP|TM|DV|SX|XNK|XD|HTX|TV|TMDV|TMCP|ĐT|BĐS|VLXD|KD|KCN|DNTN)$/u

const countryNames = toTable(places.written_countries, '|')
const dottedForms = toTable('S.p.A,S.r.l,S.à r.l,s.r.o,a.s,d.o.o,e.V,Sp. z o.o', ',')

type Correction = readonly [pattern: RegExp, write: (found: string) => string]

/** Applied to a name with a dot, before `corrections`. */
const dottedCorrections: readonly Correction[] = [
  [/(?<=[\p{L}\p{N}]{2}\.)(?:co\.uk|com|net|org|ai|io|tv)(?![\p{L}\p{N}])/giu, toLower],
  [new RegExp(`(?<![\\p{L}.])(?:${wordTables.pointed_words})(?=\\.\\s?\\p{L}{2})`, 'gu'), toTitle],
  [/(?<=[\s,])(?:\p{L}\.){1,2}\p{L}\.?$|(?<=[\s,])S\.À R\.L\.?$|(?<=\s)SP\. Z O\.O\.?$/iu, writeDottedForm],
]
/** Applied to the written name, in this order. */
const corrections: readonly Correction[] = [
  [
    new RegExp(`(?<= (?:${wordTables.before_articles}) )(?:L(?=['‘’\`ʼ])|(?:L[ae]s?|Los|El)(?= ))`, 'g'),
    toLower,
  ],
  [/(?<=\p{L}{3} )(?:Y(?= (?:\p{L}{3}|La |El ))|E(?= (?:Hij|Indus|Ingen|Inmob|Inver|Impor)))/gu, toLower],
  [/\bCo-OP\b/g, () => 'Co-op'],
  [new RegExp(places.written_countries, 'giu'), (found) => countryNames.get(found.toUpperCase()) ?? found],
]

function toTable(words: string, separator: string | RegExp = /\s+/): ReadonlyMap<string, string> {
  return new Map(
    words
      .trim()
      .split(separator)
      .map((word) => [word.toUpperCase(), word]),
  )
}

/** Forms with small letters, of a few countries: Italy writes "S.r.l.", others "S.R.L." */
const smallForms = Object.entries(forms.small_forms).map(
  ([form, countries]) =>
    [new RegExp(`(?<=[\\s,])${form.replaceAll('.', '\\.')}\\.?$`), countries.split(' ')] as const,
)

/** Formats the name in use of a company of a country. Initials, which its legal name does not contain, stay in capitals. */
export function formatDisplayName(
  nameInUse: string,
  legalName: string,
  isRegistrant: boolean,
  country?: string | null,
): string {
  const name = isRegistrant ? removeRegistrySuffix(nameInUse) : nameInUse
  const shown = legalName.toUpperCase().includes(name) ? writeInMixedCase(name, country ?? '') : name
  const others = smallForms.filter(
    ([, countries]) => country && shown !== name && !countries.includes(country),
  )
  return others.reduce((text, [pattern]) => text.replace(pattern, (form) => form.toUpperCase()), shown)
}

/**
 * Writes a name in capitals with small letters, as people write it: "COCA-COLA CO" is "Coca-Cola Co". Only the case of
 * Latin letters changes. Returns a name with a small letter unchanged.
 */
export function writeInMixedCase(name: string, country = ''): string {
  if (hasSmallLetter(name) || !/\p{Script=Latin}/u.test(name)) return name
  const written = name.replace(/[\p{L}\p{M}\p{N}]+(?:['‘’`ʼ][\p{L}\p{M}\p{N}]+)*/gu, (word, at: number) =>
    writeWordAt(word, at, name, country),
  )
  const fitting = name.includes('.') ? [...dottedCorrections, ...corrections] : corrections
  const corrected = fitting.reduce((text, [pattern, write]) => text.replace(pattern, write), written)
  return writesDotless(country) ? writeDotless(corrected, name) : corrected
}

const hasSmallLetter = (name: string): boolean => /\p{Ll}/u.test(name)

/**
 * False for a name in capitals, and for one that a program wrote: "Bp Plc", "Apple INC". A word with capitals of its own
 * shows that people wrote it, unless the general rules know the word.
 */
function isMixedSpelling(name: string): boolean {
  if (!hasSmallLetter(name)) return false
  const written = writeInMixedCase(name.toUpperCase())
  const words = written.split(' ')
  const isOwn = (word: string, at: number) =>
    word !== words[at] && /\p{L}\p{Lu}|^\p{Ll}/u.test(word) && !spellings.has(word.toUpperCase())
  return written === name || name.split(' ').some(isOwn)
}

/** Finds another spelling, with small letters, of a registered name in capitals. */
export function findMixedSpelling(
  legalName: string,
  names: readonly { readonly kind: string; readonly name: string }[],
  isSame: (one: string, other: string) => boolean,
): string | null {
  if (hasSmallLetter(legalName)) return null
  const found = names.find(
    ({ kind, name }) => kind !== 'former' && isSame(name, legalName) && isMixedSpelling(name),
  )
  return found?.name ?? null
}

function writeWordAt(word: string, at: number, name: string, country: string): string {
  const end = at + word.length
  const last = at > 0 ? lastSpellings.get(word) : undefined
  if (last !== undefined && !/[\p{L}\p{N}]/u.test(name.slice(end))) return last
  const next = name.charAt(end)
  const ofLanguage = findOfLanguage(word, name, country)
  const isParticle = particles.has(word) || (ofLanguage !== undefined && hasSmallLetter(ofLanguage.charAt(0)))
  const isLast = ofLanguage !== undefined && word.length > 1 && isForm(name.slice(end))
  if (isParticle && !isLast && (next === ' ' || next === '-')) {
    const before = next === '-' ? /-$/ : ofLanguage?.length === 1 ? /\p{L}{2}[.,)]?\s$/u : behindWord
    return before.test(name.slice(0, at)) ? toLower(word) : toTitle(word)
  }
  if (ofLanguage !== undefined && !isParticle) return ofLanguage
  if (isPrefix(word, name.slice(0, at), name.slice(end))) return toTitle(word)
  const [head = '', ...tails] = word.split(/(?=['‘’`ʼ])/)
  if (vietnamese.test(name) && /[AEIOUY]/.test(word.normalize('NFD')) && !vietnameseInitials.test(word))
    return spellings.get(word) ?? toTitle(word)
  if (tails.length === 0) return writeWord(word, 3)
  // The apostrophe of "Go'zal" is a letter.
  const isElided = elided.test(head) && !(/^[BFGMOPV]$/.test(head) && withApostrophes.has(country))
  if (!isElided && tails.length === 1 && !/['‘’`ʼ](?:[SNTDM]|LL|RE|VE)$/u.test(word)) return toTitle(word)
  const small = behindWord.test(name.slice(0, at)) ? findOfLanguage(`${head}'`, name, country) : undefined
  const first = small?.charAt(0) ?? writeWord(head, 2)
  return first + tails.map((tail) => writeTail(tail, head.length === 1)).join('')
}
const isForm = (rest: string): boolean =>
  rest.split(' ').every((one) => one === '' || formWords.has(toLower(one)))
const behindWord = /[\p{L}\p{N}.,)&]\s$/u
const elided = /^(?:\p{Lu}|(?:A|DA|DE|NE|CO|SU|QUE)LL|SANT|MC)$/u
const withApostrophes = new Set('BY KG KZ RU TJ TM UA UZ'.split(' '))

/** Writes the part from an apostrophe on: "O'Reilly", "Kohl's". */
function writeTail(tail: string, isAfterPrefix: boolean): string {
  const letters = tail.slice(1)
  const isEnding = letters === 'S' || (letters.length <= 2 && !isAfterPrefix)
  return tail.charAt(0) + (isEnding ? toLower(letters) : toTitle(letters))
}

/** `shortMax`: unknown words of up to this many letters are abbreviations, like words without a vowel. */
function writeWord(word: string, shortMax: number): string {
  const known = spellings.get(word)
  if (known !== undefined) return known
  if (/^\d+(?:ST|ND|RD|TH)$/.test(word)) return toLower(word)
  if (/\d/.test(word)) return word.replace(/\p{Lu}{4,}/gu, toTitle)
  const isAbbreviation = word.length <= shortMax || !/[AEIOUYÆØŒƏƎƐƆ]/.test(word.normalize('NFD'))
  if (isAbbreviation || isNumberWord(toLower(word))) return word
  return /^MC[A-Z]{3}/.test(word) ? `Mc${toTitle(word.slice(2))}` : toTitle(word)
}

function writeDottedForm(form: string): string {
  const known = dottedForms.get(form.toUpperCase().replace(/\.$/, ''))
  return known === undefined ? form : known + (form.endsWith('.') ? '.' : '')
}

function toTitle(word: string): string {
  return word.charAt(0) + toLower(word.slice(1))
}

/** The small letter of "İ" has a dot of its own. */
function toLower(word: string): string {
  return word.toLowerCase().replaceAll('i\u0307', 'i')
}
