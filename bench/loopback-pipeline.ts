/**
 * The pipeline of bench/loopback.ts, in a process of its own and in hurried time, with the settings of a hosted
 * service. Argument: a `PipelineWorld` as JSON; it sends `PipelineFigures`.
 */
import { hurry } from './hurry.js'
import type { PipelineFigures, PipelineWorld } from './loopback.js'

const { factor, startedAtMs, folder, baseUrl } = JSON.parse(process.argv[2] ?? '') as PipelineWorld
hurry(factor, startedAtMs)
// Not before: what is loaded now finds the hurried timers.
const { enrich } = await import('../src/app/enrich.js')

const cpuBefore = process.cpuUsage()
const run = enrich(
  {
    input: { paths: [`${folder}/in.csv`] },
    output: { path: `${folder}/out.csv` },
    checkpoint: { path: `${folder}/checkpoint.sqlite` },
    service: { baseUrl },
  },
  { environment: { ENRICH_API_KEY: 'key-of-the-loopback-bench' } },
)
let [askedFromMs, askedUntilMs] = [0, 0]
for await (const event of run) {
  if (event.type === 'planned') askedFromMs = performance.now()
  if (event.type === 'publishing') askedUntilMs = performance.now()
}
const { answeredCount, pollCount, stop } = await run.summary
const cpu = process.cpuUsage(cpuBefore)
if (stop !== null) throw new Error(`the run stopped early: ${stop.kind}`)
const figures: PipelineFigures = {
  answeredCount,
  pollCount,
  askingMs: askedUntilMs - askedFromMs,
  userMs: cpu.user / 1000,
  systemMs: cpu.system / 1000,
}
process.send?.(figures, () => {
  process.exit()
})
