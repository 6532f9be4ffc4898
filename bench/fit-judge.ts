import { labelledSets, type FitQuery, type FitSet } from './fit-data.js'
import type { HeldOutAnswer } from './fit-stages.js'

/** A confidence is a whole percentage, so that 80 begins here; 99 is the largest. */
export const acceptFrom = 0.795
const surestFrom = 0.985
const surest = 0.99

export interface Tally {
  readonly rows: number
  readonly positives: number
  readonly accepted: number
  readonly right: number
  readonly absent: number
  readonly absentAccepted: number
  readonly surest: number
  readonly surestWrong: number
  /** Positives whose company is the first, among the first five, among all candidates. */
  readonly first: number
  readonly amongFive: number
  readonly found: number
}

export function tally(answers: readonly HeldOutAnswer[]): Tally {
  const count = (fits: (answer: HeldOutAnswer) => boolean) => answers.filter(fits).length
  const isPositive = ({ cached }: HeldOutAnswer) => !cached.query.isAbsent
  return {
    rows: answers.length,
    positives: count(isPositive),
    accepted: count(isAccepted),
    right: count((answer) => isAccepted(answer) && isRight(answer)),
    absent: count((answer) => !isPositive(answer)),
    absentAccepted: count((answer) => !isPositive(answer) && isAccepted(answer)),
    surest: count(({ probability }) => probability >= surestFrom),
    surestWrong: count((answer) => answer.probability >= surestFrom && !isRight(answer)),
    first: count(({ rank }) => rank === 1),
    amongFive: count(({ rank }) => rank >= 1 && rank <= 5),
    found: count(({ rank }) => rank >= 1),
  }
}

export const isAccepted = ({ probability }: HeldOutAnswer): boolean => probability >= acceptFrom
export const isRight = ({ best }: HeldOutAnswer): boolean => best?.isRight === true

/** Kinds that no text can tell, or that a policy answers, are reported on their own. */
export const isReportedApart = ({ kind }: Pick<FitQuery, 'kind'>): boolean =>
  /^(?:policy|stretch)_/.test(kind)

export const isLabelledSet = (set: FitSet): boolean => (labelledSets as readonly string[]).includes(set)
const isLabelled = ({ set }: FitQuery) => isLabelledSet(set)

/** Mean difference between confidence and share of right answers, over bins of five points. */
export function computeCalibrationError(answers: readonly HeldOutAnswer[]): number {
  const bins = new Map<number, { count: number; right: number; sum: number }>()
  for (const answer of answers) {
    const confidence = Math.min(surest, Math.round(100 * answer.probability) / 100)
    const place = Math.floor(confidence * 20 + 1e-9)
    const bin = bins.get(place) ?? { count: 0, right: 0, sum: 0 }
    bins.set(place, bin)
    bin.count++
    bin.right += isRight(answer) ? 1 : 0
    bin.sum += confidence
  }
  const error = [...bins.values()].reduce((sum, { right, sum: all }) => sum + Math.abs(right - all), 0)
  return error / Math.max(1, answers.length)
}

const share = (part: number, of: number) => (of === 0 ? '   – ' : (part / of).toFixed(3))

function formatTally(name: string, { ...of }: Tally): string {
  return [
    name.padEnd(34),
    String(of.rows).padStart(5),
    share(of.right, of.accepted),
    share(of.right, of.positives),
    `${String(of.accepted - of.right).padStart(3)}/${String(of.accepted).padEnd(4)}`,
    `${String(of.absentAccepted).padStart(3)}/${String(of.absent).padEnd(4)}`,
    `${String(of.surestWrong).padStart(2)}/${String(of.surest).padEnd(4)}`,
    of.positives === 0
      ? ''
      : [of.first, of.amongFive, of.found].map((part) => share(part, of.positives)).join(' '),
  ].join('  ')
}

const heading = `${''.padEnd(34)}   rows  prec   recall  wrong     absent    at 99    first, in five, found`

function group(
  answers: readonly HeldOutAnswer[],
  keyOf: (query: FitQuery) => string,
): ReadonlyMap<string, HeldOutAnswer[]> {
  const groups = new Map<string, HeldOutAnswer[]>()
  for (const answer of answers) {
    const key = keyOf(answer.cached.query)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [answer])
    else known.push(answer)
  }
  return groups
}

/** Figures over all labelled kinds, each held out. */
export function summarize(answers: readonly HeldOutAnswer[]) {
  const counted = answers.filter(({ cached }) => isLabelled(cached.query) && !isReportedApart(cached.query))
  const of = tally(counted)
  return {
    rows: of.rows,
    precision: round(of.right / Math.max(1, of.accepted)),
    recall: round(of.right / Math.max(1, of.positives)),
    absentAccepted: round(of.absentAccepted / Math.max(1, of.absent)),
    surestWrong: round(of.surestWrong / Math.max(1, of.surest)),
    calibrationError: round(computeCalibrationError(counted.filter(isAccepted))),
  }
}

const round = (value: number) => Number(value.toFixed(4))

