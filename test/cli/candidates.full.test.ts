import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { rowsOfCsv } from '../support/tables.js'

const killCount = 4

/** Names of the registry that ships, each a little wrong: many of them are doubtful. */
function doubtfulNames(): string[] {
  const rows: { name: string }[] = parse(readFileSync(fixture('registry/companies.csv')), { columns: true })
  return rows.slice(0, 400).map(({ name }, at) => {
    const words = name.replaceAll(/[",]/g, '').split(' ')
    return at % 2 === 0 ? `${words[0] ?? ''} Partners ${at}` : name.replaceAll(/[",]/g, '').slice(0, -3)
  })
}

const candidatesIn = (place: CliPlace) =>
  rowsOfCsv(place.read('out.csv')).map((row) => [row['company_name'], row['enrich_candidates']])

function preparedPlace(names: readonly string[]) {
  const place = createPlace()
  place.write('companies.csv', `company_name\n${names.join('\n')}\n`)
  return place
}

test('killed again and again, the last run has kept the candidates of every doubtful row', async () => {
  const names = doubtfulNames()
  const args = ['companies.csv', '-o', 'out.csv', '--basis', 'none']
  const place = preparedPlace(names)
  for (let kill = 0; kill < killCount; kill++) {
    const running = place.start(args)
    // As soon as something is planned, then later and later: while it is asked, gathered, written.
    await running.sees(/to submit|answered before/)
    await new Promise((resolve) => setTimeout(resolve, 250 * kill))
    running.child.kill('SIGKILL')
    await running.ended
  }
  const last = await place.run(args)
  expect(last.code, last.stderr).toBe(0)
  expect(last.stderr).not.toContain('candidates')
  const whole = preparedPlace(names)
  await whole.run(args)
  expect(candidatesIn(place)).toEqual(candidatesIn(whole))
  expect(candidatesIn(whole).filter(([, list]) => list !== '').length).toBeGreaterThan(100)
  expect(place.namesIn('.enrich')).toEqual(whole.namesIn('.enrich'))
})

test('a review store that cannot be read stops a run before anything is asked, and says which file', async () => {
  const place = preparedPlace(['Microsft'])
  const args = ['companies.csv', '-o', 'out.csv']
  expect((await place.run(args)).code).toBe(0)
  place.write('.enrich/checkpoint.review.sqlite', 'not a database at all, and long enough to be looked at')
  const { code, stderr } = await place.run(args)
  expect(code).toBe(2)
  expect(stderr).toContain('REVIEW_STORE_INVALID')
  expect(stderr).toContain('checkpoint.review.sqlite')
})
