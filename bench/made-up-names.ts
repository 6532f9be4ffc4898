import { isLightWord, foldText } from '../src/registry/normalize/normalize-name.js'
import { bare, number, pick, words, type NameChange } from './name-pieces.js'

/** Words that names in a registry hold, for names that are in none. */
export interface NameWords {
  /** Words of several companies' names: distinctive, and no one company's own. */
  readonly distinctive: readonly string[]
  readonly towns: readonly string[]
}

type MadeUpName = (words: NameWords, fraction: () => number) => string

const forms = ['Ltd', 'Limited', 'Inc', 'LLC', 'Corp', 'Co', '', '']
const trades =
  'Plumbing,Roofing,Dental Practice,Garage,Bakery,Catering,Nurseries,Tyres,Joinery,Optical,Haulage,Landscapes,Flooring,Upholstery,Kennels,Tutors,Window Cleaning,Hair Salon,Interiors,Scaffolding,Taxis,Day Care,Veterinary Clinic,Machine Shop,Print Works,Towing,Orchards,Dairy,Lumber,Concrete,Travel,Car Wash,Nail Bar,Pest Control,Stables,Tool Hire'.split(
    ',',
  )
const endings =
  'Group,Holdings,Solutions,Services,Industries,Technologies,Partners,Capital,Foods,Systems,Logistics,Energy,Labs,Ventures,Trading'.split(
    ',',
  )
const surnames =
  'Hughes,Patel,Novak,Okafor,Lindqvist,Moreau,Baker,Ferrari,Nowak,Silva,Hansen,Petersen,Brown,Oduya,Yilmaz,Santos,Kowalski,Keller,Murphy,Walsh,Dubois,Rossi,Carter,Singh,Ahmed,Chen,Larsen,Fischer,Wagner,Romero,Bennett,Whitlock,Thornbury,Hargrave,Pickles,Ogden,Entwistle,Barraclough'.split(
    ',',
  )
const starts = 'Van,Zor,Bel,Qui,Tav,Mor,Lum,Ost,Kre,Fen,Dra,Vel,Nor,Ari,Sol,Pax,Gri,Hal,Jun,Wex'.split(',')
const middles = 'to,ri,la,mi,ve,ka,do,ne,su,po,za,li'.split(',')
const ends = 'rix,vex,nor,dyne,lux,mont,tra,bex,gant,quil,sto,wick,zen,mira,loft,keld'.split(',')

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const one = (items: readonly string[], fraction: () => number) => capital(pick(items, fraction) ?? '')
const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' ')
const letter = (fraction: () => number) => String.fromCharCode(64 + number(fraction, 26))

/** Names that no registry need hold, by the name of the stratum; the caller sees to it that its registry does not. */
export const madeUpNames: Readonly<Record<string, MadeUpName>> = {
  negative_two_words: ({ distinctive }, fraction) =>
    joined(one(distinctive, fraction), one(distinctive, fraction), one(forms, fraction)),
  negative_three_words: ({ distinctive }, fraction) =>
    joined(
      one(distinctive, fraction),
      one(distinctive, fraction),
      one(fraction() < 0.5 ? endings : trades, fraction),
      one(forms, fraction),
    ),
  negative_other_trade: ({ distinctive }, fraction) =>
    joined(one(distinctive, fraction), one(trades, fraction), one(forms, fraction)),
  negative_persons: (_words, fraction) =>
    joined(
      `${one(surnames, fraction)}${fraction() < 0.5 ? ' & ' : ' and '}${fraction() < 0.4 ? 'Sons' : one(surnames, fraction)}`,
      fraction() < 0.6 ? one(trades, fraction) : '',
      one(forms, fraction),
    ),
  negative_town_trade: ({ towns }, fraction) =>
    joined(one(towns, fraction), one(trades, fraction), one(forms, fraction)),
  negative_letters: (_words, fraction) =>
    joined(
      letter(fraction) + letter(fraction) + letter(fraction),
      one(fraction() < 0.5 ? trades : endings, fraction),
      one(forms, fraction),
    ),
  negative_coined: (_words, fraction) =>
    joined(
      one(starts, fraction) +
        (fraction() < 0.6 ? (pick(middles, fraction) ?? '') : '') +
        (pick(ends, fraction) ?? ''),
      fraction() < 0.5 ? one(endings, fraction) : '',
      one(forms, fraction),
    ),
  negative_site: ({ distinctive, towns }, fraction) =>
    joined(
      one(distinctive, fraction),
      one(trades, fraction),
      one(forms, fraction),
      fraction() < 0.5 ? `- ${one(towns, fraction)}` : `#${number(fraction, 900)}`,
    ),
}

