import { describe, expect, it, test } from 'vitest'
import { madeUpNames } from '../../../bench/made-up-names.js'
import type { CompanyFacts } from '../../../bench/name-pieces.js'
import { fundChanges, headChanges, nameChanges, placelessChanges } from '../../../bench/query-changes.js'
import { createSeededFractions } from '../../../src/platform/clock.js'

const german: CompanyFacts = { ticker: null, countryCode: 'DE' }
const british: CompanyFacts = { ticker: null, countryCode: 'GB' }
const listed: CompanyFacts = { ticker: 'ZRVX', countryCode: 'US' }

/** What a change makes of a name by each of many chances, each text once. */
function writtenWays(kind: string, name: string, facts?: CompanyFacts): (string | null)[] {
  const change = nameChanges[kind]
  if (change === undefined) throw new Error(`there is no change ${kind}`)
  const ways = Array.from({ length: 4000 }, (_, seed) => change(name, createSeededFractions(seed), facts))
  return [...new Set(ways)]
}

/** Kind, name, one of the ways it is then written, and a name to which the kind does not apply. */
const examples: [
  kind: string,
  name: string,
  written: string,
  notFor?: string | null,
  facts?: CompanyFacts,
][] = [
  ['exact', 'Zorvex Robotics Inc', 'Zorvex Robotics Inc'],
  ['other_case', 'Zorvex Robotics Inc', 'ZORVEX ROBOTICS INC'],
  ['form_dropped', 'Zorvex Robotics, Inc.', 'Zorvex Robotics', 'Zorvex'],
  ['form_changed', 'Zorvex Robotics Ltd', 'Zorvex Robotics plc', null, british],
  ['cut_at_31', 'Zorvex International Robotics Incorporated', 'Zorvex International Robotics I', 'Zorvex'],
  [
    'cut_at_40',
    'Zorvex International Robotics Incorporated',
    'Zorvex International Robotics Incorporat',
    'Zorvex',
  ],
  ['abbreviated', 'Zorvex International Holdings', 'Zorvex Intl Hldgs', 'Zorvex Robotics'],
  ['reordered', 'Calder Brook Foods Ltd', 'Foods Calder Brook', 'Calder Ltd'],
  ['words_joined', 'Calder Brook Foods Ltd', 'CalderBrook Foods', 'Calder Ltd'],
  ['word_dropped', 'Calder Brook Foods Ltd', 'Calder Foods', 'Calder Foods Ltd'],
  ['word_added', 'Calder Ltd', 'Calder Holdings'],
  ['initials', 'Calder Brook Foods Ltd', 'CBF', 'Calder Foods Ltd'],
  ['accents_lost', 'Société Norvane', 'Societe Norvane', 'Norvane'],
  ['soft_word_dropped', 'Norvane Holdings plc', 'Norvane', 'Norvane plc'],
  ['first_word', 'Norvane Robotics Inc', 'Norvane', 'Norvane Inc'],
  ['first_two_words', 'Norvane Blue Robotics Inc', 'Norvane Blue', 'Norvane & Sons Inc'],
  ['letters_spelled_out', 'Sparbank Mühlau', 'SPARBANK MUEHLAU', 'Sparbank'],
  ['equivalent', 'United States Glimmer Company', 'US Glimmer Co', 'Glimmer Inc'],
  ['country_added', 'Zorvex Inc', 'Zorvex USA', null, listed],
  ['site', 'Norvane Inc', 'Norvane Inc - Plant 7'],
  ['street', 'Norvane Inc', 'Norvane 4592 Oak Street'],
  ['department', 'Norvane Inc', 'Norvane (Payroll)'],
  ['trading_as', 'Norvane Inc', 'Norvane Inc dba Sunny Inn'],
  ['traded_as', 'Norvane Inc', 'Marlowe Retail Ltd t/a Norvane'],
  ['plant', 'Norvane Inc', 'Leeds Assembly Plant - Norvane'],
  ['care_of', 'Norvane Inc', 'c/o Norvane Inc'],
  ['attention', 'Norvane Inc', 'Norvane Inc Attn: Treasury'],
  ['trade_in_front', 'Norvane Inc', 'Sunny Inn, operated by Norvane Inc'],
  ['former_added', 'Norvane Inc', 'Norvane Inc (formerly Eastbrook Mills)'],
  ['own_country_added', 'Norvane GmbH', 'Norvane Deutschland', null, german],
  ['parent_country_added', 'Norvane Inc', 'Norvane Inc (Japan group)'],
  ['changed_twice', 'Norvane Foods Ltd', 'NORVANE FOODS'],
  ['law_added', 'Norvane Inc', 'Norvane Inc, a Delaware corporation'],
  ['security_added', 'Korda Inc', 'Korda Inc Common Stock'],
  ['middle_changed', 'Birch Quality Bond Fund', 'Birch Quality Select Bond Fund', 'Birch Fund'],
  ['long_security', 'Korda Inc', 'Korda Inc Warrants to purchase Common Stock'],
  ['security_cut_at_40', 'Tessel Inc', 'Tessel Inc Warrants to purchase Common S'],
  ['share_class', 'Korda Inc', 'Korda Cl A'],
  ['issuer_short', 'Norvane Broadcasting Holdings Inc', 'NORVANE BRDCSTNG HLDG INC', 'Norvane Inc'],
  [
    'fund_abbreviated',
    'Birch Tax-Managed Global Equity Income Fund',
    'Birch Tax-Mgd Glbl Eq Inc Fd',
    'Birch Tools Inc',
  ],
  ['fund_words_cut', 'Birch Municipal Income Trust', 'Birch Muni Inco Trus', 'Birch Tools Inc'],
  ['fund_word_added', 'Birch Limited Duration Trust', 'Birch Limited Duration Income Trust', 'Birch Trust'],
  [
    'fund_series_added',
    'Birch Variable Insurance Trust',
    'Birch Variable Insurance Trust - Core Bond Fund',
    'Birch Inc',
  ],
  ['ticker_added', 'Zorvex Inc', 'Zorvex Inc (ZRVX)', null, listed],
  ['form_spelled_out', 'Norvane GmbH', 'Norvane Gesellschaft mit beschränkter Haftung', 'Norvane'],
  ['form_shortened', 'Norvane Public Limited Company', 'Norvane plc', 'Norvane plc'],
  ['form_in_front', 'Norvane Foods, Ltd.', 'Ltd. Norvane Foods', 'Norvane Foods'],
  ['article_changed', 'The Norvane Company', 'Norvane Company, The'],
  ['number_of_word', 'NORVANE INDUSTRIES', 'NORVANE INDUSTRY', 'Norvane'],
  ['ampersand', 'Calder and Brook Ltd', 'Calder & Brook Ltd', 'Calder Ltd'],
  ['erp_capitals', 'Norvane Distribution-Services, Inc.', 'NORVANE DISTRI SERVIC INC', 'NORVANE INC'],
  ['surname_first', 'John Calder & Sons Ltd', 'Calder, John & Sons', 'Norvane Calder Ltd'],
  ['uk_trading_name', 'Mellbrook (UK) Limited', 'Mellbrook', 'Mellbrook Limited'],
  ['number_added', 'Norvane Inc', 'Norvane Inc (2020)'],
  ['domain_ending', 'Norvane Foods Inc', 'norvanefoods.com', 'Norvane Foods of the Lower Valley Inc'],
  ['numbers_written', 'First Norvane Fund III', '1st Norvane Fund 3', 'Norvane Fund'],
  ['repeated', 'Norvane Inc', 'Norvane Inc Norvane Inc'],
  ['small_words_dropped', 'The House of Norvane', 'The House Norvane', 'Norvane House'],
  ['of_turned', 'Bank of Norvane Inc', 'Norvane Bank', 'Norvane Bank'],
  ['punctuation_lost', 'A. Norvane-Brook, Inc.', 'A Norvane Brook Inc', 'Norvane Inc'],
  ['title_in_front', 'Norvane Inc', 'Messrs Norvane Inc'],
  ['branch_added', 'Norvane AG', 'Norvane AG, London Branch'],
  ['remark_added', 'Norvane AG', 'Norvane AG (In Liquidation)'],
  ['typing_error', 'Norvane Inc', 'Novrane Inc', 'ABC Inc'],
  ['typing_error_short', 'Tavrik Inc', 'Tavirk', 'Tavrik Foods Inc'],
  ['typing_errors_two', 'Norvane Distribution Inc', 'Novrane Distributino Inc', 'Norvane Inc'],
  ['letters_plain', 'Sparbank Großmühlau', 'Sparbank Grosmuhlau', 'Sparbank'],
  ['letters_closed', 'Sparbank Muehlau', 'Sparbank Mühlau', 'Michael Bauer', german],
  ['apostrophe_lost', "Wendel's Foods", 'Wendels Foods', 'Wendels Foods'],
  ['apostrophe_added', 'Wendels Foods', "Wendel's Foods", 'Wendel Foods'],
  ['hyphen_changed', 'Co-Norvane Inc', 'CoNorvane Inc', 'Norvane'],
  ['word_split', 'BlueNorvane Inc', 'Blue Norvane Inc', 'Norvane Inc'],
  ['dotted_initials', 'JPM Calder Inc', 'J.P.M. Calder Inc', 'Calder Inc'],
]

