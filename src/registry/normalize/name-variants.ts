import { boundedDistance } from './edit-distance.js'
import { canonicalWord, foldText, isNumberWord, wordsOf } from './normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { regionCodeIn } from './place-names.js'
import { parseName, registrarRemark, type ParsedName } from './parsed-name.js'

/**
 * `whole`: the name as given. `part`: a piece of it that may be the name. `cut`: its end is missing.
 * `aside`: a piece that may as well be another's name: what is left without a bracket, a trading name.
 */
export type VariantKind = 'whole' | 'part' | 'cut' | 'aside'

type ColumnCut = 'anywhere' | 'between_words' | 'nowhere'

export interface NameVariant extends ParsedName {
  readonly kind: VariantKind
  /** Where the column may have ended that the name fills: inside a word, between two, or nowhere. */
  readonly cut: ColumnCut
}

/**
 * The ways a query may be read, the whole name first. A list of shareholdings says "Cardlytics, Inc. Common
 * Stock", a column of 31 characters "Dynavax Technologies Corporatio", a CRM "Foo Ltd t/a Bar".
 */
export function variantsOf(name: string): NameVariant[] {
  const bounded = name.slice(0, matchLimits.nameCharsMax)
  const words = wordsOf(foldText(bounded.normalize('NFKC').replace(registrarRemark, '')))
  const cut = columnCutOf(name)
  const hasRate = bounded.includes('%') || (cut !== 'nowhere' && /\d\.\d*$/.test(bounded))
  const [registered = '', ...tradingNames] = bounded.split(tradingMarks)
  const candidates: (Omit<NameVariant, 'cut'> | null)[] = [
    { ...parseName(bounded), kind: 'whole' },
    textVariant(registered, 'part'),
    ...bounded.split(formerMarks).map((text) => textVariant(text, 'part')),
    wordsVariant(beforeRepetition(words, cut), 'part'),
    wordsVariant(beforeSecurity(words, hasRate), 'part'),
    wordsVariant(beforeCutForm(words, cut), 'cut'),
    textVariant(bounded.replace(brackets, ' '), 'aside'),
    wordsVariant(beforeForm(words), isRemark(words, cut) ? 'part' : 'aside'),
    wordsVariant(withFormMended(words), 'part'),
    ...tradingNames.map((text) => textVariant(text, 'aside')),
  ]
  const seen = new Set<string>()
  const variants: NameVariant[] = []
  // Of two variants that come to one name the surer counts.
  const isAside = (variant: Omit<NameVariant, 'cut'> | null) => Number(variant?.kind === 'aside')
  for (const variant of candidates.sort((a, b) => isAside(a) - isAside(b))) {
    if (variant === null || variant.fullKey.length < 2 || variant.coreKey === '' || seen.has(variant.coreKey))
      continue
    seen.add(variant.coreKey)
    variants.push({ ...variant, cut })
  }
  return variants.slice(0, matchLimits.variantsMax)
}

const tradingMarks = /\b(?:d\/?b\/?a|t\/a|trading as|doing business as)\b/i
/** What follows is a name of the same company; a bracket it may stand in falls away with it. */
const formerMarks = /[([,]?\s*\b(?:f\/?k\/?a|a\/?k\/?a|formerly(?: known as)?|previously|also known as)\b/i
const brackets = /[([][^)\]]*[)\]]?/g

/** A column that ends at a space loses the space too. */
function columnCutOf(name: string): ColumnCut {
  const charCount = Array.from(name.trim()).length
  const widths: readonly number[] = matchLimits.cutColumnChars
  if (widths.includes(charCount)) return 'anywhere'
  return widths.includes(charCount + 1) ? 'between_words' : 'nowhere'
}

function textVariant(text: string, kind: VariantKind): Omit<NameVariant, 'cut'> {
  return { ...parseName(text), kind }
}

function wordsVariant(words: readonly string[] | null, kind: VariantKind): Omit<NameVariant, 'cut'> | null {
  return words === null || words.length === 0 ? null : { ...parseName(words.join(' ')), kind }
}

/** Forms that no company has in the middle of its name, so that what follows is not the name. */
const closingForms = new Set('inc incorporated ltd limited llc plc corp corporation gmbh lp nv'.split(' '))

/** Up to the legal form that more words follow: a series, a plan, or a part of the company. */
function beforeForm(words: readonly string[]): string[] | null {
  const at = words.findIndex((word, index) => index > 0 && closingForms.has(word))
  if (at < 0 || at === words.length - 1 || words.slice(at + 1).some(isRomanNumeral)) return null
  return words.slice(0, at + 1)
}

/**
 * What follows the legal form is nobody's name: a state ("BRT Apartments Corp. (MD)"), or, in a column that
 * is full, the beginning of a remark ("Annaly Capital Management Inc 6").
 */
function isRemark(words: readonly string[], cut: ColumnCut): boolean {
  const rest = words.slice(beforeForm(words)?.length ?? words.length)
  const [only = ''] = rest
  if (rest.length === 1 && only.length === 2 && regionCodeIn('US', only) !== null) return true
  return cut !== 'nowhere' && rest.join(' ').length <= remarkCharsMax
}

/** Longer than this, what stands behind the legal form has told what it is. */
const remarkCharsMax = 12

const formsMended = ['limited', 'corporation', 'incorporated', 'company', 'partnership', 'holdings']

/** "DCS Inc Limtied": a long form at the end, with a typing error in it. */
function withFormMended(words: readonly string[]): string[] | null {
  const last = words.at(-1) ?? ''
  if (words.length < 2 || last.length < 6 || formsMended.includes(last)) return null
  const form = formsMended.find(
    (known) => known.charAt(0) === last.charAt(0) && boundedDistance(known, last, 1) === 1,
  )
  return form === undefined ? null : [...words.slice(0, -1), form]
}

/** "Koppers Holdings Inc. Koppers H": the name, and the name again until the column ended, be it after a letter. */
function beforeRepetition(words: readonly string[], cut: ColumnCut): string[] | null {
  const all = words.join('')
  for (let at = 2; at < words.length; at++) {
    const tail = words.slice(at).join('')
    const isTold = tail.length >= 3 || (cut === 'anywhere' && tail.length === 1)
    if (isTold && all.startsWith(tail)) return words.slice(0, at)
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
function beforeSecurity(words: readonly string[], hasRate: boolean): string[] | null {
  for (let at = 1; at < words.length; at++) {
    const rest = words.slice(at)
    // A trust's name ends with the word; units of it, or the word once more, come after.
    const isSaidTwice = rest[0] === 'trust' && words[at - 1] === 'trust'
    if (rest[0] === 'trust' && !isSaidTwice) continue
    const isSecurity = rest.every((word, index) => isSecurityWord(word, index === rest.length - 1))
    if (!isSecurity) continue
    const tells =
      isSaidTwice ||
      rest.some((word) => securityMarks.has(word) || (hasRate && /^\d/.test(word))) ||
      isStem(rest[0] ?? '')
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
function beforeCutForm(words: readonly string[], cut: ColumnCut): string[] | null {
  const last = words.at(-1) ?? ''
  if (words.length < 2 || canonicalWord(last) !== last || closingForms.has(last) || last === 'co') return null
  const isPiece = cutForms.some((form) => form !== last && form.startsWith(last))
  const isSure = last.length >= 5 || (last.length >= 2 && words.join(' ').length >= cutNameCharsMin)
  return isPiece && (isSure || cut === 'anywhere') ? words.slice(0, -1) : null
}

function isRomanNumeral(word: string): boolean {
  return isNumberWord(word) && !/\d/.test(word)
}
