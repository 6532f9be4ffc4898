import { bare, cutAt, pick, replacing, withoutForm, words, type NameChange } from './name-pieces.js'
import { issuerChanges } from './query-changes-issuers.js'
import { letterChanges } from './query-changes-letters.js'
import { siteChanges } from './query-changes-sites.js'
import { writingChanges } from './query-changes-writing.js'

export type { NameChange } from './name-pieces.js'

const shortForms: readonly (readonly [RegExp, string])[] = [
  [/\binternational\b/i, 'Intl'],
  [/\bholdings?\b/i, 'Hldgs'],
  [/\bmanufacturing\b/i, 'Mfg'],
  [/\bservices\b/i, 'Svcs'],
  [/\btechnolog(?:y|ies)\b/i, 'Tech'],
  [/\bmanagement\b/i, 'Mgmt'],
  [/\bfinancial\b/i, 'Finl'],
  [/\bpharmaceuticals?\b/i, 'Pharma'],
  [/\bgroup\b/i, 'Grp'],
]

function reordered(name: string, fraction: () => number): string | null {
  const parts = words(bare(name))
  if (parts.length < 2) return null
  const turn = 1 + Math.floor(fraction() * (parts.length - 1))
  return [...parts.slice(turn), ...parts.slice(0, turn)].join(' ')
}

function wordDropped(name: string, fraction: () => number): string | null {
  const parts = words(bare(name))
  if (parts.length < 3) return null
  const at = Math.floor(fraction() * parts.length)
  return parts.filter((_, index) => index !== at).join(' ')
}

const additions = ['Group', 'Holdings', 'UK', 'USA', '(Head Office)']
/** People mix up forms of one country: that of another country is another company's. */
const formsOf: Readonly<Record<string, readonly string[]>> = {
  US: ['Inc.', 'Corporation', 'LLC', 'Co.'],
  GB: ['Ltd', 'Limited', 'plc'],
}
const formChanged: NameChange = (name, fraction, facts) => {
  const form = pick(formsOf[facts?.countryCode ?? ''] ?? [], fraction)
  const changed = `${bare(name)} ${form ?? ''}`
  return form === undefined || changed === name ? null : changed
}

function joinedOrSplit(name: string, fraction: () => number): string | null {
  const parts = words(bare(name))
  const at = Math.floor(fraction() * (parts.length - 1))
  if (parts.length < 2) return null
  return [...parts.slice(0, at), `${parts[at] ?? ''}${parts[at + 1] ?? ''}`, ...parts.slice(at + 2)].join(' ')
}

function initials(name: string): string | null {
  const parts = words(bare(name)).filter((word) => !/^(?:of|the|and|&|for|in)$/i.test(word))
  return parts.length < 3 ? null : parts.map((word) => word.charAt(0).toUpperCase()).join('')
}

function accentsLost(name: string): string | null {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '')
  return plain === name.normalize('NFD') ? null : plain
}

const softEnds =
  /\s+(?:group|holdings?|companies|financial|technolog(?:y|ies)|industries|international|software|systems|foods?|energy|resources|services|solutions|pharmaceuticals?|therapeutics|bancorp|bancshares|corporate|capital|brands|networks?|partners|global|worldwide|uk|usa|\(uk\)|\(gb\))$/i

/** A name without one or two of the words of trade at its end. */
function softWordDropped(name: string): string | null {
  const once = bare(name).replace(softEnds, '')
  return once === bare(name) || once.length < 3 ? null : once
}

/** The first word, or two of three or more. */
function head(count: number): NameChange {
  return (name) => {
    const parts = words(bare(name))
    const kept = parts.slice(0, count).join(' ')
    return parts.length <= count ||
      kept.replace(/\W/g, '').length < 4 ||
      /^(?:the|of|and|for|in|de|\W)$/i.test(parts[count - 1] ?? '')
      ? null
      : kept
  }
}

const germanLetters: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  ø: 'oe',
  å: 'aa',
  æ: 'ae',
}

