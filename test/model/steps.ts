import type { LookupAnswer } from '../../src/pipeline/checkpoint/transitions.js'
import {
  change,
  isFree,
  isSettled,
  lists,
  plan,
  runOf,
  startWorker,
  type Limits,
  type Lookup,
  type Request,
  type Rules,
  type Worker,
  type World,
} from './world.js'

/** What can happen next: a line for the trace, and the change of a copy of the world. */
export interface Step {
  readonly text: string
  readonly isFault: boolean
  readonly run: (world: World) => void
}

interface Given {
  readonly world: World
  readonly at: number
  readonly worker: Worker
  readonly rules: Rules
  readonly limits: Limits
}

/** All steps of all processes, and of what lies between them and the service. */
export function listSteps(world: World, rules: Rules, limits: Limits): Step[] {
  const steps: Step[] = []
  for (const [at, worker] of world.workers.entries()) {
    const given = { world, at, worker, rules, limits }
    if (worker.life === 'starting') steps.push(startStep(given))
    if (worker.life === 'running') steps.push(...workSteps(given))
    steps.push(...networkSteps(given), ...otherSteps(given))
    if (world.faultsLeft > 0) steps.push(...faultSteps(given))
  }
  return steps
}

const nameOf = (at: number) => `worker ${at + 1}`

function step(at: number, text: string, run: (world: World, worker: Worker) => void, isFault = false): Step {
  return {
    text: `${nameOf(at)}${text}`,
    isFault,
    run: (world) => {
      const worker = world.workers[at]
      if (worker === undefined) throw new Error(`there is no ${nameOf(at)}`)
      if (isFault) world.faultsLeft -= 1
      run(world, worker)
    },
  }
}

const startStep = ({ at, rules, worker }: Given): Step =>
  step(at, ` plans its lookups (${worker.onLost} what was lost)`, (world, own) => {
    own.life = 'running'
    plan(world, at, rules)
  })

/** Steps of the run: `Submitter` and `Poller` in one request and one answer at a time. */
function workSteps(given: Given): Step[] {
  const { world, at, worker, rules } = given
  const steps: Step[] = []
  const wanted = lists[world.list][worker.process]
  const { request, reading } = worker
  if (worker.isFenced && !worker.knowsFence)
    steps.push(step(at, ' sees that its lease ended', (_, own) => (own.knowsFence = true)))
  // It goes on in a new term; what it had is released first.
  if (worker.isFenced && worker.knowsFence && worker.isSwept && request === null)
    steps.push(
      step(at, ' goes on with a new lease', (_, own) =>
        Object.assign(own, {
          term: own.term + 1,
          isFenced: false,
          isSwept: false,
          isLateOver: false,
          knowsFence: false,
        }),
      ),
    )
  if (request === null) {
    for (const lookup of wanted) {
      const row = world.rows[lookup]
      if (row.state !== 'new' || worker.isFenced) continue
      if (row.owner === at) steps.push(...intendSteps(given, lookup))
      else if (isFree(world, row, at))
        steps.push(step(at, ` claims ${lookup}`, (now) => (now.rows[lookup].owner = at)))
    }
  } else steps.push(...requestSteps(given, request))
  if (reading === null) {
    for (const lookup of wanted) {
      const row = world.rows[lookup]
      if (row.state !== 'running' || !isFree(world, row, at)) continue
      const { runId } = row
      if (runId === null || !world.charges.some((customId) => runOf(customId) === runId)) continue
      steps.push(
        step(at, ` reads the answer of the ${runId}`, (now, own) => {
          now.rows[lookup].owner = at
          own.reading = { lookup, runId }
        }),
      )
    }
  } else {
    steps.push(
      step(at, ` writes the answer of the ${reading.runId}`, (now, own) => {
        own.reading = null
        const { lookup, runId } = reading
        const answer = { state: 'answered', runId } as unknown as LookupAnswer['answer']
        change(now, at, lookup, { event: 'answer', lookupId: 1, answer }, rules)
      }),
    )
  }
  if (request === null && reading === null && wanted.every((lookup) => isDone(given, lookup)))
    steps.push(step(at, ' ends', endWorker(at)))
  return steps
}

