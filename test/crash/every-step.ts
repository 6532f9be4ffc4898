import { expect, onTestFinished } from 'vitest'
import { readParquet } from '../support/tables.js'
import { MortalJob, oldOutput, type OnLost } from './mortal-job.js'
import { tellingSteps, type Life } from './mortality.js'

/** A file as its rows, so that one row can be told to differ. */
async function linesOf(job: MortalJob): Promise<string[]> {
  if (!job.outputName.endsWith('.parquet')) return job.output().toString('utf8').split('\n')
  const { rows } = await readParquet(job.output())
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return rows.map((row) => JSON.stringify(row, plain))
}

export interface Whole {
  readonly life: Life
  readonly bytes: Buffer
  readonly lines: readonly string[]
  readonly basis: string
  readonly names: readonly string[]
  /** Distinct lookups, by how often each was billed. */
  readonly billed: ReadonlyMap<string, number>
}

const lookups = ['Acme', 'Bolt', 'Cargo', 'Dull', 'Echo', 'Flint']

export async function uninterrupted(outputName: string): Promise<Whole> {
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

export function newJob(outputName: string): MortalJob {
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
export async function expectHeld(job: MortalJob, whole: Whole, uncertain: readonly string[]): Promise<void> {
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

/** Every step is in one of them: one test for all steps takes too long on a busy machine. */
export const quarters = [0, 1, 2, 3] as const
export type Quarter = (typeof quarters)[number]

/**
 * Dies once at every telling step from `from` on, or of a quarter of them, and once at each kind of them that this missed,
 * since steps side by side change places; answers with the steps it died at.
 */
export async function dieEverywhere(
  outputName: string,
  whole: Whole,
  onLost: OnLost,
  from: string,
  quarter?: Quarter,
): Promise<string[]> {
  const seen: string[] = []
  const first = whole.life.steps.indexOf(from) + 1
  expect(first).toBeGreaterThan(0)
  const numbers = tellingSteps(whole.life.steps, first).filter(
    (_, index) => quarter === undefined || index % quarters.length === quarter,
  )
  await dieAtEach(numbers)
  const kinds = new Set(numbers.map((number) => whole.life.steps[number - 1] ?? ''))
  await dieAtEach([...kinds].filter((kind) => !seen.includes(kind)))
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

/** The first step of a run that changes anything. */
export const firstStep = 'before rmSync .out.csv.tmp.probe'
