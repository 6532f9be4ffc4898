import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'vitest'
import { createPlace, type CliPlace, type RunningCli } from '../support/cli.js'
import { readParquet, rowsOfCsv } from '../support/tables.js'

const rowCount = 20_000
/** Most rows ask for what nobody knows: answers without a basis keep the output small enough to be written often. */
const nameOf = (row: number) => (row % 50 === 0 ? 'Apple Inc' : `Nobody Knows This ${row % 7}`)
const oldOutput = 'the output of yesterday\n'
/** Six commands a format, on machines of any speed. */
const testMsMax = 240_000
/** Of the bytes that are written beside the output before it is put in place. */
const killedAtShares = [0, 0.4, 0.8]

function writeCompanies(place: CliPlace): void {
  const rows = Array.from({ length: rowCount }, (_, row) => `${nameOf(row)},${row}\n`)
  place.write('companies.csv', `company_name,customer\n${rows.join('')}`)
}

/** What is being written beside an output, by name. */
const temporaries = (place: CliPlace) => readdirSync(place.folder).filter((name) => name.includes('.tmp'))

function temporaryBytes(place: CliPlace): number {
  const sizes = temporaries(place).map(
    (name) => statSync(join(place.folder, name), { throwIfNoEntry: false })?.size,
  )
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

/** Looks at the folder while the command runs, until `isEnough` or its end. */
async function watch(running: RunningCli, isEnough: () => boolean): Promise<void> {
  const { child } = running
  await running.sees(/distinct lookups/)
  while (child.exitCode === null && child.signalCode === null && !isEnough())
    await new Promise((resolve) => setTimeout(resolve, 2))
}

interface Job {
  readonly place: CliPlace
  readonly outputName: string
  /** Whole outputs by their name, as an undisturbed run writes them. */
  readonly whole: ReadonlyMap<string, Buffer>
  readonly temporaryBytesMax: number
}

const start = (place: CliPlace, outputName: string) =>
  place.start(['companies.csv', '-o', outputName, '--columns', 'status,legal_name,run_id,error'])

async function undisturbed(place: CliPlace, outputName: string): Promise<Job> {
  writeCompanies(place)
  const running = start(place, outputName)
  let temporaryBytesMax = 0
  await watch(running, () => {
    temporaryBytesMax = Math.max(temporaryBytesMax, temporaryBytes(place))
    return false
  })
  await running.ended
  const outputs = place.names().filter((name) => name.startsWith('out.'))
  const whole = new Map(outputs.map((name) => [name, readFileSync(place.path(name))]))
  return { place, outputName, whole, temporaryBytesMax }
}

/** Every row, once, in order, by a reader that is not ours. */
async function customersIn(job: Job): Promise<string[]> {
  const bytes = readFileSync(job.place.path(job.outputName))
  const rows = job.outputName.endsWith('.csv') ? rowsOfCsv(bytes) : (await readParquet(bytes)).rows
  return rows.map((row) => String(row['customer']))
}

/** Puts the old output back, runs, kills when it is time, and looks at what is there. */
async function killOnce(
  job: Job,
  isTime: () => boolean,
  { expect }: TestContext,
): Promise<{ hitWhileWriting: boolean }> {
  const { place, outputName, whole } = job
  for (const name of whole.keys()) place.write(name, oldOutput)
  const running = start(place, outputName)
  await watch(running, isTime)
  running.child.kill('SIGKILL')
  const { code } = await running.ended
  for (const [name, bytes] of whole) {
    const found = readFileSync(place.path(name))
    expect(found.equals(bytes) || found.toString('latin1') === oldOutput).toBe(true)
  }
  return { hitWhileWriting: code === null && temporaries(place).length > 0 }
}

describe.concurrent('an output of 30,000 rows whose process is killed while it is published', () => {
  test.for(['out.csv', 'out.parquet'])(
    '%s is the old file or the whole new one, and the next run clears up',
    { timeout: testMsMax },
    async (outputName, context) => {
      const { expect } = context
      const job = await undisturbed(createPlace(context.onTestFinished), outputName)
      const { place, whole, temporaryBytesMax } = job
      const customers = Array.from({ length: rowCount }, (_, row) => String(row))
      expect(await customersIn(job)).toEqual(customers)
      for (const share of killedAtShares) {
        const isTime = () =>
          temporaries(place).length > 0 && temporaryBytes(place) >= share * temporaryBytesMax
        let isHit = false
        // On a busy machine, the command may end between two looks.
        for (let tries = 0; tries < 5 && !isHit; tries++)
          isHit = (await killOnce(job, isTime, context)).hitWhileWriting
        expect(isHit).toBe(true)
      }
      // The moment at which the first of the files has just been put in place.
      const isReplaced = () =>
        [...whole.keys()].some((name) => statSync(place.path(name)).size !== oldOutput.length)
      await killOnce(job, isReplaced, context)

      await start(place, outputName).ended
      expect(place.names()).toEqual(['companies.csv', ...whole.keys()].toSorted())
      for (const [name, bytes] of whole) expect(readFileSync(place.path(name)).equals(bytes)).toBe(true)
      expect(place.namesIn('../tmp')).toEqual([])
    },
  )
})
