import { describe, expect, it, test } from 'vitest'
import {
  type Evidence,
  queryFeatureNames,
  computeQueryFeatures,
  type QueryFeatureName,
} from '../../../src/registry/match/evidence.js'
import { featureNames, computeFeatures, type FeatureName } from '../../../src/registry/match/features.js'
import { buildEvidences, toQueryFacts } from '../../../src/registry/match/rank.js'
import type { VariantKind } from '../../../src/registry/normalize/name-variants.js'
import { candidatesOf, queryOf, vocabularyOf, type Held } from '../../support/matching.js'

interface Asked {
  readonly text: string
  /** The first is the one looked at. */
  readonly held: readonly Held[]
  readonly at: string | null
  readonly kind: VariantKind
  readonly contextCount: number
  /** Names in the registry. */
  readonly total?: number
}

function asked(text: string, held: string | Held | readonly Held[], more: Partial<Asked> = {}): Asked {
  const rows = typeof held === 'string' ? [{ name: held }] : Array.isArray(held) ? held : [held as Held]
  return { text, held: rows, at: null, kind: 'whole', contextCount: 0, ...more }
}

function evidenceOf({ text, held, at, kind, contextCount, total }: Asked): Evidence {
  const names = candidatesOf(held)
  const vocabulary = vocabularyOf(names, total)
  const found = buildEvidences(queryOf(text, at, vocabulary), names, vocabulary, () => contextCount).find(
    ({ comparison }) => comparison.candidate.entityNumber === 1 && comparison.variant.kind === kind,
  )
  if (found === undefined) throw new Error(`${text} is nothing like ${held[0]?.name ?? 'nothing'} as ${kind}`)
  return found
}

const valueOf = (name: FeatureName, of: Asked) =>
  computeFeatures(evidenceOf(of))[featureNames.indexOf(name)] ?? NaN

const reno = { city: 'Reno', region: 'NV' }
const austin = { city: 'Austin', region: 'TX' }
const exact = asked('Zorvex Robotics', 'Zorvex Robotics Inc')
const legal = asked('Zorvex Robotics Inc', 'Zorvex Robotics Inc')
const prefix = asked('Zorvex', 'Zorvex Robotics Inc')
const longer = asked('Zorvex Calder', 'Zorvex Inc')
const near = asked('Robotics Zorvex', 'Zorvex Robotics Inc')
const completed = asked('Zorvex Municipal Incom', 'Zorvex Municipal Income Trust')
const column = asked('Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp II')
const prefix2 = asked('Zorvex Calder', 'Zorvex Calder Robotics')
const longer2 = asked('Zorvex Calder Robotics', 'Zorvex Calder')
const near2 = asked('Zorvex Calder Robotics', 'Calder Zorvex')
const held = (name: string, more: Omit<Held, 'name'> = {}): Held => ({ name, ...more })
const inReno = (of: Asked, at: string | null = 'Reno, NV'): Asked => ({
  ...of,
  at,
  held: of.held.map((row) => ({ ...row, ...reno })),
})
const inAustin = (of: Asked): Asked => ({
  ...of,
  held: of.held.map((row) => ({ ...row, ...austin })),
  at: 'Reno, NV',
})
const abroad = (of: Asked): Asked => ({
  ...of,
  held: of.held.map((row) => ({ ...row, city: 'Leeds', country: 'GB' })),
  at: 'Reno, NV, US',
})
const listed = (of: Asked): Asked => ({ ...of, held: of.held.map((row) => ({ ...row, listed: true })) })
const beside = (of: Asked, ...others: readonly Held[]): Asked => ({ ...of, held: [...of.held, ...others] })

