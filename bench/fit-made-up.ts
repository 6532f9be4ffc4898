import { dropForms, foldWords, type FitIndex } from './fit-companies.js'
import { findForm, formClasses, formWords } from './fit-forms.js'
import { number, pick } from './name-pieces.js'

const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
const anyForms = ['Inc', 'Ltd', 'Corp', 'Limited', 'INC', 'AG', 'LLC', 'SA', 'GmbH', 'plc', 'S.p.A.', 'B.V.']

/** One letter from a registered name of one word, and no registered word; `null` if it is one. */
export function nearName(legalName: string, index: FitIndex, fraction: () => number): string | null {
  const [word = ''] = dropForms(foldWords(legalName))
  const at = fraction() < 0.3 ? 0 : 1 + Math.floor(fraction() * (word.length - 1))
  const letter = pick(letters, fraction) ?? ''
  const made =
    pick(
      [
        word.slice(0, at) + letter + word.slice(at + 1),
        word.slice(0, at) + letter + word.slice(at + 1),
        word.slice(0, at) + letter + word.slice(at),
        word.slice(0, at) + word.slice(at + 1),
      ],
      fraction,
    ) ?? ''
  if (made === word || made.length < 3 || index.isWord(made)) return null
  const written = fraction() < 0.35 ? made.toUpperCase() : made.charAt(0).toUpperCase() + made.slice(1)
  const own = findForm(legalName)?.text
  const stated =
    fraction() < 0.5 ? '' : fraction() < 0.5 && own !== undefined ? own : pick(anyForms, fraction)
  return `${written} ${stated ?? ''}`.trim()
}

const isTelling = (word: string) => /^\p{L}{4,}$/u.test(word) && !formWords.has(word.toLowerCase())

/** One word of the name is that of another name. */
export function wordChanged(name: string, other: string, fraction: () => number): string | null {
  const words = toWords(name)
  const places = [...words.keys()].filter((at) => isTelling(words[at] ?? ''))
  const at = pick(places, fraction)
  const word = pick(toWords(other).filter(isTelling), fraction)
  if (at === undefined || word === undefined || words.length < 2) return null
  const isLoud = name === name.toUpperCase()
  const written = isLoud ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
  return words.with(at, written).join(' ')
}

/** A word of another name in front of a name: most likely another company's name. */
export function wordInFront(name: string, other: string, fraction: () => number): string | null {
  const word = pick(toWords(other).filter(isTelling), fraction)
  if (word === undefined) return null
  const isLoud = name === name.toUpperCase()
  return `${isLoud ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()} ${name}`
}

const numerals = [
  'I',
  'II',
  'III',
  'IV',
  'V',
  'VI',
  'VII',
  'VIII',
  'IX',
  'X',
  '2',
  '3',
  '4',
  '5',
  '2019',
  '2021',
]

/** Another number of the series; a number behind a name without one. */
export function seriesSibling(name: string, _other: string, fraction: () => number): string | null {
  const words = toWords(name)
  const numbered = pick(numerals, fraction) ?? ''
  const at = words.findIndex((word, place) => place > 0 && /^(?:[IVX]{1,4}|\d{1,4})[.,]?$/.test(word))
  if (at > 0) return words[at] === numbered ? null : words.with(at, numbered).join(' ')
  if (fraction() < 0.7) return null
  const stated = findForm(name)
  return stated === null ? `${name} ${numbered}` : `${stated.base} ${numbered} ${stated.text}`
}

const groupWords =
  'Services|Properties|Estates|Developments|Investments|Finance|Capital|Realty|Leasing|Insurance|Consulting|Foundation|Ventures|Logistics|Retail|Marine|Transport|Technologies|Contractors|Training|Nominees|Pension Trustees|Facilities|Homes|Advisory|Treasury|Acquisition|Receivables|Funding|Immobilien|Beteiligungs|Versicherung|Logistik|Gestion|Immobilier|Servizi|Inmobiliaria|Vastgoed|Cable|Travel|Media'.split(
    '|',
  )
const countryForms: readonly (readonly [country: string, form: string])[] = [
  ['Deutschland', 'GmbH'],
  ['Germany', 'GmbH'],
  ['(Deutschland)', 'AG'],
  ['France', 'SAS'],
  ['Italia', 'S.p.A.'],
  ['Italia', 'S.r.l.'],
  ['España', 'S.A.'],
  ['Nederland', 'B.V.'],
  ['Sverige', 'AB'],
  ['Schweiz', 'AG'],
  ['(UK)', 'Limited'],
  ['Polska', 'Sp. z o.o.'],
  ['Japan', 'K.K.'],
  ['India', 'Private Limited'],
  ['Australia', 'Pty Ltd'],
  ['Canada', 'Inc.'],
  ['(China)', 'Co., Ltd.'],
  ['Luxembourg', 'S.à r.l.'],
]

/** A company of the group that the registry does not have: another business, or another country. */
export function groupSibling(name: string, _other: string, fraction: () => number): string | null {
  const stated = findForm(name)
  if (stated === null) return null
  const base = stated.base.replace(/,$/, '')
  if (fraction() < 0.4) {
    const [country = '', form = ''] = pick(countryForms, fraction) ?? []
    return `${base} ${country} ${form}`
  }
  return `${base} ${pick(groupWords, fraction) ?? ''} ${fraction() < 0.8 ? stated.text : ''}`.trim()
}

/** The name with the legal form of another country; `null` for a name without a form. */
export function formChanged(
  name: string,
  country: string,
  fraction: () => number,
): { readonly name: string; readonly country: string } | null {
  const stated = findForm(name)
  if (stated === null) return null
  const others = formClasses.filter(
    (one) => one !== stated.form && one.countries.length > 0 && !one.countries.includes(country),
  )
  const other = pick(others, fraction)
  const text = other === undefined ? undefined : pick(fraction() < 0.85 ? other.short : other.long, fraction)
  const there = other === undefined ? undefined : pick(other.countries, fraction)
  return text === undefined || there === undefined ? null : { name: `${stated.base} ${text}`, country: there }
}

/** The same legal form otherwise written, in front, joined to the name or behind it. */
export function formWritten(name: string, fraction: () => number): string | null {
  const stated = findForm(name)
  if (stated === null) return null
  const { base, form } = stated
  const text = pick(fraction() < 0.5 ? form.long : form.short, fraction) ?? stated.text
  const written = [
    `${text} ${base}`,
    `${text} "${base}"`,
    `${base} ${text}`,
    `${base}, ${text}`,
    `${base}${stated.text}`,
  ]
  const made = written[number(fraction, written.length) - 1] ?? ''
  return made === name ? null : made
}

function toWords(name: string): string[] {
  return name.split(/\s+/).filter((word) => word !== '')
}
