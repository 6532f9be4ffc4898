import { describe, onTestFinished, expect, test } from 'vitest'
import {
  at,
  canary,
  companiesCsv,
  createPlace,
  quickConfig,
  writeConfig,
  type CliPlace,
} from '../support/cli.js'
import {
  startStrangeService,
  type StrangeService,
  type StrangeServiceOptions,
} from '../support/strange-service.js'
import { rowsOfCsv } from '../support/tables.js'
import { canMount, mountSmallDisk, type SmallDisk } from './small-disk.js'

const kibibyte = 1024
const names = Array.from({ length: 60 }, (_, index) => `Company ${index}`)
const command = ['companies.csv', '-o', 'disk/out.csv', '--checkpoint', 'disk/c.sqlite']
/** Submissions in flight at one time, whose answers must still find room. */
const submitConcurrency = 4
const oldOutput = 'the output of yesterday\n'

interface Surroundings {
  readonly place: CliPlace
  readonly disk: SmallDisk
  readonly service: StrangeService
}

/** Output and checkpoint on a small disk; `whenAsked` looks at every request before it is answered. */
async function surroundings(
  rowCount: number,
  size: string,
  whenAsked: (disk: SmallDisk, request: { method: string; number: number }) => void,
): Promise<Surroundings> {
  const place = createPlace()
  const disk = mountSmallDisk(place.path('disk'), size)
  if (disk === null) throw new Error('not mounted')
  const faults: StrangeServiceOptions['faults'] = (request) => {
    whenAsked(disk, request)
    return undefined
  }
  const service = await startStrangeService({ apiKey: canary, runTakes: { polls: 1 }, faults })
  onTestFinished(async () => {
    disk.unmount()
    await service.close()
  })
  place.write(
    'companies.csv',
    companiesCsv(Array.from({ length: rowCount }, (_, row) => names[row % names.length] ?? '')),
  )
  place.write('disk/out.csv', oldOutput)
  writeConfig(place, { ...quickConfig, limits: { ...quickConfig.limits, submitConcurrency } })
  return { place, disk, service }
}

const billedNames = ({ runs }: StrangeService) => runs.map(({ query }) => query.name)
const customersOut = (place: CliPlace) => rowsOfCsv(place.read('disk/out.csv'))

// Without the right to mount, full-disk.test.ts of the service shows what SQLite does when a disk is full.
describe.skipIf(!canMount())('the disk of the output and the checkpoint fills up', () => {
  test.each([0, 24 * kibibyte, 48 * kibibyte])(
    'to %i bytes while lookups are submitted: it stops and says so, can be looked at, and resumes without billing twice',
    async (roomLeft) => {
      const { place, disk, service } = await surroundings(names.length, '32m', (full, { number }) => {
        if (number === 12) full.fillBut(roomLeft)
      })
      const stopped = await place.run(command, at(service))
      expect(stopped.stderr).toMatch(/^error DISK_FULL: no space left for the checkpoint disk\/c\.sqlite$/m)
      expect(stopped.stderr).not.toMatch(/nothing was submitted/)
      expect(stopped.code).toBe(5)
      expect(place.read('disk/out.csv')).toBe(oldOutput)
      const billedCount = service.runs.length
      expect(billedCount).toBeGreaterThan(0)
      expect(billedCount).toBeLessThan(names.length)

      const status = await place.run(['status', '--checkpoint', 'disk/c.sqlite'], at(service))
      expect(status.code).toBe(0)
      expect(status.stdout).toMatch(new RegExp(`, ${billedCount} submissions$`, 'm'))
      expect(status.stdout).not.toMatch(/uncertain/)

      disk.empty()
      const resumed = await place.run(command, at(service))
      // The room kept aside was enough to write down what was in flight.
      expect(resumed.code).toBe(0)
      expect(customersOut(place).map((row) => row['enrich_status'])).toEqual(names.map(() => 'no_match'))
      expect(billedNames(service).toSorted()).toEqual(names.toSorted())
      expect(customersOut(place).map((row) => row['company_name'])).toEqual(names)
    },
  )

  test('while the output is written: the old one stays, nothing is left beside it, and the next run writes it', async () => {
    let pollCount = 0
    const rowCount = 20_000
    const { place, disk, service } = await surroundings(rowCount, '96m', (full, { method }) => {
      if (method === 'GET' && ++pollCount === names.length) full.fillBut(600 * kibibyte)
    })
    const stopped = await place.run(command, at(service))
    expect(stopped.stderr).toMatch(/^error DISK_FULL: the disk is full: disk\/out\.csv was not written$/m)
    expect(stopped.code).toBe(5)
    expect(place.read('disk/out.csv')).toBe(oldOutput)
    expect(place.namesIn('disk').filter((name) => name.includes('.tmp'))).toEqual([])

    disk.empty()
    const again = await place.run(command, at(service))
    expect(again.code).toBe(0)
    expect(customersOut(place)).toHaveLength(rowCount)
    expect(billedNames(service).toSorted()).toEqual(names.toSorted())
  })
})
