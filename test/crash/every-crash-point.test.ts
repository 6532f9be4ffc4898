import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readParquet } from '../support/tables.js'
import { MortalJob, oldOutput, type OnLost } from './mortal-job.js'
import type { Life } from './mortality.js'

/** A file as its rows, so that one row can be told to differ. */
async function linesOf(job: MortalJob): Promise<string[]> {
  if (!job.outputName.endsWith('.parquet')) return job.output().toString('utf8').split('\n')
  const { rows } = await readParquet(job.output())
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return rows.map((row) => JSON.stringify(row, plain))
}

interface Whole {
  readonly life: Life
  readonly bytes: Buffer
  readonly lines: readonly string[]
  readonly basis: string
  readonly names: readonly string[]
  /** Distinct lookups, by how often each was billed. */
  readonly billed: ReadonlyMap<string, number>
}

const lookups = ['Acme', 'Bolt', 'Cargo', 'Dull', 'Echo', 'Flint']

async function uninterrupted(outputName: string): Promise<Whole> {
  const job = new MortalJob(outputName)
  try {
    const life = await job.live('hold')
    return {
      life,
      bytes: job.output(),
      lines: await linesOf(job),
      basis: job.basis(),
      names: job.names(),
      billed: new Map(lookups.map((name) => [name, job.service.timesBilled(name)])),
    }
  } finally {
    job.remove()
  }
}

function newJob(outputName: string): MortalJob {
  const job = new MortalJob(outputName)
  onTestFinished(() => {
    job.remove()
  })
  return job
}

/** The old file or the whole new one; of the two files of a CSV, each by itself. */
function expectOldOrWhole(job: MortalJob, whole: Whole): void {
  const main = job.output()
  if (!main.equals(Buffer.from(oldOutput))) expect(main.equals(whole.bytes)).toBe(true)
  expect([oldOutput, whole.basis]).toContain(job.basis())
}

/** What `hold` owes: the output of the uninterrupted run but for the rows of lookups that may have been billed. */
async function expectHeld(job: MortalJob, whole: Whole, uncertain: readonly string[]): Promise<void> {
  const isOf = (line: string) =>
    uncertain.some((name) => line.startsWith(`${name},`) || line.includes(`"${name}"`))
  const lines = await linesOf(job)
  expect(lines).toHaveLength(whole.lines.length)
  for (const [index, line] of lines.entries()) {
    const before = whole.lines[index] ?? ''
    if (isOf(before)) expect(line).toContain('uncertain')
    else expect(line).toBe(before)
  }
  const basis = whole.basis.split('\n').filter((line) => !uncertain.includes(line.split(',')[1] ?? ''))
  expect(job.basis()).toBe(basis.join('\n'))
  if (uncertain.length === 0) expect(job.output().equals(whole.bytes)).toBe(true)
  for (const [name, count] of whole.billed) {
    if (uncertain.includes(name)) expect(job.service.timesBilled(name)).toBeLessThanOrEqual(count)
    else expect([name, job.service.timesBilled(name)]).toEqual([name, count])
  }
}

/** What `resubmit` owes: the very output, but for the id of a run that replaced a lost one. */
function expectResubmitted(job: MortalJob, whole: Whole, intended: readonly string[]): void {
  const again = intended.filter((name) => job.service.timesBilled(name) > (whole.billed.get(name) ?? 0))
  const withNewRuns = (text: string) =>
    again.reduce((changed, name) => changed.replaceAll(`run_${name}_1`, `run_${name}_2`), text)
  expect(job.output().toString('utf8')).toBe(withNewRuns(whole.bytes.toString('utf8')))
  expect(job.basis()).toBe(withNewRuns(whole.basis))
  for (const [name, count] of whole.billed) {
    expect([name, job.service.timesBilled(name)]).toEqual([name, count + (again.includes(name) ? 1 : 0)])
  }
}

/**
 * Dies once at every step from `from` on, and once at each kind of step that this missed, since steps side by side
 * change places; answers with the steps it died at.
 */
async function dieEverywhere(
  outputName: string,
  whole: Whole,
  onLost: OnLost,
  from: string,
): Promise<string[]> {
  const seen: string[] = []
  const first = whole.life.steps.indexOf(from) + 1
  expect(first).toBeGreaterThan(0)
  const numbers = whole.life.steps.flatMap((_, index) => (index + 1 >= first ? [index + 1] : []))
  await dieAtEach(numbers)
  await dieAtEach([...new Set(whole.life.steps.slice(first - 1))].filter((kind) => !seen.includes(kind)))
  return seen

  async function dieAtEach(steps: readonly (number | string)[]): Promise<void> {
    for (const step of steps) await dieAt(step)
  }

  async function dieAt(step: number | string): Promise<void> {
    const job = new MortalJob(outputName)
    try {
      const life = await job.live(onLost, step)
      expect(life.isDead).toBe(true)
      seen.push(life.steps.at(-1) ?? '')
      expectOldOrWhole(job, whole)
      const intended = job.lookupsThatAre('intended')
      await job.live(onLost)
      expect(job.names()).toEqual(whole.names)
      if (onLost === 'hold') {
        expect(job.lookupsThatAre('uncertain').toSorted()).toEqual(intended.toSorted())
        await expectHeld(job, whole, intended)
      } else expectResubmitted(job, whole, intended)
    } catch (error) {
      const label = typeof step === 'number' ? whole.life.steps[step - 1] : step
      throw new Error(`died at step ${step}, ${String(label)}`, { cause: error })
    } finally {
      job.remove()
    }
  }
}

const start = 'before rmSync .out.csv.tmp.probe'

describe('a process that dies at any step, and the next one', () => {
  let whole: Whole
  beforeAll(async () => {
    whole = await uninterrupted('out.csv')
  })

  test('the steps are every change of the checkpoint, every exchange and every change of a file', () => {
    const kinds = new Set(whole.life.steps.map((step) => step.replace(/^(before|after) /, '')))
    for (const kind of [
      'want',
      'plan',
      'intend',
      'exchange',
      'accept',
      'withdraw',
      'reject',
      'answer',
      'endJob',
    ])
      expect(kinds).toContain(kind)
    const file = '.out.csv.tmp'
    const basis = '.out.csv.basis.csv.tmp'
    const publishing = ['open', 'writeFile', 'close', 'fsyncSync', 'renameSync']
    for (const kind of publishing.flatMap((name) => [`${name} ${file}`, `${name} ${basis}`]))
      expect(kinds).toContain(kind)
    expect(kinds).toContain('fsyncSync work')
    const order = whole.life.steps.filter(
      (step) => !step.includes('.enrich') && /^after (fsync|rename)/.test(step),
    )
    expect(order).toEqual([
      `after fsyncSync ${basis}`,
      `after renameSync ${basis}`,
      'after fsyncSync work',
      `after fsyncSync ${file}`,
      `after renameSync ${file}`,
      'after fsyncSync work',
    ])
  })

  test('each lookup is billed once, whoever may be billed already is held, and every other byte is the same', async () => {
    const seen = await dieEverywhere('out.csv', whole, 'hold', start)
    expect(new Set(seen)).toEqual(new Set(whole.life.steps))
  })

  test('with leave to submit again, every byte is the same but the id of the run that replaced a lost one', async () => {
    await dieEverywhere('out.csv', whole, 'resubmit', start)
  })

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
    for (let step = first; step <= last; step++) {
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
    expect(askedAgain).toBeGreaterThan(50)
  }, 240_000)
})
