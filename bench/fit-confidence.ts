import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { evaluationText } from '../src/cli/terminal/registry-evaluate-text.js'
import { isExpected } from '../src/registry/evaluate/evaluate.js'
import { readLabelledQueries, type LabelledQuery } from '../src/registry/evaluate/labelled-query.js'
import { measure, type EvaluationReport, type Judgement } from '../src/registry/evaluate/measure.js'
import { decide, type Weighed } from '../src/registry/match/decide.js'
import { featureNames, featuresOf } from '../src/registry/match/features.js'
import { probabilityOf } from '../src/registry/match/probability.js'
import type { Weights } from '../src/registry/match/weights.js'
import { openRegistry } from '../src/registry/registry.js'
import { matchName } from '../src/registry/answer/resolve.js'
import { fitLogistic, type Sample } from './logistic.js'

/**
 * `npx tsx bench/fit-confidence.ts --set QUERIES.csv:REGISTRY[:WEIGHT] …`: fits the coefficients that make the
 * confidence of a match a probability. Prints what they give on each set, and the same held out: every query
 * judged by coefficients fitted without its fold, folds being a hash of the query's id. A set of weight 0 is
 * judged and never fitted on. `--write FILE` writes the coefficients as TypeScript.
 */
const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: [] },
    folds: { type: 'string', default: '5' },
    ridge: { type: 'string', default: '1' },
    write: { type: 'string' },
    date: { type: 'string', default: '' },
  },
})
const foldCount = Number(values.folds)
const ridge = Number(values.ridge)

interface Example {
  readonly query: LabelledQuery
  readonly weighed: Weighed | null
  readonly isCorrect: boolean
  readonly fold: number
  readonly weight: number
}

async function readSet(text: string): Promise<{ name: string; weight: number; examples: Example[] }> {
  const [queriesPath = '', registryPath = '', weight = '1'] = text.split(':')
  const queries = await readLabelledQueries(queriesPath)
  const registry = openRegistry(registryPath, { readonly: true })
  const examples = queries.map((query) => {
    const { weighed } = matchName(query, registry.resolveDeps)
    const best = weighed && registry.resolveDeps.reader.entityByNumber(weighed.best.candidate.entityNumber)
    return {
      query,
      weighed,
      isCorrect: best !== null && isExpected(best, query.expected),
      fold: createHash('sha256').update(query.id).digest().readUInt32BE() % foldCount,
      weight: Number(weight),
    }
  })
  registry.close()
  return { name: queriesPath.replace(/^.*\//, ''), weight: Number(weight), examples }
}

function fit(examples: readonly Example[]): Weights {
  const samples: Sample[] = examples.flatMap(({ weighed, isCorrect, weight }) =>
    weighed === null ? [] : [{ features: featuresOf(weighed.best, weighed.margin), isCorrect, weight }],
  )
  const fitted = fitLogistic(samples, ridge)
  return Object.fromEntries(featureNames.map((name, at) => [name, Number((fitted[at] ?? 0).toFixed(3))]))
}

function reportOf(examples: readonly Example[], weightsOf: (fold: number) => Weights): EvaluationReport {
  return measure(
    examples.map(({ query, weighed, isCorrect, fold }): Judgement => {
      const decision = decide(weighed, (best, margin) => probabilityOf(best, margin, weightsOf(fold)))
      const confidence = decision.kind === 'none' ? 0 : decision.confidence
      return {
        stratum: query.stratum,
        isPositive: query.expected.length > 0,
        confidence,
        isAccepted: decision.kind === 'entity' && confidence >= 80,
        isCorrect,
        rank: isCorrect ? 1 : null,
        latencyMs: 0,
      }
    }),
  )
}

const round = (value: number | null) => (value === null ? null : Number(value.toFixed(4)))

const sets = []
for (const text of values.set) sets.push(await readSet(text))
const all = sets.flatMap(({ examples }) => examples)
if (all.length === 0) throw new Error('--set QUERIES.csv:REGISTRY[:WEIGHT] is needed')
const weights = fit(all)
const heldOut = Array.from({ length: foldCount }, (_, fold) =>
  fit(all.filter((example) => example.fold !== fold)),
)
const figures = sets.map(({ name, weight, examples }) => {
  const fitted = reportOf(examples, () => weights)
  const held = reportOf(examples, (fold) => heldOut[fold] ?? weights)
  console.log(
    `\n${name}, held out (${foldCount} folds)\n${evaluationText(held).replace(/\nlatency.*\n/, '')}`,
  )
  const short = ({ overall, calibration }: EvaluationReport) => ({
    precision: round(overall.precision),
    recall: round(overall.recall),
    falseAccepts: round(overall.falseAcceptShare),
    calibrationError: round(calibration.expectedError),
  })
  return { name, weight, queryCount: examples.length, fitted: short(fitted), heldOut: short(held) }
})
for (const [name, weight] of Object.entries(weights))
  console.log(name.padEnd(24), weight.toFixed(3).padStart(8))
console.log(JSON.stringify(figures, null, 1))
if (values.write !== undefined) {
  const body = {
    fitted: values.date,
    sampleCount: all.filter(({ weight }) => weight > 0).length,
    foldCount,
    ridge,
    figures,
    weights,
  }
  writeFileSync(
    values.write,
    `/**\n * Written by bench/fit-confidence.ts; see there. Figures of a set: fitted on all, and each query\n * held out; a set of weight 0 was never fitted on.\n */\n` +
      `export const calibration = ${JSON.stringify(body, null, 2)} as const\n`,
  )
}
