import { removeRegistrySuffix } from '../../core/numbers/registry-suffix.js'
import forms from '../reference/legal-forms.json' with { type: 'json' }
import places from '../reference/place-names.json' with { type: 'json' }
import wordTables from '../reference/word-classes.json' with { type: 'json' }
import { formWords } from './legal-forms.js'
import { isLightWord, isNumberWord, isTradeWord } from './normalize-name.js'

/**
 * Words that the general rules would spell wrong: legal forms, abbreviations, names with capitals within, words of two
 * or three letters.
 */
const spellings = toTable(wordTables.spellings.join(' '))

/** Only at the end: legal forms that may be words elsewhere, and "Israel, State of". */
const lastSpellings = toTable('SpA ApS eG GbR hf ehf of')

/** Small within a name, between two words. */
const particles = toTable(`
  of and the for from with at in on or to by an as de du et di da do del dei della delle dos das van von der und zu
  zur für mit per à og och en em aux pour para por voor het til för på ja ao aos às`)

/** Words in front of a name, which are initials or a state elsewhere: "Al Baraka", but "AL Holding" and "Mobile AL". */
const prefixes = toTable('Al Ait Abd Abu Abi Bin Bou Dar Ibn Oum Sid Um Umm')

function isPrefix(word: string, before: string, after: string): boolean {
  const next = toLower(/^[ -](\p{L}{2,})/u.exec(after)?.[1] ?? '')
  if (!prefixes.has(word) || /,\s*$/.test(before)) return false
  const isOther =
    isTradeWord(next) ||
    isLightWord(next) ||
    formWords.has(next) ||
    next.startsWith('holding') ||
    !/[aeiouy]/.test(next)
  return prefixes.has(next.toUpperCase()) || (next.length > 2 && !isOther)
}

/** Words of one or two letters that are also initials: small if the name shows its language by a form or a letter. */
const particlesOfLanguage: readonly (readonly [name: RegExp, words: ReadonlyMap<string, string>])[] = [
  [/\b(?:LTDA|LDA|EIRELI|SRL|S\.R\.L|S\.P\.A|SPA|SNC)\b|[ÃÕÇÌÒÙ]/u, toTable('e')],
  [/\bSP\.? ?Z ?O\.? ?O\b|SPÓŁKA|SPOLKA|[ŁĄĘŚŻŹĆ]/u, toTable('i w we z za na do oraz')],
  [/\b(?:S\.R\.O|SRO|SPOL)\b|[ĚŘŮŤĎŇ]/u, toTable('a i v ve z na pro')],
  [/[ŞĞİ]/u, toTable('ve ile')],
  // In Spanish, "Sur" is the south.
  [/\b(?:SARL|SASU?|EURL|SCI|SNC|LES?|DES|DU|AUX|ET)\b|[ÀÂÇÊÈÎÔŒ]/u, toTable('sur')],
  [/\bUAB\b|[ŲĖĮ]/u, toTable('ir')],
]

/** Letters of Vietnamese names, whose syllables are short words: "TNHH", "MTV" and "CP" are initials. */
const vietnamese = /[ĂĐƠƯẠ-Ỹ]/u
const vietnameseInitials = /^(?:TNHH|MTV|CP|CTCP|TM|DV|SX|XNK|XD|HTX|TV|TMDV|TMCP|ĐT|BĐS|VLXD|KD|KCN|DNTN)$/u

const countryNames = toTable(places.written_countries, '|')

const dottedForms = toTable('S.p.A,S.r.l,S.à r.l,s.r.o,a.s,d.o.o,e.V,Sp. z o.o', ',')

type Correction = readonly [pattern: RegExp, write: (found: string) => string]

/** Applied to a name with a dot, before `corrections`. */
const dottedCorrections: readonly Correction[] = [
  [/(?<=[\p{L}\p{N}]{2}\.)(?:co\.uk|com|net|org|ai|io|tv)(?![\p{L}\p{N}])/giu, toLower],
  [/(?<=[\s,])(?:\p{L}\.){1,2}\p{L}\.?$|(?<=[\s,])S\.À R\.L\.?$|(?<=\s)SP\. Z O\.O\.?$/iu, writeDottedForm],
]
/** Applied to the written name, in this order. */
const corrections: readonly Correction[] = [
  [/(?<= de )(?:La|Las|Los|El)(?= )/g, toLower],
  [/(?<=\p{L}{3} )Y(?= \p{L}{3})/gu, toLower],
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
  const shown = legalName.toUpperCase().includes(name) ? writeInMixedCase(name) : name
  const others = smallForms.filter(
    ([, countries]) => country && shown !== name && !countries.includes(country),
  )
  return others.reduce((text, [pattern]) => text.replace(pattern, (form) => form.toUpperCase()), shown)
}

/**
 * Writes a name in capitals with small letters, as people write it: "COCA-COLA CO" is "Coca-Cola Co". Only the case of
 * Latin letters changes. Returns a name with a small letter unchanged.
 */
export function writeInMixedCase(name: string): string {
  if (hasSmallLetter(name) || !/\p{Script=Latin}/u.test(name)) return name
  const written = name.replace(/[\p{L}\p{M}\p{N}]+(?:['’`ʼ][\p{L}\p{M}\p{N}]+)*/gu, (word, at: number) =>
    writeWordAt(word, at, name),
  )
  const fitting = name.includes('.') ? [...dottedCorrections, ...corrections] : corrections
  return fitting.reduce((text, [pattern, write]) => text.replace(pattern, write), written)
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

function writeWordAt(word: string, at: number, name: string): string {
  const end = at + word.length
  const last = at > 0 ? lastSpellings.get(word) : undefined
  if (last !== undefined && !/[\p{L}\p{N}]/u.test(name.slice(end))) return last
  const next = name.charAt(end)
  const isParticle =
    particles.has(word) || particlesOfLanguage.some(([shown, words]) => words.has(word) && shown.test(name))
  if (isParticle && (next === ' ' || next === '-')) {
    const isWithin =
      next === '-' ? name.charAt(at - 1) === '-' : /[\p{L}\p{N}.,)&]\s$/u.test(name.slice(0, at))
    return isWithin ? toLower(word) : toTitle(word)
  }
  if (isPrefix(word, name.slice(0, at), name.slice(end))) return toTitle(word)
  const [head = '', ...tails] = word.split(/(?=['’`ʼ])/)
  if (vietnamese.test(name) && /[AEIOUY]/.test(word.normalize('NFD')) && !vietnameseInitials.test(word))
    return spellings.get(word) ?? toTitle(word)
  if (tails.length === 0) return writeWord(word, 3)
  return writeWord(head, 2) + tails.map((tail) => writeTail(tail, head.length === 1)).join('')
}

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
  const isAbbreviation = word.length <= shortMax || !/[AEIOUYÆØŒ]/.test(word.normalize('NFD'))
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