/** Of each feature a pair in which it is more for the first than for the second. */
const pairs: Record<FeatureName, readonly [more: Asked, less: Asked]> = {
  exact: [exact, prefix],
  fullLegalName: [legal, exact],
  fullOtherName: [
    asked('Zorvex Robotics Inc', held('Zorvex Robotics Inc', { kind: 'former' })),
    asked('Zorvex Robotics', held('Zorvex Robotics Inc', { kind: 'former' })),
  ],
  completed: [completed, exact],
  completedMissing: [completed, asked('Zorvex Municipal Income Trus', 'Zorvex Municipal Income Trust')],
  completedByColumn: [column, completed],
  prefix: [prefix, exact],
  extends: [longer, exact],
  acronym: [asked('ZRC', 'Zorvex Robotics Calder Inc'), exact],
  near: [near, exact],
  reordered: [near, asked('Zorvex Calder', 'Zorvex Robotics Inc')],
  nameLeads: [asked('Zorvex Calder', 'Reno Zorvex Calder I LLC'), near],
  nameLeadsFormStated: [
    asked('Zorvex Calder Inc', 'Reno Zorvex Calder Inc'),
    asked('Zorvex Calder', 'Reno Zorvex Calder Inc'),
  ],
  formForeign: [
    asked('Zorvex GmbH', held('Zorvex Limited', { city: 'Leeds', country: 'GB' })),
    asked('Zorvex GmbH', held('Zorvex Limited', { city: 'Ulm', country: 'DE' })),
  ],
  formForeignPlaced: [
    asked('Zorvex GmbH', held('Zorvex Limited', { city: 'Leeds', country: 'GB' }), { at: 'Ulm, Germany' }),
    asked('Zorvex GmbH', held('Zorvex Limited', { city: 'Leeds', country: 'GB' }), { at: 'Leeds, GB' }),
  ],
  formStatedPrefixMore: [asked('Zorvex Inc', 'Zorvex Robotics Inc'), legal],
  querySoftExtends: [asked('Zorvex Foods', 'Zorvex Inc'), longer],
  oneWordPrefixMore: [asked('Zorvex', 'Zorvex Calder'), exact],
  oneWordConflict: [inAustin(asked('Zorvex', 'Zorvex Inc')), inReno(asked('Zorvex', 'Zorvex Inc'))],
  oneWordConflictListed: [
    listed(inAustin(asked('Zorvex', 'Zorvex Inc'))),
    inAustin(asked('Zorvex', 'Zorvex Inc')),
  ],
  conflictPrefixMore: [inAustin(prefix), inReno(prefix)],
  conflictBare: [inAustin(exact), inAustin(legal)],
  unlistedPrefixMore: [prefix, listed(prefix)],
  fewHeldInexact: [{ ...prefix, total: 1_000 }, prefix],
  fewHeldFormless: [
    { ...exact, total: 1_000 },
    { ...legal, total: 1_000 },
  ],
  nearDifference: [asked('Robotics Zorvex Calder', 'Zorvex Robotics Inc'), near],
  nearFirstDiffers: [asked('Calder Zorvex', 'Zorvex Inc'), asked('Zorvix Robotics', 'Zorvex Robotics')],
  nearPlural: [asked('Zorvex Hotel', 'Zorvex Hotels'), asked('Zorvex Hotl', 'Zorvex Hotels')],
  looseShorter: [asked('Zorvexdean Hotels', 'Zorvex Hotels'), asked('Zorvex Hotels', 'Zorvexdean Hotels')],
  looseWords: [asked('Zorvex Robtics', 'Zorvex Robotics'), near],
  misspelledUnplaced: [
    asked('Zorvix Group', 'Zorvex Group'),
    asked('Zorvix Group', held('Zorvex Group', reno), { at: 'Reno, NV' }),
  ],
  numbersDifferUnplaced: [
    asked('Zorvex Fund II', 'Zorvex Fund III'),
    asked('Zorvex Fund II', held('Zorvex Fund III', reno), { at: 'Reno, NV' }),
  ],
  misspelled: [asked('Zorvix Group', 'Zorvex Group'), asked('Zorvex Grop', 'Zorvex Group')],
  misspelledBrand: [asked('Zorvix Software', 'Zorvex Software'), asked('Zorvix Calder', 'Zorvex Calder')],
  numbersDiffer: [asked('Zorvex Fund II', 'Zorvex Fund III'), asked('Zorvex Fund II', 'Zorvex Fund II')],
  seriesWhole: [asked('Zorvex Calder', 'Zorvex Calder II'), column],
  seriesFormStated: [
    asked('Zorvex Calder Corp', 'Zorvex Calder Corp II'),
    asked('Zorvex Calder', 'Zorvex Calder II'),
  ],
  oneOfSeries: [column, completed],
  queryLight: [asked('Zorvex Group', 'Zorvex Inc'), asked('Zorvex', 'Zorvex Inc')],
  querySoft: [asked('Zorvex Software', 'Zorvex Inc'), longer],
  queryHard: [longer, asked('Zorvex Software', 'Zorvex Inc')],
  queryPlaceWords: [asked('Zorvex Reno Calder', 'Zorvex Inc', { at: 'Reno' }), longer],
  nameLight: [asked('Zorvex', 'Zorvex Group'), prefix],
  nameSoft: [asked('Zorvex', 'Zorvex Software'), asked('Zorvex', 'Zorvex Calder')],
  nameHard: [asked('Zorvex', 'Zorvex Calder'), asked('Zorvex', 'Zorvex Software')],
  inHouse: [asked('Zorvex', 'Zorvex Services (UK) Ltd'), asked('Zorvex', 'Zorvex Robotics Services Ltd')],
  queryNumbers: [asked('Zorvex Fund IV', 'Zorvex Fund'), asked('Zorvex Fund', 'Zorvex')],
  nameNumbers: [asked('Zorvex Fund', 'Zorvex Fund IV'), asked('Zorvex', 'Zorvex Fund')],
  nameEmbeds: [asked('Zorvex Reno', 'Calder Zorvex Reno'), asked('Zorvex Reno', 'Calder Zorvex')],
  nameCountry: [asked('Zorvex', 'Zorvex Italia'), asked('Zorvex', 'Zorvex Reno')],
  namePlaceWords: [asked('Zorvex', 'Zorvex Reno', { at: 'Reno' }), asked('Zorvex', 'Zorvex Reno')],
  bankAndHolding: [asked('Zorvex Bank', 'Zorvex Bancorp'), asked('Zorvex Bank', 'Zorvex Group')],
  onlyQueryMore: [longer, asked('Zorvex Calder', 'Zorvex Mellbrook')],
  bothMore: [asked('Zorvex Calder', 'Zorvex Mellbrook'), longer],
  otherName: [asked('Zorvex', held('Zorvex', { kind: 'other' })), exact],
  formerName: [asked('Zorvex', held('Zorvex', { kind: 'former' })), exact],
  cutVariant: [asked('Zorvex Holdings Corporatio', 'Zorvex Holdings', { kind: 'cut' }), exact],
  securityVariant: [asked('Zorvex Inc Class A', 'Zorvex Inc', { kind: 'security' }), exact],
  siteVariant: [asked('Zorvex - Plant 7', 'Zorvex Inc', { kind: 'site' }), exact],
  formVariant: [asked('Zorvex Inc Employees Plan', 'Zorvex Inc', { kind: 'form' }), exact],
  bracketVariant: [asked('Zorvex (Payroll)', 'Zorvex Inc', { kind: 'bracket' }), exact],
  middleVariant: [asked('Zorvex (UK) Ltd', 'Zorvex Ltd', { kind: 'middle' }), exact],
  middleTelling: [
    asked('Zorvex (Reno) Ltd', 'Zorvex Ltd', { kind: 'middle' }),
    asked('Zorvex (UK) Ltd', 'Zorvex Ltd', { kind: 'middle' }),
  ],
  aliasVariant: [asked('Calder Ltd t/a Zorvex', 'Zorvex Inc', { kind: 'alias' }), exact],
  aliasBesideForm: [
    asked('Calder Ltd t/a Zorvex', 'Zorvex Inc', { kind: 'alias' }),
    asked('Calder t/a Zorvex', 'Zorvex Inc', { kind: 'alias' }),
  ],
  aliasBesideFormInexact: [
    asked('Calder Ltd t/a Zorvex', 'Zorvex (UK) Ltd', { kind: 'alias' }),
    asked('Calder Ltd t/a Zorvex', 'Zorvex Ltd', { kind: 'alias' }),
  ],
  hyphenVariant: [asked('Zorvex-Columbus', 'Zorvex Inc', { kind: 'hyphen' }), exact],
  queryHardRarity: [asked('Zorvex Calder Mellbrook', 'Zorvex Inc'), longer],
  nameHardRarity: [asked('Zorvex', 'Zorvex Calder Mellbrook'), asked('Zorvex', 'Zorvex Calder')],
  columnCutWholeExtends: [asked('Zorvex Growth Acquisition Calde', 'Zorvex Growth'), longer],
  queryHardPrefix: [longer, asked('Zorvex', 'Zorvex Calder')],
  siteExact: [
    asked('Zorvex - Plant 7', 'Zorvex Inc', { kind: 'site' }),
    asked('Zorvex - Plant 7', 'Zorvex Calder', { kind: 'site' }),
  ],
  columnCutExtends: [asked('Zorvex Growth Acquisition Calde', 'Zorvex Growth'), prefix],
  columnCutNear: [asked('Growth Zorvex Acquisition Calde', 'Zorvex Growth Acquisition Calder'), near],
  variantNotExact: [
    asked('Zorvex - Plant 7', 'Zorvex Calder', { kind: 'site' }),
    asked('Zorvex - Plant 7', 'Zorvex Inc', { kind: 'site' }),
  ],
  formSame: [legal, exact],
  formSoftConflict: [asked('Zorvex Ltd', 'Zorvex Inc'), exact],
  formHardConflict: [asked('Zorvex LP', 'Zorvex Inc'), exact],
  formHardConflictInexact: [asked('Zorvex Inc', 'Zorvex Robotics LP'), asked('Zorvex Inc', 'Zorvex LP')],
  unstatedPartnership: [asked('Zorvex', 'Zorvex LP'), exact],
  formStatedInexact: [asked('Zorvex Inc', 'Zorvex Robotics Inc'), prefix],
  formStatedQueryMore: [asked('Zorvex Calder Inc', 'Zorvex Inc'), longer],
  formStatedNameMore: [asked('Zorvex Inc', 'Zorvex Calder Inc'), asked('Zorvex', 'Zorvex Calder Inc')],
  formStatedMiddle: [
    asked('Zorvex (UK) Ltd', 'Zorvex Ltd', { kind: 'middle' }),
    asked('Zorvex (UK) Calder', 'Zorvex Calder', { kind: 'middle' }),
  ],
  formStatedPrefix: [asked('Zorvex Inc', 'Zorvex Robotics Inc'), prefix],
  formStatedExtends: [asked('Zorvex Calder Ltd', 'Zorvex Ltd'), longer],
  formStatedInserted: [
    asked('Zorvex Calder Robotics Ltd', 'Zorvex Robotics Ltd'),
    asked('Calder Zorvex Robotics Ltd', 'Zorvex Robotics Ltd'),
  ],
  formStatedLight: [asked('Zorvex Group Inc', 'Zorvex Inc'), asked('Zorvex Group', 'Zorvex Inc')],
  rarity: [exact, asked('First Capital', 'First Capital')],
  rarest: [exact, asked('First Capital', 'First Capital')],
  rarityExact: [exact, prefix],
  rarityPrefix: [prefix, exact],
  rarityNear: [near, exact],
  rarestPrefix: [prefix, exact],
  generic: [asked('First Capital', 'First Capital'), exact],
  genericUnplaced: [
    asked('First Capital', 'First Capital'),
    asked('First Capital', held('First Capital', reno), { at: 'Reno, NV' }),
  ],
  genericExact: [asked('First Capital', 'First Capital'), asked('First Capital', 'First Capital Fund')],
  oneWordExact: [asked('Zorvex', 'Zorvex Inc'), exact],
  oneWordPrefix: [prefix, asked('Zorvex Robotics', 'Zorvex Robotics Calder')],
  oneWordExtends: [longer, asked('Zorvex Robotics Calder', 'Zorvex Robotics')],
  exactElsewhereLongerThere: [
    beside(inAustin(exact), held('Zorvex Robotics Calder', reno)),
    beside(inAustin(exact), held('Zorvex Robotics Calder', austin)),
  ],
  exactBetterPlaced: [
    beside(inAustin(exact), held('Zorvex Robotics Ltd', reno)),
    beside(inAustin(exact), held('Zorvex Robotics Ltd', austin)),
  ],
  numbersDifferRarity: [asked('Zorvex Fund II', 'Zorvex Fund III'), asked('First Fund II', 'First Fund III')],
  exactAlone: [exact, beside(exact, held('Zorvex Robotics Ltd'))],
  exactBesideSeries: [
    beside(asked('Northern Zorvex Acquisition Co', 'Northern Zorvex Acquisition Corp'), {
      name: 'Northern Zorvex Acquisition Corp II',
    }),
    asked('Northern Zorvex Acquisition Co', 'Northern Zorvex Acquisition Corp'),
  ],
  completedAlone: [completed, beside(completed, held('Zorvex Municipal Income Fund'))],
  completedSiblings: [beside(completed, held('Zorvex Municipal Income Fund')), completed],
  family: [beside(prefix2, held('Zorvex Calder Software')), prefix2],
  familyCompleted: [beside(completed, held('Zorvex Municipal Fund')), completed],
  familyExtends: [beside(longer2, held('Zorvex Calder Foods')), longer2],
  familyPrefix: [beside(prefix2, held('Zorvex Calder Software')), prefix2],
  familyNear: [beside(near2, held('Zorvex Calder Foods')), near2],
  familyListed: [listed(prefix2), prefix2],
  familyFund: [asked('Zorvex Calder', held('Zorvex Calder Trust', { supported: false })), prefix2],
  ownsRarest: [exact, beside(exact, held('Zorvex Robotics Ltd'))],
  ownsRarestExact: [exact, beside(exact, held('Zorvex Robotics Ltd'))],
  ownsRarestPrefix: [prefix, beside(prefix, held('Zorvex Software'))],
  ownsRarestConflict: [inAustin(exact), inReno(exact)],
  prefixSiblings: [beside(prefix, held('Zorvex Software')), prefix],
  prefixAlone: [prefix, beside(prefix, held('Zorvex Software'))],
  prefixAloneThere: [
    beside(inReno(prefix), held('Zorvex Software', austin)),
    beside(inReno(prefix), held('Zorvex Software', reno)),
  ],
  prefixOnlyListed: [
    beside(listed(prefix), held('Zorvex Software')),
    beside(listed(prefix), held('Zorvex Software', { listed: true })),
  ],
  postal: [asked('Zorvex', held('Zorvex Inc', { postal: '89501' }), { at: '89501' }), inReno(exact)],
  city: [inReno(exact), inReno(exact, 'NV, US')],
  region: [inReno(exact, 'Elko, NV'), inReno(exact)],
  country: [{ ...exact, at: 'Reno, US' }, inReno(exact)],
  noPlace: [{ ...exact, at: 'Reno' }, exact],
  registeredThere: [
    asked('Zorvex', held('Zorvex Inc', { country: '', jurisdictionCountry: 'US' }), { at: 'Reno, US' }),
    inReno(exact),
  ],
  registeredElsewhere: [
    asked('Zorvex', held('Zorvex Ltd', { country: '', jurisdictionCountry: 'GB' }), { at: 'Reno, US' }),
    inReno(exact),
  ],
  formOfCountry: [
    asked('Zorvex', held('Zorvex AB', { country: '', jurisdictionCountry: 'US' }), { at: 'Sweden' }),
    asked('Zorvex', held('Zorvex Inc', { country: '', jurisdictionCountry: 'US' }), { at: 'Sweden' }),
  ],
  townAbroad: [
    asked('Zorvex', held('Zorvex Inc', { city: 'Ghent', country: 'BE' }), { at: 'Ghent, US' }),
    exact,
  ],
  otherRegion: [inAustin(exact), inReno(exact)],
  otherCountry: [abroad(exact), inReno(exact)],
  otherRegionExact: [inAustin(exact), inAustin(prefix)],
  otherCountryExact: [abroad(exact), abroad(prefix)],
  conflictListedExact: [listed(inAustin(exact)), inAustin(exact)],
  conflictInexact: [inAustin(prefix), inAustin(exact)],
  conflictRarity: [inAustin(exact), inReno(exact)],
  conflictListed: [listed(inAustin(prefix)), inAustin(prefix)],
  otherCountryListed: [listed(abroad(exact)), listed(inAustin(exact))],
  acronymPlaced: [
    asked('ZRL', held('Zorvex Robotics Logistics', reno), { at: 'Reno, NV' }),
    asked('ZRL', held('Zorvex Robotics Logistics', austin), { at: 'Reno, NV' }),
  ],
  otherCountryUnlisted: [
    asked('Zorvex', held('Zorvex Inc', { country: 'US' }), { at: 'Leeds, GB' }),
    asked('Zorvex', held('Zorvex Inc', { country: 'US', listed: true }), { at: 'Leeds, GB' }),
  ],
  conflictFormDiffers: [abroad(asked('Zorvex Ltd', 'Zorvex Inc')), abroad(asked('Zorvex Inc', 'Zorvex Inc'))],
  placedPrefix: [inReno(prefix), prefix],
  placedNear: [inReno(near), near],
  placedInexactHard: [inReno(asked('Zorvex', 'Zorvex Calder')), asked('Zorvex', 'Zorvex Calder')],
  noTown: [{ ...exact, at: 'Reno, US' }, inReno(exact)],
  siteElsewhere: [
    inAustin(asked('Zorvex - Plant 7', 'Zorvex Inc', { kind: 'site' })),
    inReno(asked('Zorvex - Plant 7', 'Zorvex Inc', { kind: 'site' })),
  ],
  otherTown: [inReno(exact, 'Elko, NV'), inReno(exact)],
  listed: [listed(exact), exact],
  listedExact: [listed(exact), listed(prefix)],
  listedPrefix: [listed(prefix), listed(exact)],
  listedNear: [listed(near), listed(exact)],
  lei: [asked('Zorvex', held('Zorvex Inc', { lei: true })), exact],
  industry: [asked('Zorvex', held('Zorvex Inc', { industry: true })), exact],
  industryPrefix: [asked('Zorvex', held('Zorvex Robotics', { industry: true })), prefix],
  inactive: [asked('Zorvex', held('Zorvex Inc', { active: false })), exact],
  removed: [asked('Zorvex', held('Zorvex Inc', { removed: true })), exact],
  prominentRare: [listed(near), near],
  notCompanyInexact: [asked('Zorvex', held('Zorvex Trust', { supported: false })), prefix],
  notCompany: [asked('Zorvex', held('Zorvex', { supported: false })), exact],
  context: [{ ...exact, contextCount: 2 }, exact],
}

