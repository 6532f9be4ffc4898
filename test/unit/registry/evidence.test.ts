import { describe, expect, it, test } from 'vitest'
import { classifyEvidence, type Evidence, type EvidenceKind } from '../../../src/registry/match/evidence.js'
import { computeFeatures, featureNames, type FeatureName } from '../../../src/registry/match/features.js'
import { buildEvidences } from '../../../src/registry/match/rank.js'
import { candidatesOf, queryOf, vocabularyOf, type Held } from '../../support/matching.js'

interface Asked {
  readonly text: string
  /** The first is the one looked at. */
  readonly held: readonly Held[]
  readonly at?: string | null
  readonly contextCount?: number
}

const of = (text: string, held: string | Held, at: string | null = null): Asked => ({
  text,
  held: [typeof held === 'string' ? { name: held } : held],
  at,
})

function evidenceOf({ text, held, at = null, contextCount = 0 }: Asked): Evidence {
  const names = candidatesOf(held)
  const vocabulary = vocabularyOf(names)
  const found = buildEvidences(queryOf(text, at, vocabulary), names, vocabulary, () => contextCount).find(
    ({ comparison }) => comparison.candidate.entityNumber === 1,
  )
  if (found === undefined) throw new Error(`${text} is nothing like ${held[0]?.name ?? 'nothing'}`)
  return found
}

const valueOf = (name: FeatureName, asked: Asked) =>
  computeFeatures(evidenceOf(asked))[featureNames.indexOf(name)] ?? NaN

const reno = { city: 'Reno', region: 'NV' }
const austin = { city: 'Austin', region: 'TX' }
const held = (name: string, more: Omit<Held, 'name'> = {}): Held => ({ name, ...more })
const change = (asked: Asked, more: Omit<Held, 'name'>, at = asked.at ?? null): Asked => ({
  ...asked,
  at,
  held: asked.held.map((row) => ({ ...row, ...more })),
})
const inReno = (asked: Asked, at = 'Reno, NV') => change(asked, reno, at)
const inAustin = (asked: Asked) => change(asked, austin, 'Reno, NV')
const abroad = (asked: Asked) => change(asked, { city: 'Leeds', country: 'GB' }, 'Reno, NV, US')
const elsewhere = (asked: Asked) => change(asked, { country: '', jurisdictionCountry: 'GB' }, 'France')
const listed = (asked: Asked) => change(asked, { listed: true })
const beside = (asked: Asked, ...others: readonly Held[]): Asked => ({
  ...asked,
  held: [...asked.held, ...others],
})

const one = of('Zorvex', 'Zorvex Inc')
const exact = of('Zorvex Robotics', 'Zorvex Robotics Inc')
const legal = of('Zorvex Robotics Inc', 'Zorvex Robotics Inc')
const generic = of('First Capital', 'First Capital')
const prefix = of('Zorvex', 'Zorvex Robotics Inc')
const lacking = of('Zorvex', 'Zorvex Calder')
const lacking2 = of('Zorvex Calder', 'Zorvex Calder Mellbrook')
const within = of('Zorvex Calder', 'Zorvex Inc')
const ahead = of('Calder Zorvex', 'Zorvex Inc')
const apart = of('Zorvex - Calder', 'Zorvex Inc')
const both = of('Zorvex Calder', 'Zorvex Mellbrook')
const reordered = of('Robotics Zorvex', 'Zorvex Robotics Inc')
const fuzzy = of('Zorvix Calder', 'Zorvex Calder')
const fuzzyOne = of('Zorvix', 'Zorvex')
const short = of('Zorvex Cldr', 'Zorvex Calder')
const fund = of('Zorvex Fund II', 'Zorvex Fund III')
const series = of('Zorvex Calder', 'Zorvex Calder II')
const initials = of('ZRL', 'Zorvex Robotics Logistics')
const cut = of('Zorvex Municipal Incom', 'Zorvex Municipal Income Trust')
const column = of('Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp')
const leeds = of('Zorvex GmbH', held('Zorvex Limited', { city: 'Leeds', country: 'GB' }))
const trust = of('Zorvex', held('Zorvex Trust', { supported: false }))

