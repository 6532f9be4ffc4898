import { beforeAll, describe, expect, test } from 'vitest'
import { rowsOfCsv } from '../support/tables.js'
import { MortalJob } from './mortal-job.js'
import { tellingSteps, type Life } from './mortality.js'

const changesName = 'changes.csv'
/** The second night: a row is new, one is gone, one of two that ask the same is, and others have moved. */
const firstNight = ['Acme,Paris', 'Acme,Paris', 'Bolt,Lyon', 'Cargo,Lille', ',Nice']
const secondNight = ['Cargo,Lille', 'Echo,Brest', 'Acme,Paris', ',Nice']
const expected = ['new_row 2 Echo', 'row_gone 2 Acme', 'row_gone 3 Bolt']

async function afterFirstNight(): Promise<MortalJob> {
  const job = new MortalJob('out.csv', false, changesName)
  job.writeRows(firstNight)
  await job.live('hold')
  expect(told(job)).toEqual([])
  job.writeRows(secondNight)
  return job
}

function told(job: MortalJob): string[] {
  return rowsOfCsv(job.changes()).map(({ kind, row_number, name }) => `${kind} ${row_number} ${name}`)
}

describe('a night that dies at any step, and is resumed', () => {
  let whole: Life
  beforeAll(async () => {
    const job = await afterFirstNight()
    try {
      whole = await job.live('hold')
      expect(told(job)).toEqual(expected)
    } finally {
      job.remove()
    }
  })

  test('its changes are told once, by the run that came to its end, and the next night tells none', async () => {
    for (const step of tellingSteps(whole.steps)) {
      const job = await afterFirstNight()
      try {
        const life = await job.live('hold', step)
        expect(life.isDead).toBe(true)
        expect([[], expected]).toContainEqual(told(job))
        // Once it is written down that the run has ended, all of it has been told.
        if (job.endedCount() < 2) await job.live('hold')
        expect(told(job)).toEqual(expected)
        await job.live('hold')
        expect(told(job)).toEqual([])
      } catch (error) {
        throw new Error(`died at step ${step}, ${String(whole.steps[step - 1])}`, { cause: error })
      } finally {
        job.remove()
      }
    }
    expect(whole.steps.filter((step) => /remember|changes\.csv/.test(step)).length).toBeGreaterThan(10)
  }, 300_000)
})