const otherBusinesses =
  'Services,Properties,Estates,Developments,Investments,Finance,Capital,Realty,Leasing,Insurance,Consulting,Foundation,Ventures,Logistics,Retail,Marine,Transport,Technologies,Contractors,Trust Co,Towing,Catering,Training,Partners,Europe,Asia,Nominees,Pension Trustees,Facilities,Homes,Advisory,Legal Services'.split(
    ',',
  )
/** Legal forms by the town that is given with them. */
const foreignForms: readonly (readonly [form: string, country: string])[] = [
  ...(['GmbH', 'AG', 'GmbH & Co. KG'] as const).map((form) => [form, 'DE'] as const),
  ...(['B.V.', 'N.V.'] as const).map((form) => [form, 'NL'] as const),
  ...(['AB'] as const).map((form) => [form, 'SE'] as const),
  ...(['S.A.S.', 'SARL'] as const).map((form) => [form, 'FR'] as const),
  ...(['S.p.A.', 'S.r.l.'] as const).map((form) => [form, 'IT'] as const),
  ...(['Pty Ltd'] as const).map((form) => [form, 'AU'] as const),
  ...(['Oy'] as const).map((form) => [form, 'FI'] as const),
  ...(['A/S', 'ApS'] as const).map((form) => [form, 'DK'] as const),
  ...(['Sp. z o.o.'] as const).map((form) => [form, 'PL'] as const),
  ...(['S.L.'] as const).map((form) => [form, 'ES'] as const),
  ...(['K.K.'] as const).map((form) => [form, 'JP'] as const),
  ...(['Inc.', 'LLC'] as const).map((form) => [form, 'US'] as const),
]
const numerals = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']
const numeral = new RegExp(`^(?:${numerals.join('|')}|\\d{1,2})$`)

const formOf = (name: string) => name.slice(bare(name).length).replace(/^[\s,]+/, '')

/** Names of companies that are not held, made of one that is: another company of the group, the series, or the name. */
export const siblingNames: Readonly<Record<string, NameChange>> = {
  sibling_business: (name, fraction) => {
    const form = formOf(name)
    return form === '' ? null : joined(bare(name), one(otherBusinesses, fraction), form)
  },
  sibling_business_bare: (name, fraction) =>
    words(bare(name)).length > 3 ? null : joined(bare(name), one([...trades, ...otherBusinesses], fraction)),
  sibling_word_less: (name, fraction) => {
    const parts = words(bare(name))
    if (formOf(name) === '' || parts.length < 3) return null
    const at = 1 + Math.floor(fraction() * (parts.length - 1))
    if (isLightWord(foldText(parts[at] ?? '').trim())) return null
    return joined(...parts.filter((_, index) => index !== at), formOf(name))
  },
  sibling_series: (name, fraction) => {
    const parts = words(bare(name))
    const at = parts.findIndex((word, index) => index > 0 && numeral.test(word))
    return at < 0 ? null : joined(...parts.with(at, pick(numerals, fraction) ?? ''), formOf(name))
  },
  sibling_foreign_form: (name, fraction, facts) => {
    const [form, country] = pick(foreignForms, fraction) ?? []
    return form === undefined || formOf(name) === '' || country === (facts?.countryCode ?? '')
      ? null
      : joined(bare(name), form)
  },
}