const endWorker = (at: number) => (world: World, own: Worker) => {
  // Fenced at its end, like a dead one.
  Object.assign(own, { life: 'ended', isFenced: true })
  for (const row of Object.values(world.rows)) if (row.owner === at && row.state === 'new') row.owner = null
}

/** Settled; or left, because the budget allows no submission. */
const isDone = ({ world, rules, limits }: Given, lookup: Lookup): boolean =>
  isSettled(world.rows[lookup]) ||
  (world.rows[lookup].state === 'new' && rules.countReserved(world) >= limits.budget)

function intendSteps({ world, at, rules, limits }: Given, lookup: Lookup): Step[] {
  if (rules.countReserved(world) >= limits.budget) return []
  const intend = step(at, ` intends to submit ${lookup}`, (now, own) => {
    const row = now.rows[lookup]
    const attempt = row.attempt + 1
    const customId = `${lookup}_${attempt}`
    own.request = { lookup, customId, term: own.term, at: 'intended', isAccepted: false }
    own.unsettled.push(customId)
    row.attempt = attempt
    if (!rules.writesIntention) return
    Object.assign(row, { state: rules.getStateAfter({ lookupId: 1, state: row.state }, 'intend'), customId })
    now.submissions[customId] = { lookup, worker: at, verdict: 'intended', runId: null }
  })
  if (rules.keepsRefused || world.faultsLeft === 0) return [intend]
  const drop = step(
    at,
    ` drops ${lookup}, because its commit was refused`,
    (now) => Object.assign(now.rows[lookup], { state: 'invalid', owner: null }),
    true,
  )
  return [intend, drop]
}

function requestSteps({ at, worker, rules }: Given, request: Request): Step[] {
  const { lookup, customId, isAccepted } = request
  const settle = (now: World, own: Worker, update: Parameters<typeof change>[3]) => {
    own.request = null
    change(now, at, lookup, update, rules)
    own.unsettled = own.unsettled.filter((one) => one !== customId)
  }
  const reason = 'told'
  switch (request.at) {
    case 'intended':
      return [
        rules.mayLeave(worker, request)
          ? step(at, ` sends ${customId}`, (_, own) => own.request && (own.request.at = 'flying'))
          : step(at, ` withdraws ${customId}, which it may not send`, (now, own) => {
              settle(now, own, { event: 'withdraw', lookupId: 1, customId, reason })
            }),
      ]
    case 'replied':
      return [
        step(at, ` records the ${isAccepted ? 'run' : 'refusal'} of ${customId}`, (now, own) => {
          if (!rules.writesIntention)
            now.submissions[customId] ??= { lookup, worker: at, verdict: 'intended', runId: null }
          const update = isAccepted
            ? ({ event: 'accept', lookupId: 1, customId, runId: runOf(customId), nowMs: 1 } as const)
            : ({ event: 'withdraw', lookupId: 1, customId, reason } as const)
          settle(now, own, update)
        }),
      ]
    case 'lost':
      return [
        step(at, ` records that the reply to ${customId} is lost`, (now, own) => {
          settle(now, own, { event: 'lose', lookupId: 1, customId, reason })
        }),
      ]
    case 'flying':
      return []
  }
}

/** Requests arrive, also those of a process that is gone. */
function networkSteps({ at, worker }: Given): Step[] {
  const steps: Step[] = []
  if (worker.request?.at === 'flying') {
    const { customId } = worker.request
    steps.push(
      step(at, `'s request ${customId} arrives: a run is created`, (world, { request }) => {
        world.charges.push(customId)
        if (request !== null) Object.assign(request, { at: 'replied', isAccepted: true })
      }),
    )
  }
  for (const { customId } of worker.strays)
    steps.push(
      step(at, `'s late request ${customId} arrives: a run is created`, (world, own) => {
        world.charges.push(customId)
        own.strays = own.strays.filter((stray) => stray.customId !== customId)
      }),
    )
  return steps
}

