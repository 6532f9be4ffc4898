import { bare, cutAt, number, pick, titled, words, type NameChange } from './name-pieces.js'

const longSecurities = [
  'American Depositary Shares each representing two Ordinary Shares',
  'Depositary Shares Each Representing a 1/1000th Interest in a Share of 6.00% Series B Preferred Stock',
  '5.875% Senior Notes due 2061',
  'Common Stock, $0.01 par value',
  'Class B Subordinate Voting Shares',
  'Units, each consisting of one Class A Share and one-half of one Redeemable Warrant',
  'Warrants to purchase Common Stock',
  '6.25% Cumulative Redeemable Preferred Stock',
]
const securities = ['Common Stock', 'Class A Common Shares', 'Preferred Stock', 'Ordinary Shares']

/** A word in the middle of a long name left out or put in, as lists of funds write them. */
function middleChanged(name: string, fraction: () => number): string | null {
  const parts = words(bare(name))
  if (parts.length < 4) return null
  const at = 1 + Math.floor(fraction() * (parts.length - 2))
  const added = pick(['Municipal', 'Term', 'Income', 'Global', 'Select', 'Strategic'], fraction) ?? ''
  return fraction() < 0.5
    ? parts.filter((_, index) => index !== at).join(' ')
    : [...parts.slice(0, at), added, ...parts.slice(at)].join(' ')
}

/** A name of a fund, a trust or another body that issues shares in what it holds. */
export const isFundName = (name: string): boolean =>
  /\b(?:funds?|trusts?|portfolios?|etf|income|municipal|series|annuity)\b/i.test(name) &&
  words(name).length >= 3