describe('changes of names', () => {
  test.each(examples)('%s: %j may be written %j', (kind, name, written, notFor, facts) => {
    expect(writtenWays(kind, name, facts)).toContain(written)
    if (typeof notFor === 'string') expect(writtenWays(kind, notFor, facts)).toEqual([null])
  })

  it('every kind has its example, and the lists of kinds name none that is not there', () => {
    const kinds = Object.keys(nameChanges)
    expect(examples.map(([kind]) => kind).sort()).toEqual([...kinds].sort())
    for (const kind of [...headChanges, ...fundChanges, ...placelessChanges]) expect(kinds).toContain(kind)
  })

  it('a name as it stands is a change of one kind alone', () => {
    for (const [kind, name, , , facts] of examples) {
      if (kind !== 'exact') expect(writtenWays(kind, name, facts), kind).not.toContain(name)
    }
  })

  it('what depends on facts does not apply where they are not known', () => {
    for (const kind of ['form_changed', 'ticker_added', 'own_country_added', 'letters_closed'])
      expect(writtenWays(kind, 'Sparbank Muehlau')).toEqual([null])
    expect(writtenWays('country_added', 'Norvane GmbH', german)).toEqual([null])
    expect(writtenWays('own_country_added', 'Norvane Germany GmbH', german)).not.toContain(
      'Norvane Germany Germany',
    )
  })
})

describe('names of no company', () => {
  const known = { distinctive: ['larkmoor', 'tessel', 'quellstone'], towns: ['salem'] }

  test.each(Object.entries(madeUpNames))('%s is made of other words for each seed', (_kind, make) => {
    const names = Array.from({ length: 50 }, (_, seed) => make(known, createSeededFractions(seed)))
    expect(new Set(names).size).toBeGreaterThan(10)
    for (const name of names) expect(name).toMatch(/^\p{Lu}\S*(?: \S+)+$|^\p{Lu}\p{Ll}{4,}$/u)
    expect(make(known, createSeededFractions(7))).toBe(make(known, createSeededFractions(7)))
  })

  it('takes the words it is handed', () => {
    const names = Array.from({ length: 50 }, (_, seed) =>
      madeUpNames['negative_two_words']?.(known, createSeededFractions(seed)),
    )
    expect(names).toContain('Tessel Quellstone Ltd')
  })
})
