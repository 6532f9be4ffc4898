import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { formatEvaluation } from '../src/cli/terminal/evaluation-text.js'
import { isExpected } from '../src/registry/evaluate/evaluate.js'
import { readLabelledQueries, type LabelledQuery } from '../src/registry/evaluate/labelled-query.js'
import { measure, type Judgement } from '../src/registry/evaluate/measure.js'
import type { CandidateName } from '../src/registry/match/candidate.js'
import { decide } from '../src/registry/match/decide.js'
import { featureNames, computeFeatures, type FeatureName } from '../src/registry/match/features.js'
import {
  queryFeatureNames,
  computeQueryFeatures,
  classifyEvidence,
  evidenceKinds,
  type EvidenceKind,
} from '../src/registry/match/evidence.js'
import {
  fittedCoefficients,
  repeatLine,
  computeScore,
  type Coefficients,
  type ConfidenceCurves,
} from '../src/registry/match/model.js'
import { buildEvidences, toQueryFacts, rankCompanies, type MatchQuery } from '../src/registry/match/rank.js'
import { findCompanyNames, findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { openRegistry, type WritableRegistry } from '../src/registry/registry.js'
import { acceptShareOf, cornersOf } from './confidence-line.js'
import { fitShares, sparse, type ShareSample } from './share-fit.js'

/**
 * `npx tsx bench/fit-model.ts --set QUERIES.csv:REGISTRY[:WEIGHT] …`: fits the coefficients of the matcher (see
 * src/registry/match/model.ts) and the line from a share to a confidence. Each query whose company is known is also
 * asked with that company taken out of the registry, in a weight of its own (`--absent`): then none is right.
 * Each kind (`stratum`) of the sets of weight 1 and more is judged by coefficients fitted without any query of that kind,
 * and the line is fitted on these shares alone: a user's names are of a kind that nobody fitted on. Prints what that
 * gives by set and over all, and what is accepted of companies taken out. A set of weight 0 is judged and never fitted
 * on. `--write FILE` writes the coefficients as TypeScript.
 */
const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: [] },
    ridge: { type: 'string', default: '1' },
    absent: { type: 'string', default: '0.3' },
    /** How often an answer has to be right to be accepted, among those of its kind of evidence and its share. */
    accept: { type: 'string', default: '0.8' },
    /** Prints every wrong answer that is accepted. */
    wrong: { type: 'boolean', default: false },
    write: { type: 'string' },
    date: { type: 'string', default: '' },
  },
})
const ridge = Number(values.ridge)
const absentWeight = Number(values.absent)
const acceptRate = Number(values.accept)

/** What the queries cannot teach, for none of them is about it; with the reason of each. */
const fixed: Readonly<Partial<Record<FeatureName, number>>> = {
  // The company is the one whose form is stated; another may well trade under that name.
  aliasBesideForm: -2,
  // Where such a trade name only begins another company's name, or is only like it, it is seldom that company's.
  aliasBesideFormInexact: -1.5,
  // What stands in brackets in a full name tells which of a group's companies it is; few queries have such a name.
  middleTelling: -4,
  // Of two that fit as well, the one that has ended is meant less often: one that lives is accepted beside it.
  inactive: -1.5,
  // A place is given to tell namesakes apart; the few queries that have two of them leave it open.
  exactBetterPlaced: -1,
  // Names made of registered ones cannot tell that a group's name alone seldom means the company that works for it.
  inHouse: -1.2,
  // A list that cuts names may mean either; few of the queries have both.
  exactBesideSeries: -1.2,
  // Its register no longer names it.
  removed: -1.2,
  // In a registry of few companies no rival says that others may well bear such a name.
  misspelledUnplaced: -2.5,
  numbersDifferUnplaced: -1.5,
  genericUnplaced: -1.5,
  exactElsewhereLongerThere: -2,
  // A group's companies bear one name in many countries, each with the form of its own: a foreign one that no
  // exchange lists is seldom the one meant.
  otherCountryUnlisted: -1.5,
  conflictFormDiffers: -1.5,
  // A group's companies have one name and a form for each country: only the form tells them apart, and few queries have it.
  formForeign: -5,
  formForeignPlaced: -3,
  // Who states a legal form states the name: a word more is another company's of the group.
  formStatedPrefixMore: -4,
  formStatedPrefix: -1,
  // Many companies bear a name of one word; one that is elsewhere is seldom the one meant.
  oneWordConflict: -2,
  oneWordConflictListed: 0,
  oneWordExtends: -1.5,
  // A vehicle that holds shares of a company has the company's name inside its own; few queries have one.
  nameEmbeds: -3,
  // A group's companies are called by their countries, and few of the queries have their names.
  nameCountry: -4,
  // The caller says so: two words in common outweigh a difference of place.
  context: 1,
}

