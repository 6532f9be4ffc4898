import { moveCheckpoint } from '../../src/pipeline/checkpoint/maintenance.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'

/** Moves a checkpoint, and says when it begins and when it has ended. Arguments: from, to. */
const [from = '', to = ''] = process.argv.slice(2)

process.stdout.write('begun\n')
const move = await moveCheckpoint(from, to, {
  clock: systemClock,
  random: systemRandom,
  priceMicrosOf: () => 0,
  notice: () => undefined,
})
process.stdout.write(`${JSON.stringify(move)}\n`)
