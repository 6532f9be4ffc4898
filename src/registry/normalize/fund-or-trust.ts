import { fundOrTrustForm } from '../reference/fund-and-trust-forms.js'
import { foldText } from './normalize-name.js'
import { parseName, registrarRemark } from './parsed-name.js'

interface Named {
  readonly legalName: string
  /** A code of ISO 20275, or as the source words it. */
  readonly legalForm: string | null
}

/**
 * Whether a registration is a fund's or a trust's rather than a company's, by its legal form or, where none is
 * stated, by its name: "Oak Income Fund II" and "Oak Royalty Trust" are, "Oak Fund, Inc." and "Oak Bank & Trust" are not.
 */
export function fundOrTrust({ legalName, legalForm }: Named): 'fund' | 'trust' | null {
  if (legalForm !== null && !isNoForm(legalForm)) {
    if (/^[A-Z0-9]{4}$/.test(legalForm)) return fundOrTrustForm(legalForm)
    return kindOfWord(foldText(legalForm).split(' ').at(-1))
  }
  return byName(legalName)
}

/** Codes of ISO 20275: 8888 and 9999 stand for "not listed" and "no form". */
export function isNoForm(code: string): boolean {
  return code === '8888' || code === '9999'
}

/** Most names hold none of these, and need no closer look. */
const mayBe = /trust|fund|\betfs?\b|\btr\b/i
/** Numbers of a series, its letter, its year: "II", "2019-1", "Series 33". */
const seriesWord = /^(?:\d+[a-z]?|[ivx]+|[a-z]|series|ser)$/
const unitTrust = /\b(?:invt|investment|unit|municipal) (?:tr|trust)\b.*\b(?:ser|series)\b|\btr fd\b/

function byName(legalName: string): 'fund' | 'trust' | null {
  if (!mayBe.test(legalName) || parseName(legalName).formClass !== null) return null
  const name = legalName.replace(registrarRemark, '')
  if (/\bbank|\bbanc|(?:&|\band)\s+trust\b/i.test(name)) return null
  const words = foldText(name).split(' ')
  while (words.length > 1 && seriesWord.test(words.at(-1) ?? '')) words.pop()
  if (words.length < 2) return null
  return kindOfWord(words.at(-1)) ?? (unitTrust.test(foldText(name)) ? 'trust' : null)
}

function kindOfWord(word: string | undefined): 'fund' | 'trust' | null {
  switch (word) {
    case 'trust':
    case 'trusts':
      return 'trust'
    case 'fund':
    case 'funds':
    case 'etf':
    case 'etfs':
      return 'fund'
    default:
      return null
  }
}

/** Codes of SIC under which money of others is held rather than a business run: funds, pools, trusts, shells. */
const holdingSics = new Set([
  '6189',
  '6211',
  '6221',
  '6722',
  '6726',
  '6732',
  '6733',
  '6770',
  '6792',
  '6794',
  '6795',
  '6799',
])

/**
 * Whether a code of SIC says that its bearer runs a business. A trust that does, like one that owns and lets houses
 * (6798), is a company in all but its form: it is listed, sells, employs and is asked for as one.
 */
export function runsBusiness(sic: string | null | undefined): boolean {
  return sic !== null && sic !== undefined && /^\d{4}$/.test(sic) && !holdingSics.has(sic)
}
