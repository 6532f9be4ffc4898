import { number, pick } from './name-pieces.js'

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
