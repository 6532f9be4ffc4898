import { openWorker, type LeaseTimes } from '../../src/pipeline/checkpoint/postgres/lease.js'
import { openShared } from '../../src/pipeline/checkpoint/postgres/open-database.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'

/**
 * A worker on a shared checkpoint, that says whenever its right to submit changes: `1 may`, `1 may not`, by its
 * term, and whether what it intended in its first term may.
 */
export async function main(url: string, times: string): Promise<void> {
  const shared = await openShared(url, { clock: systemClock, random: systemRandom })
  const worker = await openWorker({
    prompt: shared.prompt,
    server: shared.server,
    clock: systemClock,
    job: 'a test',
    times: JSON.parse(times) as LeaseTimes,
  })
  const { term: first } = worker
  let told = ''
  setInterval(() => {
    const may = (is: boolean) => (is ? 'may' : 'may not')
    const state = `${worker.term} ${may(worker.mayLeave())}, in term ${first} ${may(worker.mayLeave(first))}`
    if (state !== told) process.stdout.write(`${state}\n`)
    told = state
  }, 5)
}
