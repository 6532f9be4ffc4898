import { parseArgs } from 'node:util'
import { findPostgres } from '../../support/postgres-server.js'
import { runServiceChaos, type ServiceChaos } from './service-chaos.js'

/**
 * `npm run chaos:replicas -- --seed 1 --asks 2000 --replicas 3 --kills 4 --stops 2 --crashes 1 --cuts 2`: several real
 * `enrich serve` on one PostgreSQL, with claims of two seconds, under load by callers that go round; killed, stopped
 * beyond their claims, cut off, and PostgreSQL crashed under them; judged by what is stored, what was answered and what
 * was delivered. `--rounds N` goes on with the seeds after. Needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    asks: { type: 'string', default: '2000' },
    polls: { type: 'string', default: '300' },
    replicas: { type: 'string', default: '3' },
    kills: { type: 'string', default: '4' },
    stops: { type: 'string', default: '2' },
    crashes: { type: 'string', default: '1' },
    cuts: { type: 'string', default: '2' },
    refused: { type: 'string', default: '0.02' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const programs = findPostgres()
if (programs === null) process.exit(1)

const promises = ['charges', 'runs', 'events', 'limits', 'balance', 'broken'] as const
const rounds: ServiceChaos[] = []
for (let seed = Number(values.seed); rounds.length < Number(values.rounds); seed++) {
  const fromMs = performance.now()
  const round = await runServiceChaos(programs, {
    seed,
    asks: Number(values.asks),
    polls: Number(values.polls),
    replicas: Number(values.replicas),
    kills: Number(values.kills),
    stops: Number(values.stops),
    crashes: Number(values.crashes),
    cuts: Number(values.cuts),
    refusedRate: Number(values.refused),
    waits: true,
  })
  rounds.push(round)
  const { done, figures, statuses } = round
  say(
    `seed ${seed}, ${((performance.now() - fromMs) / 1_000).toFixed(0)} s: ${JSON.stringify({ ...done, ...figures })}`,
  )
  say(`  ${JSON.stringify(statuses)}`)
  for (const kind of promises) {
    if (round[kind].length > 0) say(`  ${kind}: ${round[kind].length}`)
    for (const line of round[kind].slice(0, 10)) say(`    ${line}`)
  }
}
const isBroken = rounds.some((round) => promises.some((kind) => round[kind].length > 0))
say(`${rounds.length} rounds: ${isBroken ? 'promises were broken' : 'every promise was kept'}`)
process.exitCode = isBroken ? 1 : 0
