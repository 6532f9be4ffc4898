import { canonicalWord, foldText, isNumberWord, wordsOf } from './fold.js'
import { matchLimits } from './limits.js'
import { parseName, registrarRemark, type ParsedName } from './parsed-name.js'

/**
 * `whole`: the name as given. `part`: a piece of it that may be the name. `cut`: its end is missing.
 * `aside`: a piece that may as well be another's name: what is left without a bracket, a trading name.
 */
export type ReadingKind = 'whole' | 'part' | 'cut' | 'aside'

export interface Reading extends ParsedName {
  readonly kind: ReadingKind
}

/**
 * The ways a query may be read, the whole name first. A list of shareholdings says "Cardlytics, Inc. Common
 * Stock", a column of 31 characters "Dynavax Technologies Corporatio", a CRM "Foo Ltd t/a Bar".
 */
export function readingsOf(name: string): Reading[] {
  const bounded = name.slice(0, matchLimits.nameCharsMax)
  const words = wordsOf(foldText(bounded.normalize('NFKC').replace(registrarRemark, '')))
  const [registered = '', ...tradingNames] = bounded.split(tradingMarks)
  const candidates: (Reading | null)[] = [
    { ...parseName(bounded), kind: 'whole' },
    textReading(registered, 'part'),
    ...bounded.split(formerMarks).map((text) => textReading(text, 'part')),
    wordsReading(beforeForm(words), 'part'),
    wordsReading(beforeRepetition(words), 'part'),
    wordsReading(beforeSecurity(words), 'part'),
    wordsReading(beforeCutForm(words), 'cut'),
    textReading(bounded.replace(brackets, ' '), 'aside'),
    ...tradingNames.map((text) => textReading(text, 'aside')),
  ]
  const seen = new Set<string>()
  const readings: Reading[] = []
  for (const reading of candidates) {
    if (reading === null || reading.fullKey.length < 2 || reading.coreKey === '' || seen.has(reading.coreKey))
      continue
    seen.add(reading.coreKey)
    readings.push(reading)
  }
  return readings.slice(0, matchLimits.variantsMax)
}

const tradingMarks = /\b(?:d\/?b\/?a|t\/a|trading as|doing business as)\b/i
/** What follows is a name of the same company; a bracket it may stand in falls away with it. */
const formerMarks = /[([,]?\s*\b(?:f\/?k\/?a|a\/?k\/?a|formerly(?: known as)?|previously|also known as)\b/i
const brackets = /[([][^)\]]*[)\]]?/g

function textReading(text: string, kind: ReadingKind): Reading {
  return { ...parseName(text), kind }
}

function wordsReading(words: readonly string[] | null, kind: ReadingKind): Reading | null {
  return words === null || words.length === 0 ? null : { ...parseName(words.join(' ')), kind }
}

/** Forms that no company has in the middle of its name, so that what follows is not the name. */
const closingForms = new Set('inc incorporated ltd limited llc plc corp corporation gmbh lp nv'.split(' '))

/** Up to the legal form that more words follow; a number among these is part of the name ("Corp. II"). */
function beforeForm(words: readonly string[]): string[] | null {
  const at = words.findIndex((word, index) => index > 0 && closingForms.has(word))
  if (at < 0 || at === words.length - 1 || words.slice(at + 1).some(isRomanNumeral)) return null
  return words.slice(0, at + 1)
}

/** "Koppers Holdings Inc. Koppers H": the name, and the name again until the column ended. */
function beforeRepetition(words: readonly string[]): string[] | null {
  const all = words.join('')
  for (let at = 2; at < words.length; at++) {
    const tail = words.slice(at).join('')
    if (tail.length >= 3 && all.startsWith(tail)) return words.slice(0, at)
  }
  return null
}

/** What a list of securities writes after the company's name. */
const securityWords =
  'common stock preferred pfd series ser depositary depository shares share ordinary beneficial interest warrants warrant units unit notes cumulative redeemable perpetual trust class new of reit'.split(
    ' ',
  )
const securityMarks = new Set(
  'stock preferred pfd series ser depositary depository shares share warrants warrant units notes reit new'.split(
    ' ',
  ),
)

/** Up to the words that name a security, if nothing but such words, numbers and letters follows. */
function beforeSecurity(words: readonly string[]): string[] | null {
  for (let at = 1; at < words.length; at++) {
    const rest = words.slice(at)
    // A trust's name ends with the word; units of it come after.
    if (rest[0] === 'trust') continue
    const isSecurity = rest.every((word, index) => isSecurityWord(word, index === rest.length - 1))
    if (!isSecurity) continue
    const tells = rest.some((word) => securityMarks.has(word) || /^\d/.test(word)) || isStem(rest[0] ?? '')
    return tells && !rest.some(isRomanNumeral) ? words.slice(0, at) : null
  }
  return null
}

function isSecurityWord(word: string, isLast: boolean): boolean {
  if (securityWords.includes(word) || /^\d+$/.test(word) || word.length === 1) return true
  return isLast && isStem(word)
}

/** "Preferr", "Deposi", "Shar", "Trus": a security word until the column ended. */
function isStem(word: string): boolean {
  return word.length >= 3 && securityWords.some((whole) => whole.length >= 5 && whole.startsWith(word))
}

const cutForms = ['corporation', 'incorporated', 'limited', 'company', 'partnership']
/** A column that cuts names is seldom narrower. */
const cutNameCharsMin = 20

/** "Dynavax Technologies Corporatio" without the piece of a legal form at its end. */
function beforeCutForm(words: readonly string[]): string[] | null {
  const last = words.at(-1) ?? ''
  if (words.length < 2 || canonicalWord(last) !== last || closingForms.has(last) || last === 'co') return null
  const isPiece = cutForms.some((form) => form !== last && form.startsWith(last))
  const isSure = last.length >= 5 || words.join(' ').length >= cutNameCharsMin
  return isPiece && isSure ? words.slice(0, -1) : null
}

function isRomanNumeral(word: string): boolean {
  return isNumberWord(word) && !/\d/.test(word)
}