describe('each feature', () => {
  test.each(Object.entries(pairs) as [FeatureName, readonly [Asked, Asked]][])(
    '%s tells two comparisons apart',
    (name, [more, less]) => {
      expect(valueOf(name, more)).toBeGreaterThan(valueOf(name, less))
    },
  )

  it('stays within a few, whatever is compared', () => {
    for (const [more, less] of Object.values(pairs)) {
      for (const of of [more, less]) {
        const values = computeFeatures(evidenceOf(of))
        expect(values).toHaveLength(featureNames.length)
        for (const value of values)
          expect(value >= 0 && value <= 5, `${of.text}: ${String(value)}`).toBe(true)
      }
    }
  })

  it('has a name of its own', () => {
    expect(new Set(featureNames).size).toBe(featureNames.length)
    expect(new Set(queryFeatureNames).size).toBe(queryFeatureNames.length)
  })
})

describe('each feature of a query', () => {
  const factsOf = (
    text: string,
    at: string | null = null,
    total?: number,
  ): Record<QueryFeatureName, number> => {
    const vocabulary = vocabularyOf(candidatesOf([{ name: 'Zorvex Robotics' }]), total)
    const values = computeQueryFeatures(toQueryFacts(queryOf(text, at, vocabulary), vocabulary))
    return Object.fromEntries(queryFeatureNames.map((name, index) => [name, values[index]])) as never
  }
  const plain = factsOf('Zorvex Robotics')
  const queryPairs: Record<QueryFeatureName, readonly [number, number]> = {
    always: [plain.always, 0],
    formStated: [factsOf('Zorvex Robotics Inc').formStated, plain.formStated],
    oneWord: [factsOf('Zorvex').oneWord, plain.oneWord],
    words: [factsOf('Zorvex Robotics Calder').words, plain.words],
    unknownWords: [factsOf('Zorvex Calder').unknownWords, plain.unknownWords],
    rarity: [plain.rarity, factsOf('First Capital').rarity],
    rarest: [plain.rarest, factsOf('First Capital').rarest],
    missingWords: [factsOf('Zorvex Services').missingWords, plain.missingWords],
    fewHeld: [factsOf('Zorvex Robotics', null, 1_000).fewHeld, plain.fewHeld],
    columnCut: [factsOf('Zorvex Growth Acquisition Corp').columnCut, plain.columnCut],
    noLocation: [plain.noLocation, factsOf('Zorvex Robotics', 'Reno').noLocation],
    townStated: [factsOf('Zorvex Robotics', 'Reno').townStated, factsOf('Zorvex Robotics', 'US').townStated],
    britain: [factsOf('Zorvex Robotics', 'Leeds, GB').britain, plain.britain],
    america: [factsOf('Zorvex Robotics', 'Reno, US').america, plain.america],
  }

  test.each(Object.entries(queryPairs))('%s tells two queries apart', (_name, [more, less]) => {
    expect(more).toBeGreaterThan(less)
  })
})
