import { listSteps, type Step } from './steps.js'
import {
  createWorld,
  isSettled,
  lists,
  lookups,
  realRules,
  runOf,
  toCustomId,
  type Limits,
  type Lookup,
  type Row,
  type Rules,
  type World,
} from './world.js'

export interface Checked {
  readonly stateCount: number
  /** Length of the longest of the shortest paths. */
  readonly depth: number
  /** Whether all states were visited, and not only those that a limit allowed. */
  readonly isWhole: boolean
  /** The first broken promise, and the shortest way to it; `null` if none was broken. */
  readonly broken: { readonly promise: string; readonly trace: readonly string[] } | null
}

interface Node {
  readonly world: World
  readonly parent: Node | null
  readonly text: string
  readonly depth: number
}

/**
 * Visits every state that these rules and faults can lead to, breadth first, and verifies the promises in each. States
 * that differ only in which process is which count as one.
 */
export function checkAll(limits: Limits, rules: Rules = realRules, statesMax = Infinity): Checked {
  const start = createWorld(limits)
  const seen = new Set([toKey(start)])
  let layer: Node[] = [{ world: start, parent: null, text: '', depth: 0 }]
  let depth = 0
  while (layer.length > 0) {
    const next: Node[] = []
    for (const node of layer) {
      depth = node.depth
      const before = node.world
      const steps = listSteps(before, rules, limits)
      const atRest = steps.some(({ isFault }) => !isFault) ? null : findUnfinished(before)
      if (atRest !== null) return end(seen.size, depth, atRest, node)
      for (const step of steps) {
        const { world, promise } = take(before, step, limits)
        const child = { world, parent: node, text: step.text, depth: depth + 1 }
        if (promise !== null) return end(seen.size, depth + 1, promise, child)
        const key = toKey(world)
        if (seen.has(key)) continue
        if (seen.size >= statesMax) return { stateCount: seen.size, depth, isWhole: false, broken: null }
        seen.add(key)
        next.push(child)
      }
    }
    layer = next
  }
  return { stateCount: seen.size, depth, isWhole: true, broken: null }
}

function end(stateCount: number, depth: number, promise: string, last: Node): Checked {
  const trace: string[] = []
  for (let node: Node | null = last; node !== null; node = node.parent)
    if (node.text !== '') trace.unshift(node.text)
  return { stateCount, depth, isWhole: false, broken: { promise, trace } }
}

function take(before: World, { run }: Step, limits: Limits): { world: World; promise: string | null } {
  const world = copy(before)
  try {
    run(world)
  } catch (error) {
    return { world, promise: `a rule fails: ${(error as Error).message}` }
  }
  return { world, promise: findBroken(before, world, limits) }
}

function copy({ list, rows, submissions, workers, charges, allowed, faultsLeft }: World): World {
  const { shared, first, second } = rows
  const copyRow = (row: Row): Row => ({ ...row, answers: [...row.answers] })
  const copied: World['submissions'] = {}
  for (const [id, submission] of Object.entries(submissions)) copied[id] = { ...submission }
  return {
    list,
    rows: { shared: copyRow(shared), first: copyRow(first), second: copyRow(second) },
    submissions: copied,
    workers: workers.map((worker) => ({
      ...worker,
      request: worker.request && { ...worker.request },
      strays: [...worker.strays],
      unsettled: [...worker.unsettled],
    })),
    charges: [...charges],
    allowed: { ...allowed },
    faultsLeft,
  }
}

/** The promise that a step broke, or `null`. */
function findBroken(
  before: World,
  { rows, submissions, charges, allowed }: World,
  limits: Limits,
): string | null {
  const chargesOf = (lookup: string) => charges.filter((customId) => customId.startsWith(`${lookup}_`))
  if (charges.length > limits.budget)
    return `${charges.length} runs were charged, of at most ${limits.budget}`
  for (const lookup of lookups) {
    const [row, earlier] = [rows[lookup], before.rows[lookup]]
    if (chargesOf(lookup).length > 1 + allowed[lookup])
      return `${lookup} was charged twice, without the user's word`
    const isRejected = Object.values(submissions).some(
      (one) => one.lookup === lookup && one.verdict === 'rejected',
    )
    if (row.state === 'invalid' && !isRejected) return `${lookup} was dropped`
    if (row.answers.length > 1) return `a second answer replaced that of ${lookup}`
    if (row.answers.some((run) => !chargesOf(lookup).some((customId) => runOf(customId) === run)))
      return `${lookup} has the answer of another lookup`
    if (isSettled(earlier) && earlier.state !== 'uncertain' && row.state !== earlier.state)
      return `${lookup} went back from ${earlier.state} to ${row.state}`
  }
  const [late] = charges.slice(before.charges.length)
  const lateLookup = lookups.find((lookup) => late?.startsWith(`${lookup}_`))
  if (late !== undefined && lateLookup !== undefined && submissions[late] !== undefined) {
    const { customId, state } = rows[lateLookup]
    if (customId !== late || state === 'new')
      return `${late} was charged after ${lateLookup} was given free for another submission`
  }
  return null
}

