import { expect, test } from 'vitest'
import { decided, decidedNone } from '../support/decisions.js'
import { MortalJob } from './mortal-job.js'
import { everyOther, tellingSteps } from './mortality.js'

/** Of the six that rows ask: one that would be matched, one that the service refuses, and one that nobody knows. */
const verdicts = [
  decided('Acme', 'Paris', { entityId: 'siq_register_1', entityName: null }),
  decided('Dull', 'Metz', { entityId: 'siq_register_2', entityName: null }),
  decidedNone('Flint', 'Nantes'),
]
const decidedNames = verdicts.map(({ name }) => name)
const others = ['Bolt', 'Cargo', 'Echo']

function decidedJob(): MortalJob {
  const job = new MortalJob('out.csv')
  job.decide(verdicts)
  return job
}

const linesOf = (job: MortalJob) => job.output().toString('utf8').split('\n')

/** What a row came to, without the row. */
function expectHonoured(job: MortalJob, whole: readonly string[], uncertain: readonly string[]): void {
  for (const [index, line] of linesOf(job).entries()) {
    const before = whole[index] ?? ''
    if (uncertain.some((name) => before.startsWith(`${name},`))) expect(line).toContain('uncertain')
    else expect(line).toBe(before)
  }
  expect(decidedNames.map((name) => job.service.timesBilled(name))).toEqual([0, 0, 0])
  for (const name of others) expect(job.service.timesBilled(name)).toBeLessThanOrEqual(1)
}

test('a process that dies at any step with decisions in place: none of them is ever billed, and the next one honours all', async () => {
  const one = decidedJob()
  const life = await one.live('hold')
  const whole = linesOf(one)
  one.remove()
  expect(one.service.reads.toSorted()).toEqual(['siq_register_1', 'siq_register_2'])
  expect(whole.filter((line) => line.includes(',accepted,Ada,'))).toHaveLength(3)
  expect(whole.filter((line) => line.includes(',none,Ada,'))).toHaveLength(1)
  const first = life.steps.indexOf('after openCheckpoint') + 1
  expect([first > 0, life.steps.length - first > 80]).toEqual([true, true])

  for (const step of everyOther(tellingSteps(life.steps, first))) {
    const job = decidedJob()
    try {
      const died = await job.live('hold', step)
      expect(died.isDead).toBe(true)
      const uncertain = job.lookupsThatAre('intended')
      expect(uncertain.filter((name) => decidedNames.includes(name))).toEqual([])
      await job.live('hold')
      expectHonoured(job, whole, uncertain)
    } catch (error) {
      throw new Error(`died at step ${step}, ${String(life.steps[step - 1])}`, { cause: error })
    } finally {
      job.remove()
    }
  }
}, 240_000)

test('a verdict that comes in after any death: what was in flight is left as it is, and nothing is billed for it again', async () => {
  const one = new MortalJob('out.csv')
  const life = await one.live('hold')
  one.remove()
  const [first, last] = [life.steps.indexOf('before plan') + 1, life.steps.indexOf('before endJob') + 1]
  expect(last - first).toBeGreaterThan(50)
  let inFlight = 0
  for (const step of everyOther(tellingSteps(life.steps, first, last))) {
    const job = new MortalJob('out.csv')
    try {
      if (!(await job.live('hold', step)).isDead) continue
      const before = decidedNames.map((name) => job.service.timesBilled(name))
      const left = job.lookupsThatAre('intended', 'running').filter((name) => decidedNames.includes(name))
      inFlight += left.length
      job.decide(verdicts)
      await job.live('resubmit')
      expect(decidedNames.map((name) => job.service.timesBilled(name))).toEqual(before)
      // A run that was accepted, and one whose answer was lost, are what they were.
      expect(job.lookupsThatAre('uncertain', 'running').filter((name) => left.includes(name))).toEqual(left)
      const lines = linesOf(job).filter((line) => /^(Acme|Dull|Flint),/.test(line))
      expect(lines.map((line) => /,(accepted|none),Ada,/.exec(line)?.[1])).toEqual([
        'accepted',
        'accepted',
        'accepted',
        'none',
      ])
    } catch (error) {
      throw new Error(`died at step ${step}, ${String(life.steps[step - 1])}`, { cause: error })
    } finally {
      job.remove()
    }
  }
  // Deaths with nothing in flight would prove nothing; how many have something depends on which steps are drawn and how busy the machine is.
  expect(inFlight).toBeGreaterThan(4)
}, 240_000)
