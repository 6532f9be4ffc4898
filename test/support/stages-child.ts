import { runStages } from './stage-job.js'

/** One process of a job with all stages; says `done` on standard output if it comes to its end. */
export async function main(folder: string, baseUrl: string): Promise<void> {
  process.stdout.write('begun\n')
  const { stop } = await runStages(folder, baseUrl)
  process.stdout.write(`${stop === null ? 'done' : stop.kind}\n`)
}
