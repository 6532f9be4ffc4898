import { runStages } from './stage-job.js'

/** One process of a job with all stages; says `done` on standard output if it comes to its end. */
const [folder = '', baseUrl = ''] = process.argv.slice(2)
process.stdout.write('begun\n')
const { stop } = await runStages(folder, baseUrl)
process.stdout.write(`${stop === null ? 'done' : stop.kind}\n`)
