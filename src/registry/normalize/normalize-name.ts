import anyAscii from 'any-ascii'
import { matchLimits } from '../model/limits.js'

/** Words that join other words and carry nothing: "Procter & Gamble", "Procter and Gamble", "Procter Gamble". */
const joiningWords = new Set(['and', 'the', 'und', 'et', 'og', 'och'])

/** Ways of writing one word. Only words that are the same word stand here, never mere neighbours in meaning. */
const abbreviations = new Map<string, string>(
  Object.entries({
    intl: 'international',
    internat: 'international',
    natl: 'national',
    mfg: 'manufacturing',
    mfrs: 'manufacturers',
    svcs: 'services',
    svc: 'service',
    tech: 'technology',
    technologies: 'technology',
    techs: 'technology',
    hldgs: 'holdings',
    hldg: 'holdings',
    hlds: 'holdings',
    holding: 'holdings',
    grp: 'group',
    assoc: 'associates',
    assocs: 'associates',
    bros: 'brothers',
    univ: 'university',
    dept: 'department',
    mgmt: 'management',
    mgt: 'management',
    inds: 'industries',
    ind: 'industries',
    labs: 'laboratories',
    lab: 'laboratories',
    pharma: 'pharmaceuticals',
    pharm: 'pharmaceuticals',
    pharmaceutical: 'pharmaceuticals',
    fin: 'financial',
    finl: 'financial',
    ins: 'insurance',
    sys: 'systems',
    system: 'systems',
    elec: 'electric',
    eng: 'engineering',
    amer: 'america',
    bancorporation: 'bancorp',
    ctr: 'center',
    centre: 'center',
    centres: 'centers',
    comm: 'communications',
    commn: 'communications',
    communication: 'communications',
    solution: 'solutions',
    property: 'properties',
    ppty: 'properties',
    pptys: 'properties',
    res: 'resources',
    resource: 'resources',
    ent: 'enterprises',
    enterprise: 'enterprises',
    st: 'saint',
    mt: 'mount',
    acq: 'acquisition',
    acqu: 'acquisition',
    fd: 'fund',
    fds: 'funds',
    invt: 'investment',
    invts: 'investments',
    tr: 'trust',
    rlty: 'realty',
    cos: 'companies',
    bk: 'bank',
    svgs: 'savings',
    pete: 'petroleum',
    petro: 'petroleum',
    util: 'utilities',
    pwr: 'power',
    prods: 'products',
    prod: 'products',
    distr: 'distribution',
    dev: 'development',
    equip: 'equipment',
    equities: 'equity',
    chem: 'chemical',
    chems: 'chemicals',
    govt: 'government',
    hosp: 'hospital',
    soc: 'society',
    adv: 'advisors',
    advisers: 'advisors',
    aluminium: 'aluminum',
    assn: 'association',
    cmnty: 'community',
    cmty: 'community',
    defence: 'defense',
    fed: 'federal',
    gen: 'general',
    med: 'medical',
    mktg: 'marketing',
    mkts: 'markets',
    mtg: 'mortgage',
    mtge: 'mortgage',
    muni: 'municipal',
    nthn: 'northern',
    opps: 'opportunities',
    props: 'properties',
    ptnrs: 'partners',
    ptns: 'partners',
    sav: 'savings',
    telecommunications: 'telecom',
    theatre: 'theater',
    theatres: 'theaters',
    uni: 'university',
    usa: 'us',
  }),
)

/** Several words that are one, in order of length. */
const phrases: readonly (readonly [words: readonly string[], one: string])[] = (
  [
    ['united states of america', 'us'],
    ['united states', 'us'],
    ['united kingdom', 'uk'],
    ['great britain', 'uk'],
    ['football club', 'fc'],
    ['cricket club', 'cc'],
    ['rugby football club', 'rfc'],
    ['co operative', 'cooperative'],
    ['health care', 'healthcare'],
    ['data base', 'database'],
  ] as const
).map(([words, one]) => [words.split(' '), one] as const)

const romanNumerals = new Set('ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi'.split(' '))

/** Larger ones, as funds of a series bear them ("CCXLIX"); those without an x are words as often. */
const longNumeral = /^(?=[clvi]*x)(?=[clxvi]{3})c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/

/**
 * Text as lower-case ASCII: NFKC, transliterated, apostrophes closed up, initials joined ("J. P." is "jp"),
 * everything else that is neither letter nor digit a single space. Total: any string has a folding.
 */
export function foldText(text: string, charsMax: number = matchLimits.nameCharsMax): string {
  const plain = anyAscii(text.slice(0, charsMax).normalize('NFKC')).toLowerCase()
  return plain
    .replace(/['`]/g, '')
    .replace(/&|\+/g, ' and ')
    .replace(/\b(?:[a-z]\.){2,}(?:[a-z]\b)?/g, (initials) => `${initials.replaceAll('.', '')} `)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** The words of a folded text, runs of single letters joined: "a g" is "ag", "s p a" is "spa". */
export function wordsOf(folded: string): string[] {
  const words: string[] = []
  let run = ''
  for (const word of folded.split(' ')) {
    if (/^[a-z]$/.test(word)) {
      run += word
      continue
    }
    if (run !== '') words.push(run)
    run = ''
    if (word !== '') words.push(word)
  }
  if (run !== '') words.push(run)
  return words
}

/** The word as it is compared. */
export function canonicalWord(word: string): string {
  return abbreviations.get(word) ?? word
}

/** "Corp II" and "Corp 2" are one. A single letter is a word as often, and so is a numeral that begins a name. */
const arabicNumerals = new Map(
  'ii iii iv vi vii viii ix xi xii xiii xiv xv xvi'
    .split(' ')
    .map((numeral, at) => [numeral, String([2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16][at])] as const),
)

/** Phrases, and numerals behind the first word, as the one word by which they are compared. */
export function canonicalWords(words: readonly string[]): string[] {
  const canonical: string[] = []
  for (let at = 0; at < words.length;) {
    const phrase = phrases.find(([parts]) => parts.every((part, index) => words[at + index] === part))
    const word = words[at] ?? ''
    const numeral = at > 0 ? arabicNumerals.get(word) : undefined
    canonical.push(phrase?.[1] ?? numeral ?? canonicalWord(word))
    at += phrase?.[0].length ?? 1
  }
  return canonical
}

/** Without the joining words, unless nothing else is left ("The The" stays). */
export function withoutJoiningWords(words: readonly string[]): string[] {
  const kept = words.filter((word) => !joiningWords.has(word))
  return kept.length > 0 ? kept : [...words]
}

/** A word that numbers a thing: two names whose numbers differ are two things. */
export function isNumberWord(word: string): boolean {
  return /\d/.test(word) || romanNumerals.has(word) || longNumeral.test(word)
}