/** Of each feature two comparisons: it is more for the first. */
const pairs: Record<Exclude<FeatureName, 'always'>, readonly [more: Asked, less: Asked]> = {
  kindExact: [exact, prefix],
  kindWithin: [within, exact],
  kindPart: [prefix, exact],
  kindBoth: [both, within],
  kindFuzzy: [fuzzy, exact],
  equalShare: [exact, prefix],
  equalShareSquared: [exact, prefix],
  fullName: [legal, exact],
  found: [within, prefix],
  foundForm: [legal, exact],
  foundFormOneWord: [of('Zorvex Inc', 'Zorvex Inc'), legal],
  foundApart: [apart, within],
  foundAtStart: [within, ahead],
  foundOtherwise: [of('Zorvex Tech', 'Zorvex Technologies'), of('Zorvex Tech', 'Zorvex Tech Inc')],
  completed: [cut, exact],
  prefix: [prefix, exact],
  acronym: [initials, exact],
  acronymPlaced: [inReno(initials), inAustin(initials)],
  reordered: [reordered, exact],
  otherName: [change(one, { kind: 'other' }), one],
  formerName: [change(one, { kind: 'former' }), one],
  missingWeight: [lacking, prefix],
  missingGeneric: [prefix, lacking],
  missingLight: [of('Zorvex', 'Zorvex Group'), prefix],
  missingPlace: [of('Zorvex', 'Zorvex Reno', 'Reno'), of('Zorvex', 'Zorvex Reno')],
  missingCountry: [of('Zorvex', 'Zorvex Italia'), lacking],
  missingTail: [prefix, exact],
  missingPlaced: [inReno(lacking), lacking],
  missingConflict: [inAustin(lacking), lacking],
  missingFuzzy: [of('Zorvix Calder', 'Zorvex Calder Mellbrook'), lacking2],
  missingListed: [listed(lacking), lacking],
  missingFormStated: [of('Zorvex Inc', 'Zorvex Calder Inc'), lacking],
  bothMore: [both, within],
  tellingBefore: [ahead, within],
  tellingBeforeWeight: [ahead, within],
  tellingBeforeJoined: [ahead, within],
  tellingNext: [of('Zorvex Calder Mellbrook', 'Zorvex'), of('Zorvex - Calder Mellbrook', 'Zorvex')],
  tellingInside: [of('Zorvex Mellbrook Calder', 'Zorvex Calder'), within],
  tellingApart: [apart, within],
  embedded: [of('Calder', 'Zorvex Calder'), lacking],
  tellingAfterDash: [apart, within],
  tellingAfterBracket: [of('Zorvex (Calder)', 'Zorvex'), apart],
  tellingAfterComma: [of('Zorvex, Calder', 'Zorvex'), apart],
  tellingBehindForm: [of('Zorvex Ltd Calder', 'Zorvex'), within],
  tellingBeforeForm: [of('Zorvex Calder Ltd', 'Zorvex'), of('Zorvex Ltd Calder', 'Zorvex')],
  tellingPlaced: [inReno(within), within],
  tellingListed: [listed(within), within],
  genericBefore: [of('Bank Zorvex', 'Zorvex'), exact],
  genericInside: [of('Zorvex Bank Calder', 'Zorvex Calder'), exact],
  genericBehind: [of('Zorvex Bank', 'Zorvex'), exact],
  genericBeforeForm: [of('Zorvex Foods Ltd', 'Zorvex'), of('Zorvex Foods', 'Zorvex')],
  lightBefore: [of('Group Zorvex', 'Zorvex'), exact],
  lightBehind: [of('Zorvex Group', 'Zorvex'), exact],
  placeBefore: [of('Germany Zorvex', 'Zorvex'), exact],
  placeBehind: [of('Zorvex Germany', 'Zorvex'), exact],
  ownPlace: [of('Zorvex Reno', held('Zorvex', reno)), of('Zorvex Reno', held('Zorvex', austin))],
  repeated: [of('Zorvex - Zorvex Calder', 'Zorvex Calder'), apart],
  cutWord: [of('Zorvex Calder Mellbrook Brimho', 'Zorvex Calder Mellbrook'), within],
  letterLeft: [of('Zorvex B', 'Zorvex'), within],
  letterBefore: [of('B Zorvex', 'Zorvex'), within],
  securityBehind: [of('Zorvex ADR', 'Zorvex'), of('ADR Zorvex', 'Zorvex')],
  securityBefore: [of('4% Zorvex', 'Zorvex'), of('Zorvex 4%', 'Zorvex')],
  described: [of('Zorvex Inc, a Delaware corporation', 'Zorvex Inc'), exact],
  departmentLeft: [of('Zorvex Payroll', 'Zorvex'), within],
  bodyLeft: [of('Zorvex Foundation', 'Zorvex'), within],
  guest: [of('Calder c/o Zorvex', 'Zorvex'), ahead],
  tellingInsideForm: [
    of('Zorvex Mellbrook Calder Ltd', 'Zorvex Calder'),
    of('Zorvex Mellbrook Calder', 'Zorvex Calder'),
  ],
  paymentLeft: [of('Zorvex Sepa', 'Zorvex Inc'), exact],
  siteLeft: [of('Zorvex - Plant 7', 'Zorvex'), within],
  codeLeft: [of('Zorvex XY12Z', 'Zorvex'), within],
  numberBefore: [of('588611 Zorvex', 'Zorvex'), within],
  numberBehind: [of('Zorvex 588611', 'Zorvex'), within],
  tradeMarkBehind: [of('Zorvex dba Calder', 'Zorvex'), within],
  tradeMarkBefore: [of('Calder dba Zorvex', 'Zorvex'), ahead],
  formerBefore: [of('Calder fka Zorvex', 'Zorvex'), ahead],
  webLeft: [of('www.zorvex.com', 'Zorvex'), one],
  companyLeft: [
    of('Zorvex Inc Bank of Calder Ltd', 'Zorvex Inc'),
    of('Zorvex Inc dba Calder Ltd', 'Zorvex Inc'),
  ],
  countryLeft: [of('Zorvex Mexico', 'Zorvex'), within],
  inHouse: [of('Zorvex', 'Zorvex Services (UK) Ltd'), prefix],
  misspelledUsual: [of('Zorvex Teghnologies', 'Zorvex Technologies'), fuzzy],
  misspelledSlip: [of('Zovrex Calder', 'Zorvex Calder'), fuzzy],
  misspelledFirst: [of('Jorvexan', 'Korvexan'), fuzzy],
  misspelledKnown: [of('Trust Calder', 'Truss Calder'), fuzzy],
  misspelledAll: [fuzzyOne, fuzzy],
  abbreviatedKnown: [beside(of('Cald Zorvex', 'Calder Zorvex'), held('Cald Inc')), short],
  cutLast: [cut, exact],
  cutOneWord: [of('Zorvex', 'Zorvexcall'), of('Zorvexcal', 'Zorvexcall')],
  joined: [of('Zor Vex Calder', 'Zorvex Calder'), exact],
  related: [of('Zorvex Bank', 'Zorvex Bancorp'), exact],
  plural: [of('Zorvex Hotel', 'Zorvex Hotels'), exact],
  pluralOneWord: [of('Zorvex', 'Zorvexs'), of('Zorvex Hotel', 'Zorvex Hotels')],
  otherwiseWritten: [of('1st Zorvex', 'First Zorvex'), exact],
  unknownLetter: [of('Z\uFFFDrvex', 'Zorvex'), one],
  fuzzyBoth: [of('Zorvix Calder', 'Zorvex Mellbrook'), fuzzy],
  fuzzyPlaced: [inReno(fuzzy), fuzzy],
  fuzzyConflict: [inAustin(fuzzy), fuzzy],
  fuzzyOneWord: [fuzzyOne, fuzzy],
  fuzzyOneWordSlip: [of('Zovrex', 'Zorvex'), fuzzyOne],
  fuzzyOneWordPlaced: [inReno(fuzzyOne), fuzzyOne],
  fuzzyRarity: [fuzzy, exact],
  fuzzyTelling: [of('Zorvix Calder Mellbrook', 'Zorvex Calder'), fuzzy],
  fuzzyListed: [listed(fuzzy), fuzzy],
  numbersDiffer: [fund, of('Zorvex Fund II', 'Zorvex Fund II')],
  missingNumber: [series, exact],
  oneOfSeries: [series, exact],
  siblingNumber: [fund, series],
  numbersDifferRarity: [fund, of('First Fund II', 'First Fund III')],
  formSameNext: [legal, of('JSC Zorvex', 'Zorvex JSC')],
  formSoftConflict: [of('Zorvex Ltd', 'Zorvex Inc'), one],
  formHardConflict: [of('Zorvex LP', 'Zorvex Inc'), one],
  formConflictExact: [of('Zorvex Ltd', 'Zorvex Inc'), of('Zorvex Calder Ltd', 'Zorvex Inc')],
  formForeign: [leeds, of('Zorvex GmbH', held('Zorvex Limited', { city: 'Ulm', country: 'DE' }))],
  formSoftConflictWhole: [of('Zorvex Ltd', 'Zorvex Inc'), of('Zorvex Calder Ltd', 'Zorvex Inc')],
  formForeignExact: [leeds, { ...leeds, text: 'Zorvex Calder GmbH' }],
  unstatedPartnership: [of('Zorvex', 'Zorvex LP'), one],
  formOfPlace: [of('Zorvex GmbH', 'Zorvex GmbH', 'Germany'), of('Zorvex GmbH', 'Zorvex GmbH', 'Leeds, GB')],
  rarity: [exact, generic],
  rarest: [exact, generic],
  letters: [exact, one],
  sharedWords: [exact, one],
  noTelling: [generic, exact],
  genericUnplaced: [generic, inReno(generic)],
  genericPart: [
    of('First National Bank', 'First National Bank Zorvex'),
    inReno(of('First National Bank', 'First National Bank Zorvex')),
  ],
  oneWord: [one, exact],
  oneWordShort: [of('Zorv', 'Zorv Calder'), one],
  oneWordPart: [within, one],
  oneWordRarest: [one, exact],
  betterPlaced: [beside(inAustin(exact), held('Zorvex Robotics Ltd', reno)), inAustin(exact)],
  beginnings: [beside(prefix, held('Zorvex Software')), prefix],
  beginningsMissing: [beside(prefix, held('Zorvex Software')), prefix],
  otherInTown: [
    beside({ ...elsewhere(one), at: 'Lyon, France' }, held('Zorvex Foods', { city: 'Lyon', country: 'FR' })),
    elsewhere(one),
  ],
  otherInTownOnly: [beside(inAustin(exact), held('Zorvex Robotics Foods', reno)), inAustin(exact)],
  otherNamedSo: [beside(prefix, held('Zorvex Inc')), prefix],
  onlyBeginningThere: [
    beside(inReno(prefix), held('Zorvex Software', austin)),
    beside(inReno(prefix), held('Zorvex Software', reno)),
  ],
  onlyListedBeginning: [listed(prefix), beside(listed(prefix), held('Zorvex Software', { listed: true }))],
  onlyCompleted: [cut, beside(cut, held('Zorvex Municipal Income Fund'))],
  completions: [beside(cut, held('Zorvex Municipal Income Fund')), cut],
  besideSeries: [beside(column, held('Zorvex Growth Acquisition Corp II')), column],
  family: [beside(lacking2, held('Zorvex Calder Software')), lacking2],
  ownsRarest: [exact, beside(exact, held('Zorvex Robotics Ltd'))],
  ownsRarestPart: [prefix, beside(prefix, held('Zorvex Software'))],
  postal: [of('Zorvex', held('Zorvex', { postal: '89501' }), '89501'), inReno(exact)],
  city: [inReno(exact), inReno(exact, 'NV, US')],
  region: [inReno(exact, 'Elko, NV'), inReno(exact)],
  country: [{ ...exact, at: 'Reno, US' }, inReno(exact)],
  noPlaceAsked: [exact, inReno(exact)],
  noPlaceKnown: [{ ...exact, at: 'Reno' }, exact],
  registeredThere: [change(one, { country: '', jurisdictionCountry: 'US' }, 'US'), inReno(one)],
  registeredElsewhere: [elsewhere(one), inReno(one)],
  registeredElsewhereWhole: [elsewhere(one), elsewhere(within)],
  registeredElsewhereOneWord: [elsewhere(one), elsewhere(exact)],
  formOfCountry: [
    of('Zorvex', held('Zorvex AB', { country: '', jurisdictionCountry: 'US' }), 'Sweden'),
    of('Zorvex', held('Zorvex Inc', { country: '', jurisdictionCountry: 'US' }), 'Sweden'),
  ],
  townAbroad: [change(one, { city: 'Ghent', country: 'BE' }, 'Ghent, US'), one],
  otherCountry: [abroad(exact), inReno(exact)],
  otherCountryWhole: [abroad(exact), abroad(within)],
  conflictListed: [listed(inAustin(prefix)), inAustin(prefix)],
  conflictPart: [inAustin(prefix), inAustin(exact)],
  fittingPart: [inReno(prefix), inReno(exact)],
  placedWhole: [inReno(exact), inReno(prefix)],
  conflictRarity: [inAustin(exact), inReno(exact)],
  otherTown: [inReno(exact, 'Elko, NV'), inReno(exact)],
  otherTownPart: [inReno(prefix, 'Elko, NV'), inReno(prefix)],
  noTown: [{ ...exact, at: 'Reno, US' }, inReno(exact)],
  noAddress: [change(one, { country: '' }), one],
  tailDiffers: [
    of('Zorvex Inc (NV)', held('Zorvex', { jurisdictionRegion: 'US-TX' })),
    of('Zorvex Inc (NV)', held('Zorvex', { jurisdictionRegion: 'US-NV' })),
  ],
  listed: [listed(exact), exact],
  ticker: [
    change(of('Zorvex (ZRX)', 'Zorvex Inc'), { tickers: 'zrv zrx' }),
    of('Zorvex (ZRX)', 'Zorvex Inc'),
  ],
  listedWhole: [listed(exact), listed(prefix)],
  listedRare: [listed(prefix), listed(exact)],
  lei: [change(one, { lei: true }), one],
  inactive: [change(one, { active: false }), one],
  removed: [change(one, { removed: true }), one],
  notCompany: [trust, one],
  notCompanyPart: [trust, change(one, { supported: false })],
  context: [{ ...exact, contextCount: 2 }, exact],
}

