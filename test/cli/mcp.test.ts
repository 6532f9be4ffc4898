import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAssistant } from '../support/assistant.js'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'

function createWithCompanies(): CliPlace {
  const place = createPlace()
  place.write('companies.csv', readFileSync(fixture('companies.csv')))
  return place
}

/** All files with their hashes. SQLite creates empty files next to a database that it reads. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/-(?:wal|shm)$/.test(name) && statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
    .sort()

test('without --allow-run an assistant can only read, and nothing in the folder changes', async () => {
  const place = createWithCompanies()
  await place.run(['companies.csv', '-o', 'out.csv'])
  await place.run(['companies.csv', '-o', 'out.csv'])
  const assistant = await startAssistant(place)
  const { tools } = await assistant.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    'inspect_file plan status doubtful_rows diff search_registry'.split(' '),
  )
  const before = listFiles(place.folder)
  const files = ['companies.csv']
  expect(await assistant.call('inspect_file', { file: 'companies.csv' })).toMatchObject({
    detected: { name: 'company_name', location: ['city', 'state', 'country'] },
    columns: expect.arrayContaining([{ column: 'company_name', cells: expect.arrayContaining(['Apple']) }]),
  })
  expect(await assistant.call('plan', { files })).toMatchObject({ type: 'plan', lookupCount: 178 })
  expect(await assistant.call('status')).toMatchObject({ type: 'status', server: { allowsRun: false } })
  expect(await assistant.call('doubtful_rows', { files, count: 2 })).toMatchObject({
    openCount: 42,
    rows: [
      { name: 'Apple', status: 'inconclusive', candidates: [expect.anything(), expect.anything()] },
      expect.anything(),
    ],
  })
  expect(await assistant.call('diff')).toMatchObject({ type: 'diff', older: 1, newer: 2, changes: [] })
  expect(await assistant.call('search_registry', { name: 'Apple', country: 'us' })).toMatchObject({
    hits: [{ legalName: 'Apple Inc.' }],
  })
  expect(listFiles(place.folder)).toEqual(before)
  for (const name of ['run', 'decide'])
    await expect(assistant.call(name, { files, max_lookups: 1 })).rejects.toThrow(/not found/)
  expect(await assistant.call('plan', { files: ['../companies.csv'] })).toMatchObject({
    code: 'PATH_OUTSIDE_ROOT',
  })
})
