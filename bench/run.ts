import { cpus, totalmem } from 'node:os'
import { measureScheduling } from './scheduling.js'

/** `npm run bench`: each figure against its bound or a peer in the same run; nothing here asserts a time. */
const say = (line: string) => process.stdout.write(`${line}\n`)
const ratio = (value: number) => value.toFixed(3)

say(
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`,
)

say(
  '\nScheduling by polls, virtual time: 10,000 rows at 600 submissions and 100 polls a minute, runs of 1 to 5 minutes',
)
for (const window of ['fixed', 'rolling'] as const) {
  const figures = await measureScheduling(10_000, { window })
  say(
    `  ${window.padEnd(8)} ${figures.achievedMinutes.toFixed(2)} min; bound of one poll a result ${figures.boundMinutes} min: ${ratio(figures.boundMinutes / figures.achievedMinutes)}; ` +
      `with the shortest run before the first ${figures.reachableBoundMinutes} min: ${ratio(figures.reachableBoundMinutes / figures.achievedMinutes)}; ` +
      `${figures.pollsPerResult.toFixed(3)} polls a result, ${(figures.limitedShare * 100).toFixed(2)} % 429s`,
  )
}

say('\nScheduling by webhooks, the same rows')
const sent = await measureScheduling(10_000, {}, 1, 'webhooks')
say(
  `  ${sent.achievedMinutes.toFixed(2)} min; bound of the submissions and the last run ${sent.boundMinutes.toFixed(2)} min: ${ratio(sent.boundMinutes / sent.achievedMinutes)}; ` +
    `${sent.pollsPerResult.toFixed(3)} polls a result, ${(sent.limitedShare * 100).toFixed(2)} % 429s`,
)

say('\nA small run, virtual time: 50 rows, ten seeds')
const small = []
for (let seed = 1; seed <= 10; seed++) small.push(await measureScheduling(50, {}, seed))
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
say(
  `  ${mean(small.map(({ pollsPerResult }) => pollsPerResult)).toFixed(2)} polls a result; ` +
    `ends ${mean(small.map(({ lastAnswerLagSeconds }) => lastAnswerLagSeconds)).toFixed(0)} s after its last run, ` +
    `${Math.max(...small.map(({ lastAnswerLagSeconds }) => lastAnswerLagSeconds)).toFixed(0)} s at most`,
)
