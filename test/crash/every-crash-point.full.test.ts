import { beforeAll, describe, expect, test } from 'vitest'
import {
  dieEverywhere,
  expectHeld,
  firstStep,
  newJob,
  quarters,
  uninterrupted,
  type Whole,
} from './every-step.js'
import { MortalJob } from './mortal-job.js'
import { everyOther, tellingSteps } from './mortality.js'

describe('a process that dies at any step, and the next one', () => {
  let whole: Whole
  beforeAll(async () => {
    whole = await uninterrupted('out.csv')
  })

  test.each(quarters)(
    'with leave to submit again, every byte is the same but the id of the run that replaced a lost one; quarter %d',
    async (quarter) => {
      await dieEverywhere('out.csv', whole, 'resubmit', firstStep, quarter)
    },
  )

  test('however often it dies, each process gets further, and no more is billed than by one that lives', async () => {
    const job = newJob('out.csv')
    let deaths = 0
    for (let step = 1; (await job.live('hold', step)).isDead; step++) {
      deaths++
    }
    expect(deaths).toBeGreaterThan(20)
    expect(job.names()).toEqual(whole.names)
    await expectHeld(job, whole, job.lookupsThatAre('uncertain'))
  })
})

describe.each(['out.ndjson', 'out.parquet'])('a process that dies while it publishes %s', (outputName) => {
  test('leaves the old file or the whole new one, and the next one writes it and clears up', async () => {
    const whole = await uninterrupted(outputName)
    const seen = await dieEverywhere(outputName, whole, 'hold', 'before endJob')
    expect(seen).toContain(`after renameSync .${outputName}.tmp`)
  })
})

describe('a process that dies with the service inside it, at any step while it asks', () => {
  const anyRun = (text: string) => text.replaceAll(/run_([A-Za-z]+)_\d+/g, 'run_$1_n')
  const newForgetful = () => new MortalJob('out.csv', true)

  test('is gone on with: what was asked in vain is asked again, nothing is left uncertain, and every byte is the same but for ids of runs', async () => {
    const one = newForgetful()
    const whole = await one.live('hold').finally(() => {
      one.remove()
    })
    const [first, last] = [whole.steps.indexOf('before plan') + 1, whole.steps.indexOf('before endJob') + 1]
    expect(last - first).toBeGreaterThan(50)
    const expected = await uninterrupted('out.csv')
    let askedAgain = 0
    for (const step of everyOther(tellingSteps(whole.steps, first, last))) {
      const job = newForgetful()
      try {
        const life = await job.live('hold', step)
        if (!life.isDead) continue
        askedAgain += job.lookupsThatAre('intended', 'running').length
        await job.live('hold')
        const label = `died ${String(life.steps.at(-1))}`
        expect([label, job.lookupsThatAre('uncertain', 'intended', 'running', 'new')]).toEqual([label, []])
        expect([label, anyRun(job.output().toString())]).toEqual([label, anyRun(expected.bytes.toString())])
        expect(anyRun(job.basis())).toBe(anyRun(expected.basis))
        expect(job.names()).toEqual(expected.names)
      } finally {
        job.remove()
      }
    }
    // Deaths with nothing in flight would prove nothing.
    expect(askedAgain).toBeGreaterThan(10)
  }, 240_000)
})
