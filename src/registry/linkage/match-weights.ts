/**
 * What each comparison of two registrations tells of whether they are one company's, in bits: positive speaks
 * for it, negative against it. Set by hand on open registers (SEC, GLEIF, Companies House), and checked pair by
 * pair; each with its reason.
 */
export const matchWeights = {
  name: {
    full: weigh(7, 'the same words and the same legal form'),
    full_without_form: weigh(
      5,
      'the same words, and neither states a form: other companies may have added one',
    ),
    form_on_one_side: weigh(
      -1,
      'a company and its subsidiary often differ by the form alone: a place must agree',
    ),
    abbreviated: weigh(
      -3,
      'the same only with words spelled out: "Tetra Tech" and "Tetra Technologies" are two',
    ),
    other_form: weigh(-12, 'two forms are two legal persons, unless nearly all else agrees'),
  },
  rarity: {
    very_rare: weigh(4, 'words that hardly any other name has'),
    rare: weigh(3, 'a word that few names have'),
    telling: weigh(2, 'a word that some dozens of names have'),
    everyday: weigh(-4, 'words that anybody takes ("First Bank"), or the name of a person'),
  },
  uniqueness: {
    only: weigh(2, 'nobody else of that name in either source'),
    only_that_fits: weigh(1, 'others of that name are ruled out by place or number'),
    several: weigh(-1, 'others of that name in one of the sources'),
  },
  family: {
    alone: weigh(0, 'no other form of the name in either source'),
    several_forms: weigh(-1, 'a group that has the name in several forms and countries'),
  },
  country: {
    same: weigh(3, 'what both state of home or seat agrees'),
    unknown: weigh(0, 'one of them states neither'),
  },
  state: {
    same: weigh(4, 'incorporated in one state or province'),
    delaware: weigh(1, 'most American companies of note are incorporated there'),
    unknown: weigh(0, 'one of them states none'),
  },
  place: {
    postcode: weigh(8, 'the same postal code'),
    town: weigh(5, 'the same town'),
    region: weigh(2, 'the same state, province or county'),
    unknown: weigh(0, 'nothing to compare: an address left out, or that of a registered agent'),
    other_town: weigh(-1, 'seat and registered office differ, and companies move'),
    other_region: weigh(-2, 'the same, and less often so far away'),
  },
  form_country: {
    fits: weigh(1, 'the form is one of the country that the other side states'),
    unknown: weigh(0, 'nothing to compare'),
    worldwide: weigh(-1, 'a form that many countries know, and it is not known which is meant'),
    elsewhere: weigh(-3, 'the form is one of other countries: a subsidiary of the same name'),
  },
  prominence: {
    listed: weigh(1, 'a listed company, or a registrant with an industry: seldom one of many of its name'),
    unknown: weigh(0, 'most registrations say neither'),
  },
  formed: {
    same_day: weigh(5, 'formed on one day'),
    unknown: weigh(0, 'one of them does not say'),
    other_year: weigh(-5, 'formed years apart'),
    too_late: weigh(-7, 'formed years after the other was registered: a successor that took the name'),
  },
  tax_number: {
    same: weigh(8, 'one employer identification number'),
    unknown: weigh(0, 'one of them states none'),
    other: weigh(-6, 'two numbers; files mistake them now and then'),
  },
  standing: {
    equal: weigh(0, 'neither has ended, or both have'),
    one_ended: weigh(-3, 'the one that has ended is more likely a predecessor'),
  },
} as const

export interface MatchWeight {
  readonly bits: number
  readonly reason: string
}

function weigh(bits: number, reason: string): MatchWeight {
  return { bits, reason }
}

type Table = typeof matchWeights
type Comparison = keyof Table
/** Of each comparison, its level. */
export type ComparisonLevels = { readonly [Name in Comparison]: keyof Table[Name] }

/** So many bits speak for one company, at least, or the two stay apart. */
export const thresholdBits = 10
/** Another row of a source that fits nearly as well: then it is not known which of the two it is. */
export const rivalMarginBits = 3

export function matchWeightOf(levels: ComparisonLevels): number {
  let bits = 0
  for (const [comparison, level] of Object.entries(levels)) {
    const known: Readonly<Record<string, MatchWeight>> = matchWeights[comparison as Comparison]
    bits += known[level]?.bits ?? 0
  }
  return bits
}

/** Why two registrations of one name are not joined, whatever else agrees; the one told first counts. */
export const vetoes = {
  british_branch: 'a registration at Companies House of a company whose seat is elsewhere (FC, BR, SF, …)',
  other_numbers: 'they bear different LEIs, CIKs or numbers of one register',
  other_country: 'what they state of home and seat are different countries',
  other_state: 'they state two states of incorporation',
  other_series: 'their names number two things: funds, trusts, series',
} as const
export type Veto = keyof typeof vetoes
