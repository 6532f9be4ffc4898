import { parseArgs } from 'node:util'
import { simulate, type Simulated } from './simulate.js'

/** `npm run simulate -- --seeds 2000 [--from 1] [--webhooks] [--mixed-up] [--forgetful] [--stages] [--priced] [--decided] [--retried] [--first]`, or `--seed 17` to see one again. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    /** Answers are sent, and polled only where that fails. */
    webhooks: { type: 'boolean', default: false },
    /** Answers are sent to whom they do not belong. */
    'mixed-up': { type: 'boolean', default: false },
    /** The service ends with each process, as the embedded one does. */
    forgetful: { type: 'boolean', default: false },
    /** What follows from answers is asked in every seed, not in every fourth. */
    stages: { type: 'boolean', default: false },
    /** What a job may cost is bounded. */
    priced: { type: 'boolean', default: false },
    /** People decide rows between the processes. */
    decided: { type: 'boolean', default: false },
    /** Some processes are retries. */
    retried: { type: 'boolean', default: false },
    /** An own registry answers first. */
    first: { type: 'boolean', default: false },
  },
})
const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1

const sum = {
  lookups: 0,
  billed: 0,
  processes: 0,
  crashes: 0,
  uncertain: 0,
  uncertainBilled: 0,
  steps: 0,
  polls: 0,
  swapped: 0,
  virtualHours: 0,
  stageLookups: 0,
  researched: 0,
  domainsBilled: 0,
  stageUncertain: 0,
  stageStops: 0,
  costStops: 0,
  retries: 0,
  continuedRetries: 0,
  decided: 0,
  takenBack: 0,
  settled: 0,
  sampled: 0,
  editions: 0,
}
const failed: number[] = []
for (let seed = first; seed < first + count; seed++) {
  try {
    add(
      await simulate(seed, {
        webhooks: values.webhooks,
        mixedUp: values['mixed-up'],
        forgetful: values.forgetful,
        priced: values.priced,
        decided: values.decided,
        retried: values.retried,
        ...(values.stages ? { stages: true } : {}),
        ...(values.first ? { first: true } : {}),
      }),
    )
  } catch (error) {
    failed.push(seed)
    process.stderr.write(
      `seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
  }
}
const number = (value: number) => Math.round(value).toLocaleString('en-US')
process.stdout.write(
  `${number(count)} seeds: ${number(sum.lookups)} lookups over ${number(sum.processes)} processes, ${number(sum.crashes)} of them killed, ` +
    `${number(sum.steps)} steps, ${number(sum.virtualHours)} virtual hours\n` +
    `billed ${number(sum.billed)}, billed twice against the user's word 0, lost 0, uncertain ${number(sum.uncertain)} (${number(sum.uncertainBilled)} of them billed), ` +
    `answers of others sent ${number(sum.swapped)}, written 0\n` +
    `after answers ${number(sum.stageLookups)} lookups: ${number(sum.researched)} researched and ${number(sum.domainsBilled)} domains billed, twice 0, ` +
    `uncertain ${number(sum.stageUncertain)}, stages stopped while resolution went on ${number(sum.stageStops)}\n` +
    `decided by reviewers ${number(sum.decided)}, taken back ${number(sum.takenBack)}, asked or waited for all the same 0\n` +
    `retries begun ${number(sum.retries)}, continued ${number(sum.continuedRetries)}, billed twice by one of them 0\n` +
    `settled by an own registry ${number(sum.settled)} with ${number(sum.editions)} editions, submitted all the same 0, of the sample ${number(sum.sampled)}\n` +
    `processes ended by what they may cost ${number(sum.costStops)}, above it 0\n` +
    `seeds that broke a promise: ${failed.length}${failed.length === 0 ? '' : ` (${failed.slice(0, 20).join(', ')}); see one again with --seed N`}\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1

function add(result: Simulated): void {
  for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += result[key]
}