/** Other processes take a silent one to be dead; a dead one is started again. */
function otherSteps({ world, at, worker, rules }: Given): Step[] {
  const steps: Step[] = []
  const isSilent = worker.life === 'dead' || worker.life === 'suspended'
  const hasWatcher = world.workers.some(({ life }, other) => other !== at && life === 'running')
  if (isSilent && !worker.isFenced && hasWatcher)
    steps.push(step(at, ' is taken to be dead', (_, own) => (own.isFenced = true)))
  if (worker.isFenced && !worker.isSwept) steps.push(step(at, "'s lookups are released", release(at, rules)))
  const mayLeave = worker.request?.at === 'intended' && worker.life !== 'dead' && !worker.knowsFence
  const mayArrive = worker.strays.length > 0 || worker.request?.at === 'flying' || mayLeave
  if (worker.isFenced && !worker.isLateOver && !mayArrive)
    steps.push(
      step(at, "'s requests can no longer arrive", (_, own) => {
        own.isLateOver = true
      }),
    )
  if (worker.life === 'suspended')
    steps.push(
      step(at, ' wakes up', (_, own) => Object.assign(own, { life: 'running', knowsFence: own.isFenced })),
    )
  const isReplaced = world.workers.some((other, index) => index > at && other.process === worker.process)
  if (worker.life === 'dead' && !isReplaced)
    for (const onLost of ['hold', 'resubmit'] as const)
      steps.push({
        text: `process ${worker.process + 1} starts again as ${nameOf(world.workers.length)}`,
        isFault: false,
        run: ({ workers }) => workers.push(startWorker(worker.process, onLost)),
      })
  return steps
}

const release = (at: number, rules: Rules) => (world: World, own: Worker) => {
  own.isSwept = true
  for (const row of Object.values(world.rows)) {
    if (row.owner !== at || (row.state !== 'new' && row.state !== 'intended')) continue
    const submission = row.customId === null ? undefined : world.submissions[row.customId]
    if (row.state === 'intended' && submission?.verdict === 'intended') submission.verdict = 'uncertain'
    if (row.state === 'intended') row.state = rules.sweptState
    row.owner = null
  }
}

/** Faults: each takes one of those that may happen. */
function faultSteps({ world, at, worker }: Given): Step[] {
  const { request, life } = worker
  const steps: Step[] = []
  if (life === 'running' || life === 'starting' || life === 'suspended')
    steps.push(
      step(
        at,
        ' is killed',
        (_, own) => {
          const flying = own.request?.at === 'flying' ? [own.request] : []
          own.strays.push(...flying.map(({ lookup, customId }) => ({ lookup, customId })))
          Object.assign(own, { life: 'dead', request: null, reading: null, unsettled: [] })
        },
        true,
      ),
    )
  if (life === 'running') {
    steps.push(step(at, ' is suspended', (_, own) => (own.life = 'suspended'), true))
    const hasWatcher = world.workers.some((other, index) => index !== at && other.life === 'running')
    if (!worker.isFenced && hasWatcher)
      steps.push(
        step(
          at,
          "'s lease seems over, because a clock was set back",
          (_, own) => (own.isFenced = true),
          true,
        ),
      )
  }
  if (request?.at === 'flying') {
    // A process that gives up closes the connection: the request has arrived by then, or never will.
    const { customId } = request
    const lose = (_: World, own: Worker) => own.request && (own.request.at = 'lost')
    steps.push(
      step(at, `'s request ${customId} is lost`, lose, true),
      step(
        at,
        `'s request ${customId} is refused: no run is created`,
        (_, own) => own.request && Object.assign(own.request, { at: 'replied', isAccepted: false }),
        true,
      ),
    )
  }
  if (request?.at === 'replied' && request.isAccepted)
    steps.push(
      step(
        at,
        ` does not get the reply to ${request.customId}`,
        (_, own) => own.request && (own.request.at = 'lost'),
        true,
      ),
    )
  return steps
}