/** How issuers' lists shorten the words of a name; the longest forms first. */
const listWords: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^tax-?managed$/i, ['Tax-Mgd', 'Tax Mgd', 'Tax-Man']],
  [/^managed$/i, ['Mgd', 'Mngd']],
  [/^management$/i, ['Mgmt', 'Mgt']],
  [/^global$/i, ['Glbl', 'Glb', 'Gbl']],
  [/^diversified$/i, ['Divers', 'Divsfd', 'Div']],
  [/^dividend$/i, ['Div', 'Dvd']],
  [/^equity$/i, ['Eq', 'Eqty']],
  [/^income$/i, ['Inc', 'Incm']],
  [/^funds?$/i, ['Fd', 'Fnd']],
  [/^trust$/i, ['Tr', 'Trt', 'Tst']],
  [/^municipal$/i, ['Muni', 'Mun', 'Munic']],
  [/^opportunit(?:y|ies)$/i, ['Opp', 'Oppty', 'Opps']],
  [/^investments?$/i, ['Invt', 'Inv', 'Invst']],
  [/^investors?$/i, ['Invs', 'Invstr']],
  [/^international$/i, ['Intl', "Int'l"]],
  [/^capital$/i, ['Cap', 'Cptl']],
  [/^growth$/i, ['Gr', 'Grth', 'Gwth']],
  [/^limited$/i, ['Ltd']],
  [/^duration$/i, ['Dur', 'Durtn']],
  [/^strategic$/i, ['Strat', 'Strtgc']],
  [/^strategy|strategies$/i, ['Strat', 'Strats']],
  [/^government$/i, ['Govt', 'Gov']],
  [/^emerging$/i, ['Emrg', 'Emg']],
  [/^markets?$/i, ['Mkt', 'Mkts']],
  [/^infrastructure$/i, ['Infra', 'Infrastr']],
  [/^financial$/i, ['Finl', 'Fin']],
  [/^real$/i, ['Rl']],
  [/^estate$/i, ['Est', 'Estt']],
  [/^realty$/i, ['Rlty']],
  [/^property|properties$/i, ['Pptys', 'Props']],
  [/^quality$/i, ['Qual', 'Qlty']],
  [/^california$/i, ['Cal', 'CA']],
  [/^new$/i, ['N']],
  [/^york$/i, ['Yk']],
  [/^pennsylvania$/i, ['Pa', 'Penn']],
  [/^credit$/i, ['Cr', 'Crdt']],
  [/^preferred$/i, ['Pfd', 'Prfd']],
  [/^securities$/i, ['Secs', 'Sec']],
  [/^series$/i, ['Ser']],
  [/^portfolios?$/i, ['Port', 'Ptf']],
  [/^company$/i, ['Co', 'Cos']],
  [/^corporation$/i, ['Corp']],
  [/^holdings?$/i, ['Hldg', 'Hldgs', 'Hlds']],
  [/^group$/i, ['Grp', 'Gp']],
  [/^technolog(?:y|ies)$/i, ['Tech', 'Technol', 'Techs']],
  [/^industr(?:y|ies)$/i, ['Ind', 'Inds', 'Indus']],
  [/^resources$/i, ['Res', 'Rsrcs']],
  [/^energy$/i, ['Engy', 'Enrgy']],
  [/^partners$/i, ['Ptnrs', 'Prtnrs']],
  [/^american?$/i, ['Amer', 'Am']],
  [/^national$/i, ['Natl', "Nat'l"]],
  [/^services$/i, ['Svcs', 'Svc', 'Srvcs']],
  [/^systems$/i, ['Sys', 'Systs']],
  [/^pharmaceuticals?$/i, ['Pharm', 'Pharmaceutic']],
  [/^therapeutics$/i, ['Therap', 'Thera']],
  [/^communications?$/i, ['Comm', 'Comms', 'Communctns']],
  [/^insurance$/i, ['Ins', 'Insur']],
  [/^acquisitions?$/i, ['Acq', 'Acqstn']],
  [/^bancorp(?:oration)?$/i, ['Bncrp', 'Bancp']],
  [/^bancshares$/i, ['Bancshs', 'Bcshs']],
  [/^manufacturing$/i, ['Mfg', 'Manuf']],
  [/^entertainment$/i, ['Entmt', 'Entnmt']],
  [/^laborator(?:y|ies)$/i, ['Lab', 'Labs']],
  [/^mortgage$/i, ['Mtg', 'Mtge']],
  [/^development$/i, ['Dev', 'Dvlpmnt']],
  [/^electric(?:al)?$/i, ['Elec', 'Elec']],
  [/^motors?$/i, ['Mtr', 'Mtrs']],
  [/^advantage$/i, ['Adv', 'Advtg']],
  [/^enhanced$/i, ['Enh', 'Enhncd']],
  [/^floating$/i, ['Fltg', 'Float']],
  [/^high$/i, ['Hi']],
  [/^yield$/i, ['Yld']],
  [/^total$/i, ['Tot', 'Ttl']],
  [/^return$/i, ['Ret', 'Rtn']],
  [/^term$/i, ['Trm']],
  [/^rate$/i, ['Rt']],
]

function shortened(word: string, fraction: () => number): string {
  const [, brief] = listWords.find(([long]) => long.test(word)) ?? []
  return brief === undefined ? word : (pick(brief, fraction) ?? word)
}

/** Without its inner vowels and doubled letters: "Broadcasting" is "Brdcstng". */
export function skeleton(word: string): string {
  const inner = word.slice(1).replace(/[aeiou]/gi, '')
  return (word.charAt(0) + inner).replace(/([a-z])\1/gi, '$1')
}

/** Every word that lists have a short form for in that form: at least two of them. */
function shortenedWords(name: string, fraction: () => number): string | null {
  const parts = words(titled(name).replace(/[,.]/g, ''))
  const brief = parts.map((word) => shortened(word, fraction))
  const changed = brief.filter((word, at) => word !== parts[at]).length
  return changed < 2 ? null : brief.join(' ')
}

const fundAbbreviated: NameChange = (name, fraction) =>
  isFundName(name) ? shortenedWords(name, fraction) : null

/** Every word shortened, by the list or to its consonants, but the first, as in the columns of issuers. */
const issuerShort: NameChange = (name, fraction) => {
  const parts = words(titled(name).replace(/[,.]/g, ''))
  if (parts.length < 3) return null
  const brief = parts.map((word, at) => {
    const listed = shortened(word, fraction)
    return listed !== word || at === 0 || word.length < 8 ? listed : skeleton(word)
  })
  const text = brief.join(' ')
  return brief.every((word, at) => word === parts[at]) ? null : fraction() < 0.5 ? text.toUpperCase() : text
}