describe('each feature', () => {
  test.each(Object.entries(pairs) as [FeatureName, readonly [Asked, Asked]][])(
    '%s tells two comparisons apart',
    (name, [more, less]) => {
      expect(valueOf(name, more)).toBeGreaterThan(valueOf(name, less))
    },
  )

  it('stays within a few, whatever is compared; one is always 1', () => {
    for (const asked of Object.values(pairs).flat()) {
      const values = computeFeatures(evidenceOf(asked))
      expect(values).toHaveLength(featureNames.length)
      for (const value of values)
        expect(value >= 0 && value <= 5, `${asked.text}: ${String(value)}`).toBe(true)
      expect(valueOf('always', asked)).toBe(1)
    }
  })

  it('has a name of its own', () => {
    expect(new Set(featureNames).size).toBe(featureNames.length)
  })
})

test.each<[Asked, EvidenceKind]>([
  [legal, 'exact'],
  [of('Zorvex Hotel', 'Zorvex Hotels'), 'part'],
  [within, 'within'],
  [ahead, 'within'],
  [prefix, 'part'],
  [cut, 'part'],
  [both, 'both'],
  [fuzzy, 'fuzzy'],
  [short, 'fuzzy'],
])('%o is evidence of the kind %s', (asked, kind) => {
  expect(classifyEvidence(evidenceOf(asked))).toBe(kind)
})
