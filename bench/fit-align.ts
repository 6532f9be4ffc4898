import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { readFitCaches } from './fit-cache.js'
import { generatedSets, type FitMatcherModule, type FitQuery, type FitSet } from './fit-data.js'
import { planFolds } from './fit-folds.js'
import {
  formatAnswer,
  isAccepted,
  isLabelledSet,
  isReportedApart,
  isRight,
  printReport,
} from './fit-judge.js'
import { fitStages, type FittedStage } from './fit-stages.js'

/**
 * `npx tsx bench/fit-align.ts --matcher MODULE --cache FILE …`: fits the two stages of the matcher on rows that
 * bench/fit-features.ts has stored, and prints how good they are. Stage 1 scores each candidate; stage 2 decides
 * whether the best one is right, on scores of stage 1 that were fitted without the row.
 * Each kind of the labelled lists and each operation of noise is judged by stages fitted without it; `--folds N` holds
 * kinds out N groups at a time (0: one by one). `--weight noise=0.3` weighs the rows of a set or of a kind.
 * `--write FILE` writes the weights as JSON.
 */
const { values } = parseArgs({
  options: {
    matcher: { type: 'string' },
    cache: { type: 'string', multiple: true, default: [] },
    folds: { type: 'string', default: '10' },
    ridge: { type: 'string', default: '3' },
    'decision-ridge': { type: 'string', default: '3' },
    weight: { type: 'string', multiple: true, default: [] },
    /** Factor on the weight of generated rows in stage 2. */
    'decision-share': { type: 'string', default: '1' },
    /** Weight of labelled rows without their company in the calibration; `none` leaves it out. */
    calibrate: { type: 'string', default: '0.03' },
    /** Features without a weight, to see what they are good for. */
    without: { type: 'string', multiple: true, default: [] },
    /** Prints wrong answers (`wrong`), positives that were not accepted (`missed`) or both, of the sets named. */
    errors: { type: 'string', multiple: true, default: [] },
    of: { type: 'string', multiple: true, default: [] },
    weights: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
})
if (values.matcher === undefined) throw new Error('--matcher is needed')

/** Generated rows teach doubt; the lists tell how much of it is due. */
const defaultWeights: Readonly<Partial<Record<FitSet, number>>> = {
  copy: 0.6,
  elsewhere: 0.1,
  noise: 0.6,
  near: 2,
  changed: 1.5,
  sibling: 1.2,
  form: 0.6,
}
const weights = new Map<string, number>([
  ...generatedSets.map((set) => [set, defaultWeights[set] ?? 0.3] as const),
  ...values.weight.map((text) => {
    const [name = '', weight = ''] = text.split('=')
    return [name, Number(weight)] as const
  }),
])
const weightOf = ({ set, kind, weight }: FitQuery) => weight * (weights.get(kind) ?? weights.get(set) ?? 1)

const isGenerated = ({ set }: FitQuery) => (generatedSets as readonly string[]).includes(set)

const matcher = (await import(pathToFileURL(resolve(values.matcher)).href)) as FitMatcherModule
const cache = readFitCaches(values.cache)
if (cache.featureNames.join() !== matcher.candidateFeatureNames.join())
  throw new Error('the cache is of other features: run bench/fit-features.ts again')
const { folds } = planFolds(
  cache.queries.map(({ query }) => query),
  Number(values.folds),
)
const fitted = fitStages(cache, matcher, {
  ridge: Number(values.ridge),
  decisionRidge: Number(values['decision-ridge']),
  without: new Set(values.without.flatMap((text) => text.split(','))),
  weightOf: (query) => (isReportedApart(query) ? 0 : weightOf(query)),
  decisionWeightOf: (query) =>
    isReportedApart(query)
      ? 0
      : weightOf(query) * (isGenerated(query) ? Number(values['decision-share']) : 1),
  calibrationWeightOf: ({ set, kind }) =>
    values.calibrate === 'none' || isReportedApart({ kind })
      ? 0
      : isLabelledSet(set)
        ? 1
        : set === 'copy'
          ? Number(values.calibrate)
          : 0,
  folds,
})
printReport(fitted.answers, console.log)
for (const answer of fitted.answers) {
  const { query } = answer.cached
  const isNamed =
    values.of.length === 0 || values.of.some((name) => name === query.set || name === query.kind)
  if (!isNamed || isReportedApart(query)) continue
  const isWrong = isAccepted(answer) && !isRight(answer)
  const isMissed = !query.isAbsent && !isAccepted(answer)
  if ((isWrong && values.errors.includes('wrong')) || (isMissed && values.errors.includes('missed')))
    console.log(formatAnswer(answer))
}
if (values.weights) {
  printWeights('stage 1', fitted.candidate)
  printWeights('stage 2', fitted.decision)
}
if (values.write !== undefined) writeFileSync(values.write, formatModel())

function printWeights(title: string, { bias, weights: of }: FittedStage): void {
  console.log(`\n${title}, log odds a unit\n  ${'bias'.padEnd(28)}${bias.toFixed(3).padStart(9)}`)
  for (const [name, weight] of Object.entries(of).sort(([, a], [, b]) => b - a))
    console.log(`  ${name.padEnd(28)}${weight.toFixed(3).padStart(9)}`)
}

/** The weights as src/registry/match/fitted-model.json has them; the bias is the weight of the feature that is always 1. */
function formatModel(): string {
  // Less changes no answer.
  const weightMin = 0.07
  const list = ({ bias, weights: of }: FittedStage, biasName: string) =>
    Object.fromEntries(
      Object.entries({ ...of, [biasName]: (of[biasName] ?? 0) + bias })
        .map(([feature, weight]) => [feature, Number(weight.toFixed(3))] as const)
        .filter(([, weight]) => Math.abs(weight) >= weightMin),
    )
  const model = {
    company: list(fitted.candidate, matcher.candidateBias),
    decision: list(fitted.decision, matcher.decisionBias),
  }
  return `${JSON.stringify(model, null, 2)}\n`
}