/** No list has enough of these names, and all companies of the made ones are absent: never accepted, named as a candidate. */
const fixedLines: Readonly<Partial<Record<EvidenceKind, [number, number][]>>> = {
  abroad: [
    [0, 0],
    [0.1, 20],
    [0.5, 30],
    [0.9, 49],
    [1, 79],
  ],
}

const fixedPlaces = new Map(
  Object.entries(fixed).map(([name, value]) => [featureNames.indexOf(name as FeatureName), value]),
)

/** So many ways of comparing one company are kept for the fit, and so many companies of one query. */
const optionsMax = 3
const companiesMax = 40

interface Example {
  readonly query: LabelledQuery
  readonly asked: MatchQuery | null
  readonly names: readonly CandidateName[]
  readonly absentNames: readonly CandidateName[] | null
  readonly right: ReadonlySet<number>
  readonly rightCores: ReadonlySet<string>
  readonly samples: readonly ShareSample[]
  /** Left out together. */
  readonly kind: string
  readonly weight: number
  readonly registry: WritableRegistry
}

async function readSet(text: string) {
  const [queriesPath = '', registryPath = '', weightText = '1'] = text.split(':')
  const weight = Number(weightText)
  const registry = openRegistry(registryPath, { readonly: true })
  const isRight = rightnessIn(registry)
  const queries = await readLabelledQueries(queriesPath)
  const examples = queries.map((query) => exampleOf(query, registry, isRight, weight))
  return { name: queriesPath.replace(/^.*\//, ''), weight, examples }
}

/** Which companies found are expected; a company is read once. */
function rightnessIn(registry: WritableRegistry) {
  const stored = new Map<number, ReturnType<typeof registry.resolveDeps.reader.entityByNumber>>()
  return (entityNumber: number, { expected }: LabelledQuery): boolean => {
    const known = stored.get(entityNumber)
    const entity = known === undefined ? registry.resolveDeps.reader.entityByNumber(entityNumber) : known
    stored.set(entityNumber, entity)
    return expected.length > 0 && entity !== null && isExpected(entity, expected)
  }
}

function exampleOf(
  query: LabelledQuery,
  registry: WritableRegistry,
  isRight: ReturnType<typeof rightnessIn>,
  weight: number,
): Example {
  const vocabulary = registry.resolveDeps.vocabulary()
  const read = readQuery(query, vocabulary)
  const isSeveral =
    read !== null &&
    findCompanyNames(query.name, read, findCandidateNames(read, registry.resolveDeps), registry.resolveDeps)
      .length > 1
  // Of several names in one text none is right, whatever the model says.
  const asked = isSeveral ? null : read
  const names = asked === null ? [] : findCandidateNames(asked, registry.resolveDeps)
  const right = new Set(
    names.map(({ entityNumber }) => entityNumber).filter((number) => isRight(number, query)),
  )
  const isPresent = query.expected.length > 0
  const absentNames =
    asked !== null && isPresent
      ? findCandidateNames(asked, registry.resolveDeps, ({ entityNumber }) => isRight(entityNumber, query))
      : null
  const sampleOf = (of: readonly CandidateName[], share: number): ShareSample[] =>
    asked === null || share === 0
      ? []
      : [
          {
            weight: share,
            none: computeQueryFeatures(toQueryFacts(asked, vocabulary)),
            companies: rowsOf(asked, of, registry, right),
          },
        ]
  return {
    query,
    asked,
    names,
    absentNames,
    right,
    rightCores: new Set(
      names.filter(({ entityNumber }) => right.has(entityNumber)).map(({ coreKey }) => coreKey),
    ),
    samples: [
      ...sampleOf(names, weight),
      ...(absentNames ? sampleOf(absentNames, weight * absentWeight) : []),
    ],
    kind: query.stratum,
    weight,
    registry,
  }
}

function rowsOf(
  asked: MatchQuery,
  names: readonly CandidateName[],
  registry: WritableRegistry,
  right: ReadonlySet<number>,
): ShareSample['companies'] {
  const options = new Map<number, { features: number[]; score: number }[]>()
  for (const evidence of buildEvidences(asked, names, registry.resolveDeps.vocabulary(), () => 0)) {
    const features = computeFeatures(evidence)
    const { entityNumber } = evidence.comparison.candidate
    const known = options.get(entityNumber) ?? []
    options.set(entityNumber, known)
    known.push({ features, score: computeScore(features, fittedCoefficients.company) })
  }
  return [...options]
    .map(([number, all]) => ({ number, all: all.sort((a, b) => b.score - a.score) }))
    .sort((a, b) => (b.all[0]?.score ?? 0) - (a.all[0]?.score ?? 0))
    .filter(({ number }, at) => at < companiesMax || right.has(number))
    .map(({ number, all }) => ({
      isRight: right.has(number),
      options: all.slice(0, optionsMax).map(({ features }) => sparse(features)),
    }))
}

function fit(examples: readonly Example[], start?: readonly number[]): number[] {
  const samples = examples.flatMap(({ samples }) => samples)
  return fitShares(samples, featureNames.length, queryFeatureNames.length, ridge, start, fixedPlaces)
}

function coefficientsFrom(fitted: readonly number[], confidence: ConfidenceCurves): Coefficients {
  const rounded = (value: number) => Number(value.toFixed(3))
  return {
    company: featureNames.map((name, at) => fixed[name] ?? rounded(fitted[at] ?? 0)),
    none: queryFeatureNames.map((_, at) => rounded(fitted[featureNames.length + at] ?? 0)),
    confidence,
  }
}

const rank = ({ asked, registry }: Example, names: readonly CandidateName[], coefficients: Coefficients) =>
  asked === null
    ? { ranked: [], noneShare: 1 }
    : rankCompanies(asked, names, registry.resolveDeps.vocabulary(), undefined, coefficients)

function judge(example: Example, coefficients: Coefficients): Judgement {
  const { query, names, right } = example
  const ranking = rank(example, names, coefficients)
  const decision = decide(ranking, coefficients)
  const confidence = decision.kind === 'none' ? 0 : decision.confidence
  const place = ranking.ranked.slice(0, 5).findIndex((company) => isRightOne(company, right)) + 1
  return {
    stratum: query.stratum,
    isPositive: query.expected.length > 0,
    confidence,
    isAccepted: confidence >= 80,
    isCorrect: decision.kind !== 'none' && isRightOne(decision.best, right),
    rank: place === 0 ? null : place,
    latencyMs: 0,
  }
}

type Company = ReturnType<typeof rank>['ranked'][number]

/** One company in two registers is right where either row is expected. */
function isRightOne({ evidence, alike }: Company, right: ReadonlySet<number>): boolean {
  return [evidence.comparison.candidate, ...alike].some(({ entityNumber }) => right.has(entityNumber))
}

/** Of companies taken out of the registry: how many queries are accepted, and how many but for namesakes. */
function absentText(
  examples: readonly Example[],
  coefficientsFor: (example: Example) => Coefficients,
): string {
  const asked = examples.filter(({ absentNames }) => absentNames !== null)
  const accepted = asked.filter((example) => {
    const decision = decide(
      rank(example, example.absentNames ?? [], coefficientsFor(example)),
      coefficientsFor(example),
    )
    return decision.kind !== 'none' && decision.confidence >= 80
  })
  const others = accepted.filter((example) => {
    const [best] = rank(example, example.absentNames ?? [], coefficientsFor(example)).ranked
    return best !== undefined && !example.rightCores.has(best.evidence.comparison.candidate.coreKey)
  })
  const percent = (count: number) => `${((100 * count) / Math.max(1, asked.length)).toFixed(2)} %`
  return `taken out of the registry: ${percent(accepted.length)} accepted, ${percent(others.length)} but for namesakes`
}

const sets = []
for (const text of values.set) sets.push(await readSet(text))
const all = sets.flatMap(({ examples }) => examples)
if (all.length === 0) throw new Error('--set QUERIES.csv:REGISTRY[:WEIGHT] is needed')
const taught = all.filter(({ weight }) => weight > 0)
const fitted = fit(taught)
const kinds = [...new Set(taught.filter(({ weight }) => weight >= 1).map(({ kind }) => kind))]
const fittedWithout = new Map(
  kinds.map((kind) => [
    kind,
    fit(
      taught.filter((example) => example.kind !== kind),
      fitted,
    ),
  ]),
)
const unlined = (numbers: readonly number[]) => coefficientsFrom(numbers, repeatLine([[1, 100]]))
const shares = taught.filter(isCounted).flatMap((example) => {
  const { ranked } = rank(example, example.names, unlined(fittedWithout.get(example.kind) ?? fitted))
  const [best] = ranked
  if (best === undefined) return []
  const isRight = isRightOne(best, example.right)
  return [{ kind: classifyEvidence(best.evidence), share: best.share, isRight, weight: example.weight }]
})
const acceptShares: Partial<Record<EvidenceKind, number>> = {}
const lines = evidenceKinds.map((kind) => {
  const own = shares.filter((one) => one.kind === kind)
  const fixedLine = fixedLines[kind]
  const acceptShare = fixedLine === undefined ? acceptShareOf(own, acceptRate) : 1
  acceptShares[kind] = acceptShare
  return [kind, fixedLine ?? cornersOf(own, acceptShare)] as const
})
const confidence: ConfidenceCurves = Object.fromEntries(lines) as Record<EvidenceKind, [number, number][]>
const without = new Map(
  [...fittedWithout].map(([kind, numbers]) => [kind, coefficientsFrom(numbers, confidence)]),
)
const final = coefficientsFrom(fitted, confidence)
const coefficientsFor = ({ kind }: Example) => without.get(kind) ?? final

/** Kinds that no text can tell, or that a policy answers, are reported on their own. */
function isCounted({ kind, weight }: Example): boolean {
  return weight >= 1 && !kind.startsWith('policy_') && !kind.startsWith('stretch_')
}

/** What other shares to accept from would give: held out by company, with companies taken out beside it. */
function tradeText(examples: readonly Example[]): string {
  const judged = examples.map((example) => {
    const coefficients = coefficientsFor(example)
    const [best] = rank(example, example.names, coefficients).ranked
    const [other] = rank(example, example.absentNames ?? [], coefficients).ranked
    return {
      isPositive: example.query.expected.length > 0,
      share: best?.share ?? 0,
      isRight: best !== undefined && isRightOne(best, example.right),
      absentShare: example.absentNames === null ? null : (other?.share ?? 0),
      isNamesake: other !== undefined && example.rightCores.has(other.evidence.comparison.candidate.coreKey),
    }
  })
  const positives = judged.filter(({ isPositive }) => isPositive)
  return [0.6, 0.65, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.85, 0.9]
    .map((least) => {
      const accepted = judged.filter(({ share }) => share >= least)
      const right = accepted.filter(({ isRight }) => isRight).length
      const absent = positives.filter(({ absentShare }) => (absentShare ?? 0) >= least)
      const others = absent.filter(({ isNamesake }) => !isNamesake)
      const per = (count: number) => ((100 * count) / Math.max(1, positives.length)).toFixed(2)
      return `  ${least.toFixed(2)}  precision ${(right / Math.max(1, accepted.length)).toFixed(4)}  recall ${(right / Math.max(1, positives.length)).toFixed(4)}  absent ${per(absent.length)} %, but for namesakes ${per(others.length)} %`
    })
    .join('\n')
}

const round = (value: number | null) => (value === null ? null : Number(value.toFixed(4)))
const report = (name: string, examples: readonly Example[]) => {
  const measured = measure(examples.map((example) => judge(example, coefficientsFor(example))))
  console.log(`\n${name}\n${formatEvaluation(measured).replace(/\nlatency.*\n/, '')}`)
  console.log(absentText(examples, coefficientsFor))
  console.log(`accepted from a share of\n${tradeText(examples)}`)
  return {
    precision: round(measured.overall.precision),
    recall: round(measured.overall.recall),
    falseAccepts: round(measured.overall.falseAcceptShare),
    calibrationError: round(measured.calibration.expectedError),
  }
}
for (const { name, examples } of sets) report(name, examples)
const counted = all.filter(isCounted)
const overall = report('all kinds, each held out', counted)
if (values.wrong) for (const example of counted) tellIfWrong(example)

function tellIfWrong(example: Example): void {
  const decision = decide(rank(example, example.names, coefficientsFor(example)), coefficientsFor(example))
  if (decision.kind === 'none' || decision.confidence < 80 || isRightOne(decision.best, example.right)) return
  const { name, location, stratum } = example.query
  const { candidate } = decision.best.evidence.comparison
  console.log(
    [stratum, name, location ?? '', candidate.name, decision.confidence, decision.best.share.toFixed(3)].join(
      ' | ',
    ),
  )
}
const body = {
  fitted: values.date,
  sampleCount: taught.length,
  kindCount: kinds.length,
  ridge,
  absentWeight,
  acceptRate,
  acceptShares,
  overall,
  sets: Object.fromEntries(sets.map(({ name, examples }) => [name, examples.length])),
  confidence,
  company: Object.fromEntries(featureNames.map((name, at) => [name, final.company[at]])),
  none: Object.fromEntries(queryFeatureNames.map((name, at) => [name, final.none[at]])),
}
if (values.write === undefined) console.log(JSON.stringify(body, null, 1))
else
  writeFileSync(
    values.write,
    `/**\n * Written by bench/fit-model.ts; see there. Figures: each query judged by coefficients fitted\n * without its kind; a set of weight 0 was never fitted on.\n */\n` +
      `export const calibration = ${JSON.stringify(body, null, 2)} as const\n`,
  )
