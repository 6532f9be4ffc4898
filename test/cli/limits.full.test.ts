import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { at, companiesCsv, createPlace, writeConfig } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'

/** A limit of the shell, in the units of `sh`: blocks of 512 bytes for files in a POSIX shell. */
const limited = (limit: string) => ['sh', '-c', `ulimit ${limit}; exec "$@"`, 'sh']

// With fewer than some 20, Node.js cannot open the program.
test.each([22, 24, 28, 32, 40, 60, 100])(
  'with %i files that may be open, a run says so, and submits nothing or all',
  async (count) => {
    const service = await startHosted({ runTakes: { polls: 1 } })
    const place = createPlace()
    writeConfig(place)
    place.write('in.csv', companiesCsv(['Acme', 'Bolt']))
    const result = await place.run(['in.csv', '-o', 'out.parquet'], {
      ...at(service),
      wrapper: limited(`-n ${count}`),
    })
    if (result.code === 0) {
      expect(service.runs).toHaveLength(2)
      return
    }
    expect([result.code, /^error (\w+)/m.exec(result.stderr)?.[1]]).toEqual([2, 'FILES_TOO_MANY'])
    expect(result.stderr).toMatch(/ulimit -n/)
    expect(service.runs).toHaveLength(0)
  },
)

test.each([
  ['run', ['in.csv', '-o', 'out.csv'], 'USAGE_INVALID'],
  ['init', ['init', 'in.csv'], 'USAGE_INVALID'],
  ['status', ['status'], 'CHECKPOINT_NOT_FOUND'],
])('in a folder that was removed, %s ends with a code and a hint', async (_, [first = '', ...rest], code) => {
  const place = createPlace()
  place.write('in.csv', companiesCsv(['Acme']))
  const args = [first, ...rest].map((arg) => (arg.includes('.csv') ? place.path(arg) : arg))
  const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"'
  const result = await place.run(args, { wrapper: ['sh', '-c', script, 'sh'] })
  expect([result.code, /^error (\w+)/m.exec(result.stderr)?.[1]]).toEqual([2, code])
  expect(result.stderr).toMatch(/^ {2}hint: .*folder/m)
  expect(result.stderr).not.toMatch(/^ {4}at /m)
})

// Without /proc the limit cannot be seen before it is met.
test.skipIf(!existsSync('/proc/self/limits')).each(['out.csv', 'out.parquet'])(
  'where no file may grow beyond a limit, a run to %s that would is refused before it submits',
  async (output) => {
    const service = await startHosted({ runTakes: { polls: 1 } })
    const place = createPlace()
    writeConfig(place)
    place.write('in.csv', `company_name,note\n${`Acme,${'x'.repeat(2_000)}\n`.repeat(2_500)}`)
    for (const blocks of [64, 1_024, 4_096]) {
      const result = await place.run(['in.csv', '-o', output], {
        ...at(service),
        wrapper: limited(`-f ${blocks}`),
      })
      expect([result.code, /^error (\w+)/m.exec(result.stderr)?.[1]]).toEqual([2, 'FILE_TOO_LARGE'])
      expect(result.stderr).toMatch(/ulimit -f/)
    }
    expect(service.runs).toHaveLength(0)
    expect(existsSync(place.path(output))).toBe(false)
  },
)

test('an output to standard output that has no room to be put together is refused before it submits', async () => {
  const service = await startHosted({ runTakes: { polls: 1 } })
  const place = createPlace()
  writeConfig(place)
  place.write('in.csv', companiesCsv(['Acme']))
  const { env } = at(service)
  const result = await place.run(['in.csv', '-o', '-', '--format', 'csv'], {
    env: { ...env, TMPDIR: place.path('nowhere') },
  })
  expect([result.code, /^error (\w+)/m.exec(result.stderr)?.[1]]).toEqual([2, 'OUTPUT_UNWRITABLE'])
  expect(service.runs).toHaveLength(0)
})
