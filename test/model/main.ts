import { parseArgs } from 'node:util'
import { checkAll } from './check.js'

/**
 * `npm run model -- --faults 1 --budget 3`: visits every interleaving of two processes with three lookups, of which both
 * have one, and prints the number of states, or the shortest way to a broken promise. `--list one`: only the lookup of
 * both. Each further fault multiplies the states by about a hundred.
 */
const { values } = parseArgs({
  options: {
    list: { type: 'string', default: 'three' },
    faults: { type: 'string', default: '1' },
    budget: { type: 'string', default: '3' },
    states: { type: 'string', default: '3000000' },
  },
})
const startedAt = performance.now()
const list = values.list === 'one' ? 'one' : 'three'
const limits = { list, faults: Number(values.faults), budget: Number(values.budget) } as const
const { stateCount, depth, isWhole, broken } = checkAll(limits, undefined, Number(values.states))
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
process.stdout.write(
  `${stateCount} states, depth ${depth}, ${isWhole ? 'all of them' : 'not all of them'}, in ${seconds} s\n`,
)
if (broken !== null) {
  process.stdout.write(`BROKEN: ${broken.promise}\n${broken.trace.map((line) => `  ${line}\n`).join('')}`)
  process.exitCode = 1
}