function lettersSpelledOut(name: string): string | null {
  const spelled = name.toLowerCase().replace(/[äöüßøåæ]/g, (letter) => germanLetters[letter] ?? letter)
  return spelled === name.toLowerCase() ? null : spelled.toUpperCase()
}

const equivalents: readonly (readonly [RegExp, string])[] = [
  [/\bunited states\b/i, 'US'],
  [/\bu\.?s\.?(?=\s)/i, 'United States'],
  [/\bunited kingdom\b/i, 'UK'],
  [/\bfootball club\b/i, 'FC'],
  [/\buniversity\b/i, 'Uni'],
  [/\bsaint\b/i, 'St'],
  [/\bbancorp\b/i, 'Bancorporation'],
  [/\bcompany\b/i, 'Co'],
  [/\bassociation\b/i, 'Assn'],
  [/\bassociates\b/i, 'Assoc'],
  [/\bnorthern\b/i, 'Nthn'],
  [/\bproperties\b/i, 'Props'],
]

/** The country that the company is of; of a company of which nothing is known, any. */
const countryAdded: NameChange = (name, fraction, facts) => {
  const british = ['(UK)', 'UK']
  const american = ['USA', '(US)']
  const country = facts?.countryCode
  const added =
    country === undefined
      ? [...british, ...american]
      : country === 'GB'
        ? british
        : country === 'US'
          ? american
          : []
  const chosen = pick(added, fraction)
  return chosen === undefined ? null : `${bare(name)} ${chosen}`
}

const oneChange: Readonly<Record<string, NameChange>> = {
  exact: (name) => name,
  other_case: (name) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()),
  form_dropped: (name) => withoutForm(name),
  form_changed: formChanged,
  cut_at_31: cutAt(31),
  cut_at_40: cutAt(40),
  abbreviated: replacing(shortForms),
  reordered,
  words_joined: joinedOrSplit,
  word_dropped: wordDropped,
  word_added: (name, fraction) => `${bare(name)} ${pick(additions, fraction) ?? ''}`,
  initials,
  accents_lost: accentsLost,
  soft_word_dropped: softWordDropped,
  first_word: head(1),
  first_two_words: head(2),
  letters_spelled_out: lettersSpelledOut,
  equivalent: replacing(equivalents),
  country_added: countryAdded,
  ...siteChanges,
  ...issuerChanges,
  ...writingChanges,
  ...letterChanges,
}

/** What one hand does to a name and what another adds to it, in the order in which it happens. */
const firstChanges = [
  'form_dropped',
  'form_changed',
  'number_of_word',
  'typing_error',
  'soft_word_dropped',
  'abbreviated',
  'ampersand',
]
const laterChanges = [
  'site',
  'plant',
  'street',
  'department',
  'branch_added',
  'word_added',
  'other_case',
  'cut_at_31',
  'typing_error',
  'trading_as',
]

const changedTwice: NameChange = (name, fraction, facts) => {
  const first = oneChange[pick(firstChanges, fraction) ?? '']?.(name, fraction, facts) ?? null
  if (first === null) return null
  const second = oneChange[pick(laterChanges, fraction) ?? '']?.(first, fraction, facts) ?? null
  return second === name ? null : second
}

/** By the name of the stratum that the change makes. */
export const nameChanges: Readonly<Record<string, NameChange>> = {
  ...oneChange,
  changed_twice: changedTwice,
}

/** Ways that people use for companies they take to be known: asked more often for those that are listed. */
export const headChanges: ReadonlySet<string> = new Set([
  'first_word',
  'first_two_words',
  'soft_word_dropped',
  'ticker_added',
  'domain_ending',
  'changed_twice',
])

/** Ways in which lists write funds, trusts and other issuers: asked of these more often than chance would. */
export const fundChanges: ReadonlySet<string> = new Set([
  'fund_word_added',
  'fund_abbreviated',
  'fund_words_cut',
  'fund_series_added',
  'middle_changed',
])

/** Ways of lists that give no place, or only a country. */
export const placelessChanges: ReadonlySet<string> = new Set([
  'fund_abbreviated',
  'fund_words_cut',
  'issuer_short',
  'erp_capitals',
  'ticker_added',
  'domain_ending',
])