/** Prints precision, recall and doubts by set and kind. */
export function printReport(answers: readonly HeldOutAnswer[], say: (line: string) => void): void {
  const counted = answers.filter(({ cached }) => !isReportedApart(cached.query))
  const labelled = counted.filter(({ cached }) => isLabelled(cached.query))
  const sayGroups = (title: string, groups: ReadonlyMap<string, readonly HeldOutAnswer[]>) => {
    if (groups.size === 0) return
    say(`\n${title}\n${heading}`)
    for (const [name, own] of groups) say(formatTally(name, tally(own)))
  }
  sayGroups(
    'labelled sets, each kind held out',
    group(labelled, ({ set }) => set),
  )
  say(formatTally('all', tally(labelled)))
  say(
    `calibration error of accepted answers: ${computeCalibrationError(labelled.filter(isAccepted)).toFixed(4)}`,
  )
  for (const [set, own] of group(labelled, ({ set }) => set))
    say(`  ${set}: ${computeCalibrationError(own.filter(isAccepted)).toFixed(4)}`)
  sayConfidences(labelled, say)
  sayTrade(counted, say)
  sayGroups('kinds', new Map([...group(labelled, ({ set, kind }) => `${set} ${kind}`)].sort(compareKeys)))
  const apart = answers.filter(({ cached }) => isLabelled(cached.query) && isReportedApart(cached.query))
  sayGroups(
    'kinds reported apart',
    group(apart, ({ set, kind }) => `${set} ${kind}`),
  )
  const copies = counted.filter(({ cached }) => cached.query.set === 'copy')
  sayGroups('companies removed', new Map([['copies of labelled rows', copies]]))
  const generated = counted.filter(({ cached }) => !isLabelled(cached.query) && cached.query.set !== 'copy')
  sayGroups(
    'generated rows, held out',
    group(generated, ({ set, kind }) => (set === kind ? kind : `${set} ${kind}`)),
  )
  const noisy = generated.filter(({ cached }) => cached.query.operations.length > 0)
  sayGroups(
    'noise, by the number of changes',
    new Map(
      [
        ...group(noisy, ({ operations, isAbsent }) => `${operations.length}${isAbsent ? ' absent' : ''}`),
      ].sort(compareKeys),
    ),
  )
  sayGroups(
    'one change that the fit did not see',
    groupOperations(noisy.filter(({ cached }) => cached.query.operations.length === 1)),
  )
  sayGroups('noise, by an operation that the fit did not see', groupOperations(noisy))
}

const compareKeys = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

function groupOperations(answers: readonly HeldOutAnswer[]): ReadonlyMap<string, HeldOutAnswer[]> {
  const groups = new Map<string, HeldOutAnswer[]>()
  for (const answer of answers)
    for (const operation of answer.cached.query.operations) {
      const known = groups.get(operation)
      if (known === undefined) groups.set(operation, [answer])
      else known.push(answer)
    }
  return new Map([...groups].sort(compareKeys))
}

const lines = [0, 0.2, 0.5, 0.65, acceptFrom, 0.845, 0.895, 0.945, 0.965, surestFrom, 1.01]

function sayConfidences(answers: readonly HeldOutAnswer[], say: (line: string) => void): void {
  say('\nprobability of the first   answers   mean   right')
  for (const [at, from] of lines.slice(0, -1).entries()) {
    const own = answers.filter(({ probability }) => probability >= from && probability < (lines[at + 1] ?? 2))
    if (own.length === 0) continue
    const mean = own.reduce((sum, { probability }) => sum + probability, 0) / own.length
    const right = own.filter(isRight).length / own.length
    say(
      `  from ${from.toFixed(3)}  ${String(own.length).padStart(14)}   ${mean.toFixed(3)}  ${right.toFixed(3)}`,
    )
  }
}

/** Prints what other lines of acceptance would give. */
function sayTrade(answers: readonly HeldOutAnswer[], say: (line: string) => void): void {
  const inSets = (sets: readonly FitSet[]) => answers.filter(({ cached }) => sets.includes(cached.query.set))
  const labelled = inSets(labelledSets)
  const noise = inSets(['noise']).filter(({ cached }) => cached.query.operations.length > 0)
  const madeUp = inSets(['changed', 'sibling', 'form', 'elsewhere'])
  say('\naccept from   prec   recall  absent  removed  near   other made-up  noise recall')
  for (const from of [0.5, 0.6, 0.7, 0.75, acceptFrom, 0.85, 0.9, 0.95]) {
    const rate = (of: readonly HeldOutAnswer[], isWanted: (query: FitQuery) => boolean) => {
      const wanted = of.filter(({ cached }) => isWanted(cached.query))
      const met = wanted.filter(
        (one) => one.probability >= from && (one.cached.query.isAbsent || isRight(one)),
      )
      return share(met.length, wanted.length)
    }
    const accepted = labelled.filter(({ probability }) => probability >= from)
    const isAbsent = ({ isAbsent }: FitQuery) => isAbsent
    const isPositive = ({ isAbsent }: FitQuery) => !isAbsent
    const figures = [
      share(accepted.filter(isRight).length, accepted.length),
      rate(labelled, isPositive),
      rate(labelled, isAbsent),
      rate(inSets(['copy']), isAbsent),
      rate(inSets(['near']), isAbsent),
      rate(madeUp, isAbsent),
      rate(noise, isPositive),
    ]
    say(`  ${from.toFixed(3)}       ${figures.join('   ')}`)
  }
}

/** One line of an error list. */
export function formatAnswer({ cached, best, probability, bestScore, rank }: HeldOutAnswer): string {
  const { set, kind, name, city, region, postcode, country, operations } = cached.query
  const place = [city, region, postcode, country].filter((text) => text !== '').join(', ')
  const right = cached.candidates.find(({ isRight }) => isRight)?.name ?? ''
  const made = operations.length === 0 ? '' : ` [${operations.join(' ')}]`
  const found = best === null ? 'nothing' : best.name
  const expected = best?.isRight === true ? 'right' : rank === 0 ? 'not found' : `${rank}: ${right}`
  return `${set} ${kind} | ${name}${made} | ${place} | ${found} | ${expected} | ${probability.toFixed(3)} ${bestScore.toFixed(1)}`
}
