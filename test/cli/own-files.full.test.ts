import { copyFileSync, linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { companiesCsv, createPlace, type CliPlace } from '../support/cli.js'

/** A place where a run is through: there is a checkpoint worth something. */
async function paidPlace(): Promise<{ place: CliPlace; checkpoint: Buffer }> {
  const place = createPlace()
  place.write('in.csv', companiesCsv(['Apple']))
  const { code } = await place.run(['in.csv', '-o', 'out.csv', '--checkpoint', 'c.sqlite'])
  expect(code).toBe(0)
  return { place, checkpoint: readFileSync(place.path('c.sqlite')) }
}

describe('no output is written over a file of ours', () => {
  test('by path, in other letters, by a link of either kind; by run and by export', async () => {
    const { place, checkpoint } = await paidPlace()
    mkdirSync(place.path('.enrich/service'), { recursive: true })
    linkSync(place.path('c.sqlite'), place.path('hard.csv'))
    symlinkSync('c.sqlite', place.path('soft.csv'))
    symlinkSync('c.sqlite.head', place.path('dangling.csv'))
    symlinkSync('c.sqlite', place.path('beside.csv.basis.csv'))
    const outputs = [
      ...['', '-wal', '-shm', '-journal', '.lock', '.lock.json', '.reserve', '.head'].map(
        (end) => `c.sqlite${end}`,
      ),
      'c.inbox.sqlite',
      'c.inbox.sqlite-wal',
      'C.SQLite',
      'pipeline.config.json',
      'enrich.decisions.csv',
      '.enrich/registry.sqlite',
      '.enrich/service/x.csv',
      'hard.csv',
      'soft.csv',
      'dangling.csv',
      'beside.csv',
    ]
    for (const command of ['run', 'export']) {
      // What is protected is one list: export is asked for each kind once.
      for (const output of command === 'run' ? outputs : ['c.sqlite', 'hard.csv', 'beside.csv']) {
        const args = [command, 'in.csv', '-o', output, '--format', 'csv', '--checkpoint', 'c.sqlite']
        const { code, stderr } = await place.run(args)
        expect([output, code, /^error (\w+)/m.exec(stderr)?.[1]]).toEqual([output, 2, 'OUTPUT_IS_OURS'])
      }
    }
    expect(readFileSync(place.path('c.sqlite'))).toEqual(checkpoint)
    expect((await place.run(['status', '--checkpoint', 'c.sqlite'])).stdout).toMatch(/1 {2}answered/)
  }, 180_000)

  test('nor over any other database, the files next to it, the usual config, or the file of the API key', async () => {
    const { place, checkpoint } = await paidPlace()
    copyFileSync(place.path('c.sqlite'), place.path('another'))
    linkSync(place.path('another'), place.path('hard.csv'))
    symlinkSync('c.sqlite.head', place.path('soft.csv'))
    place.write('own.json', '{}')
    const key = place.write('key.txt', 'the-key')
    const databases = ['another', 'hard.csv', 'c.sqlite', 'c.sqlite.head', 'c.sqlite-wal', 'soft.csv']
    for (const output of [...databases, 'pipeline.config.json', 'key.txt']) {
      const args = ['in.csv', '-o', output, '--format', 'csv', '--checkpoint', 'b.sqlite', '-c', 'own.json']
      const { code, stderr } = await place.run(args, { env: { ENRICH_API_KEY_FILE: key } })
      expect([output, code, /^error (\w+)/m.exec(stderr)?.[1]]).toEqual([output, 2, 'OUTPUT_IS_OURS'])
    }
    expect(readFileSync(place.path('c.sqlite'))).toEqual(checkpoint)
    expect(readFileSync(place.path('another'))).toEqual(checkpoint)
    expect(place.read('key.txt')).toBe('the-key')
  }, 60_000)

  test('nor is the file of a measurement', async () => {
    const place = createPlace()
    place.write('q.csv', 'name,expected\nApple,lei:HWUPKR0MPOU8FGXBT394\n')
    place.write('r.csv', 'id,name\n1,Apple\n')
    await place.run(['registry', 'import', 'csv', 'r.csv', '--registry', 'r.sqlite'])
    const evaluate = ['registry', 'evaluate', 'q.csv', '--registry', 'r.sqlite', '--errors']
    expect((await place.run([...evaluate, 'r.sqlite'])).stderr).toMatch(/^error OUTPUT_IS_OURS/m)
    expect((await place.run([...evaluate, 'q.csv'])).stderr).toMatch(/^error OUTPUT_IS_INPUT/m)
  })
})

test.each([
  ['the input', 'in.csv', 'in.csv'],
  ['a lock', 'c', 'c.lock'],
  ['the config', 'pipeline.config.json', 'pipeline.config.json'],
  ['the registry', 'r.sqlite', 'r.sqlite'],
])('a checkpoint that would be %s is refused, and nothing is touched', async (_, checkpoint, other) => {
  const place = createPlace()
  const content = other.endsWith('.json') ? '{"service":{"registry":"r.sqlite"}}' : companiesCsv(['Apple'])
  place.write('pipeline.config.json', '{"service":{"registry":"r.sqlite"}}')
  place.write(other, content)
  const input = other === 'c.lock' ? other : place.write('in.csv', companiesCsv(['Apple']))
  const before = place.names()
  const args = [input, '--input-format', 'csv', '-o', 'out.csv', '--checkpoint', checkpoint]
  const { code, stderr } = await place.run(args)
  expect([code, /^error (\w+)/m.exec(stderr)?.[1]]).toEqual([2, 'CHECKPOINT_INVALID'])
  expect(place.names()).toEqual(before)
  expect(place.read(other)).toBe(content)
})
