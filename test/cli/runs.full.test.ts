import { expect, test } from 'vitest'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { openCheckpointReader } from '../../src/pipeline/checkpoint/sqlite/reader.js'

const command = ['companies.csv', '-o', 'out.csv']

const runsOf = async (place: CliPlace) => {
  const { stdout } = await place.run(['runs', '--json'])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === 'run')
}

test('where nothing was run, and where nothing is known of a run, it says so', async () => {
  const place = createPlace()
  const { code, stderr } = await place.run(['runs'])
  expect(code).toBe(2)
  expect(stderr).toContain('there is no checkpoint')
  await place.run([fixture('companies.csv'), '-o', 'out.csv'])
  const unknown = await place.run(['runs', '--run', '7'])
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/error RUN_NOT_FOUND: .* has no run 7/),
  ])
})

test('the newest run comes first, with what it did and how it ended', async () => {
  const place = createPlace()
  const args = [fixture('companies.csv'), '-o', 'out.csv', '--job', 'nightly']
  await place.run(args)
  await place.run(args)
  const { stdout } = await place.run(['runs', '--limit', '1'])
  const [title = '', line = '', ...more] = stdout.trimEnd().split('\n')
  expect(title.split(/\s{2,}/).map((word) => word.trim())).toEqual([
    'run',
    'began (UTC)',
    'rows',
    'submitted',
    'matched',
    'took',
    'ended',
  ])
  expect(line).toMatch(/^ +2 {2}\d{4}-\d\d-\d\d \d\d:\d\d +205 +0 +\d\d\.\d % +\S+ {2}exit 0$/)
  // The embedded service bills nobody.
  expect(more).toEqual(['Total: 2 runs, 178 submitted, 0 billed'])
  const whole = await place.run(['runs', '--run', '2'])
  expect(whole.stdout).toContain(`command   enrich ${fixture('companies.csv')} -o out.csv --job nightly`)
  expect(whole.stdout).toContain('compared with that of run 1')
  expect(await runsOf(place)).toMatchObject([
    { type: 'run', number: 2, series: 'job nightly', exitCode: 0, record: { summary: { rowCount: 205 } } },
    { type: 'run', number: 1 },
  ])
})

test('a run that was killed is listed as one that did not end, a stopped one with the code of its signal', async () => {
  const { place, hosted } = await createHostedPlace(['Acme', 'Bolt'], { runTakes: { ms: 3_600_000 } })
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const running = place.start(command, hosted)
    await running.sees(/distinct lookups/)
    while ((runningCount(place) ?? 0) < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    running.child.kill(signal)
    await running.ended
  }
  expect((await place.run(['runs'])).stdout).toMatch(
    / 2 .*exit 143\n +1 .* 2 +did not end\nTotal: 2 runs, 2 submitted, 2 billed\n$/s,
  )
  expect(await runsOf(place)).toMatchObject([
    { number: 2, exitCode: 143, isPublished: false },
    { number: 1, exitCode: null, endedAtMs: null, isPublished: false },
  ])
})

function runningCount(place: CliPlace): number | undefined {
  const reader = openCheckpointReader(place.path('.enrich/checkpoint.sqlite'), null)
  try {
    return reader?.read('counts')[0]?.states.running
  } finally {
    reader?.close()
  }
}
