import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres-server.js'
import { tellSkipped } from '../support/skipped.js'
import { runChaos, type Chaos } from './chaos.js'
import { exitWithoutNamespaces, runApart, whyNoNamespaces } from './network.js'

/**
 * `npm run chaos -- --seed 1 --lookups 2000 --workers 4 --kills 20 --stops 10 --crashes 3`: several real commands on one
 * checkpoint in PostgreSQL, with leases of two seconds; killed, stopped beyond their leases, cut off, and PostgreSQL
 * crashed under them; judged by what the service billed. `--rounds N` goes on with the seeds after. A round in three has
 * overlapping inputs, and a round in four a budget smaller than its lookups. `--give-back` is the negative control.
 *
 * `--replication asynchronous --failovers 1 --crashes 0` is the other negative control: the primary is killed, and its
 * standby, which had not received the last of it, promoted. With `synchronous` the promises hold.
 *
 * `--link-cuts 20`: each worker has a network namespace of its own, with a link to PostgreSQL and one to the service, each of
 * which drops packets silently now and then, in one direction or both. It needs root and a Linux that lets it, and says
 * so and ends with 77 where it has not. All of it needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    lookups: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    kills: { type: 'string', default: '20' },
    stops: { type: 'string', default: '10' },
    crashes: { type: 'string', default: '3' },
    cuts: { type: 'string', default: '3' },
    failovers: { type: 'string', default: '0' },
    replication: { type: 'string' },
    'link-cuts': { type: 'string', default: '0' },
    'give-back': { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const programs = findPostgres()
if (programs === null) process.exit(1)
const linkCuts = Number(values['link-cuts'])
if (linkCuts > 0) goApart()
const { replication = null } = values
if (replication !== null && replication !== 'synchronous' && replication !== 'asynchronous')
  throw new Error('--replication is synchronous or asynchronous')

/** Links are cut in a network of its own. */
function goApart(): void {
  const why = whyNoNamespaces()
  if (why !== null) {
    tellSkipped(why)
    process.exit(exitWithoutNamespaces)
  }
  const code = runApart()
  if (code !== null) process.exit(code)
}

const promises = ['doubled', 'lost', 'undone', 'budget', 'rows', 'broken'] as const
const startedAtMs = performance.now()
const rounds: Chaos[] = []
for (let seed = Number(values.seed); rounds.length < Number(values.rounds); seed++) {
  const roundAtMs = performance.now()
  const lookups = Number(values.lookups)
  const round = await runChaos(programs, {
    seed,
    lookups,
    workers: Number(values.workers),
    kills: Number(values.kills),
    stops: Number(values.stops),
    crashes: Number(values.crashes),
    cuts: Number(values.cuts),
    failovers: Number(values.failovers),
    replication,
    linkCuts,
    slices: seed % 3 === 0 ? 'overlapping' : 'same',
    lookupsMax: seed % 4 === 0 ? Math.floor(lookups * 0.7) : lookups * 2,
    givesBack: values['give-back'],
  })
  rounds.push(round)
  tell(round, (performance.now() - roundAtMs) / 1_000)
}
tellAll()
process.exitCode = rounds.some((round) => promises.some((kind) => round[kind].length > 0)) ? 1 : 0

function tell(round: Chaos, seconds: number): void {
  const { seed, done, figures, endings, perSecondMax } = round
  say(
    `seed ${seed}, ${seconds.toFixed(0)} s: ${JSON.stringify({ ...done, ...figures, perSecondMax, endings })}`,
  )
  for (const kind of promises) {
    const lines = round[kind]
    if (lines.length === 0) continue
    say(`  ${kind}: ${lines.length}`)
    for (const line of lines.slice(0, 10)) say(`    ${line}`)
  }
}

function tellAll(): void {
  const sum = (of: (round: Chaos) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1)
  say(
    `${rounds.length} rounds in ${minutes} minutes: ${sum(({ figures }) => figures.billed)} billed, ` +
      `${sum(({ figures }) => figures.uncertain)} uncertain; ${sum(({ done }) => done.kill)} kills, ` +
      `${sum(({ done }) => done.stop)} stops, ${sum(({ done }) => done.crash)} crashes, ${sum(({ done }) => done.cut)} cuts, ` +
      `${sum(({ done }) => done.linkCut)} cuts of links, ${sum(({ done }) => done.failover)} failovers`,
  )
  say(
    `${sum(({ doubled }) => doubled.length)} doubled, ${sum(({ lost }) => lost.length)} lost, ` +
      `${sum(({ undone }) => undone.length)} undone, ${sum(({ budget }) => budget.length)} budgets wrong, ` +
      `${sum(({ rows }) => rows.length)} rows wrong, ${sum(({ broken }) => broken.length)} commands broken`,
  )
}