/** What is not finished in a state in which nothing more happens by itself. */
function findUnfinished({ list, rows, submissions, charges, workers }: World): string | null {
  for (const [at, { life, process }] of workers.entries()) {
    const isReplaced = workers.some((other, index) => index > at && other.process === process)
    if (life !== 'ended' && !isReplaced) return `worker ${at + 1} waits forever: ${describe(rows)}`
  }
  for (const lookup of lists[list].flat())
    if (rows[lookup].state === 'intended' || rows[lookup].state === 'running')
      return `${lookup} is ${rows[lookup].state}, and every process has ended`
  for (const customId of charges)
    if (!['accepted', 'uncertain'].includes(submissions[customId]?.verdict ?? 'none'))
      return `${customId} was charged, and the checkpoint does not count it`
  return null
}

const describe = (rows: World['rows']) =>
  lookups.map((lookup) => `${lookup} is ${rows[lookup].state}`).join(', ')

/** The same text for states that differ only in which process is which, or in the order of what is counted. */
function toKey(world: World): string {
  const [one, other] = [write(world, sameNames), write(world, otherNames)]
  return one < other ? one : other
}

interface Names {
  readonly lookups: readonly Lookup[]
  readonly worker: (index: number) => number
  readonly process: (process: 0 | 1) => number
}
const sameNames: Names = { lookups, worker: (index) => index, process: (process) => process }
/** The processes, their first workers and their own lookups change places. */
const otherNames: Names = {
  lookups: ['shared', 'second', 'first'],
  worker: (index) => (index < 2 ? 1 - index : index),
  process: (process) => 1 - process,
}

function write({ rows, submissions, workers, charges, allowed, faultsLeft }: World, names: Names): string {
  const nameOf = (lookup: Lookup) => names.lookups.indexOf(lookup)
  const idOf = (customId: string | null) => {
    if (customId === null) return '-'
    const [lookup, attempt = ''] = customId.split('_')
    return `${nameOf(lookup as Lookup)}${attempt}`
  }
  const ofRows = names.lookups.map((lookup) => {
    const { state, customId, runId, owner, attempt, answers } = rows[lookup]
    const isOwned = owner === null ? '-' : names.worker(owner)
    return `${state} ${idOf(customId)} ${idOf(runId && toCustomId(runId))} ${isOwned} ${attempt} ${answers.map((run) => idOf(toCustomId(run))).join()} ${allowed[lookup]}`
  })
  const ofSubmissions = Object.entries(submissions).map(
    ([id, { worker, verdict }]) => `${idOf(id)} ${names.worker(worker)} ${verdict}`,
  )
  const ofWorkers = workers.map((_, index) => {
    const worker = workers[names.worker(index)]
    if (worker === undefined) return ''
    const { request, strays, reading, unsettled, life, isFenced, isSwept, isLateOver } = worker
    const stray = strays.map(({ customId }) => idOf(customId)).sort()
    const isGone = life === 'dead' || life === 'ended'
    const own = isGone
      ? ''
      : [
          worker.onLost,
          worker.term,
          worker.knowsFence,
          request && `${idOf(request.customId)} ${request.term} ${request.at} ${request.isAccepted}`,
          reading && `${nameOf(reading.lookup)} ${idOf(toCustomId(reading.runId))}`,
          unsettled.map(idOf).sort(),
        ].join()
    return `${names.process(worker.process)} ${life} ${isFenced} ${isSwept} ${isLateOver} ${stray.join()} ${own}`
  })
  return [...ofRows, ...ofSubmissions.sort(), ...ofWorkers, charges.map(idOf).sort().join(), faultsLeft].join(
    '|',
  )
}