/** Each word of a fund's name cut to four or five letters, as terminals show it. */
const fundWordsCut: NameChange = (name, fraction) => {
  if (!isFundName(name)) return null
  const width = fraction() < 0.5 ? 4 : 5
  const cut = words(titled(name).replace(/[,.]/g, '')).map((word, at) =>
    at === 0 ? word : word.slice(0, width),
  )
  return cut.join(' ').length < name.length - 3 ? cut.join(' ') : null
}

const fundWords = [
  'Municipal',
  'Income',
  'Global',
  'Select',
  'Strategic',
  'Investment',
  'Premium',
  'Opportunity',
  'Quality',
]

/** A word more before the end of a long name of a fund. */
const fundWordAdded: NameChange = (name, fraction) => {
  const parts = words(bare(name))
  const added = pick(fundWords, fraction) ?? ''
  if (
    !isFundName(name) ||
    parts.length < 4 ||
    parts.some((word) => word.toLowerCase() === added.toLowerCase())
  )
    return null
  const at = parts.length - 1
  return [...parts.slice(0, at), added, ...parts.slice(at)].join(' ')
}

const seriesNames = [
  'Global Equity Portfolio',
  'Small Cap Growth Series',
  'Core Bond Fund',
  'Institutional Class',
  'Service Shares',
  'Class R6',
]

/** The trust with one of its series or classes after it. */
const fundSeriesAdded: NameChange = (name, fraction) => {
  if (!isFundName(name)) return null
  const series = pick(seriesNames, fraction) ?? ''
  return (
    pick(
      [`${name} - ${series}`, `${name}: ${series}`, `${name} ${series}`, `${name} (${series})`],
      fraction,
    ) ?? null
  )
}

const exchanges = ['NYSE', 'NASDAQ', 'LON', 'XNAS', 'OTCMKTS']

const tickerAdded: NameChange = (name, fraction, facts) => {
  const ticker = facts?.ticker ?? null
  if (ticker === null) return null
  const base = fraction() < 0.5 ? name : bare(name)
  const exchange = pick(exchanges, fraction) ?? ''
  const written = [
    `${base} (${ticker})`,
    `${base} (${exchange}: ${ticker})`,
    `${base} [${ticker}]`,
    `${base} - ${ticker}`,
    `${ticker} - ${base}`,
    `${base} ${ticker} US`,
  ]
  return pick(written, fraction) ?? null
}

const shareLetters = ['A', 'B', 'C', 'I', 'Y']

/** A class of share as short lists write it. */
function shareClass(name: string, fraction: () => number): string {
  const letter = pick(shareLetters, fraction) ?? ''
  const base = fraction() < 0.5 ? name : bare(name)
  const written = [
    `${base} (Class ${letter})`,
    `${base} Cl ${letter}`,
    `${base} CL-${letter}`,
    `${base} -${letter}-`,
    `${base} Class ${letter} ADR`,
    `${base} Sponsored ADR`,
    `${base} COM NEW`,
    `${base} COM`,
    `${base} ${number(fraction, 8)}.${number(fraction, 9)}% PFD`,
    `${base} SHS`,
    `${base} UNIT 1 COM & 1 WT EXP`,
  ]
  return pick(written, fraction) ?? base
}

/** How lists of securities, funds and terminals write who issues them. By the name of the stratum. */
export const issuerChanges: Readonly<Record<string, NameChange>> = {
  security_added: (name, fraction) => `${name} ${pick(securities, fraction) ?? ''}`,
  middle_changed: middleChanged,
  long_security: (name, fraction) => `${name} ${pick(longSecurities, fraction) ?? ''}`,
  security_cut_at_40: (name, fraction) =>
    cutAt(40)(`${name} ${pick(longSecurities, fraction) ?? ''}`, fraction),
  share_class: shareClass,
  issuer_short: issuerShort,
  fund_abbreviated: fundAbbreviated,
  fund_words_cut: fundWordsCut,
  fund_word_added: fundWordAdded,
  fund_series_added: fundSeriesAdded,
  ticker_added: tickerAdded,
}
