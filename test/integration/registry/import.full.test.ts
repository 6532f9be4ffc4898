import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importCsv } from '../../../src/registry/import/import-csv.js'
import { importFile, type FormatName } from '../../../src/registry/import/file-formats.js'
import { openRegistry } from '../../../src/registry/registry.js'
import { startChild } from '../../support/child-process.js'
import { companyData, importContent, registrationsOf, tickersJson } from '../../support/register-files.js'
import { temporaryFolder, writeRows } from '../../support/registry.js'

const importChild = new URL('../../support/import-child.ts', import.meta.url).href
const rowCount = 4_000

const companies = (suffix: string) =>
  companyData(
    Array.from({ length: rowCount }, (_, index) => ({
      CompanyName: `COMPANY ${index}${suffix} LIMITED`,
      CompanyNumber: String(index + 1).padStart(8, '0'),
      CompanyStatus: 'Active',
    })),
  )
const shares = (suffix: string) =>
  tickersJson(
    Array.from({ length: rowCount }, (_, index) => [
      index + 1,
      `Company ${index}${suffix} Inc`,
      `T${index}`,
      'NYSE',
    ]),
  )

const cases: [FormatName, (suffix: string) => string][] = [
  ['companies-house', companies],
  ['sec-tickers', shares],
]

it.each(cases)(
  'A killed import leaves the old edition, and the next import gives the new one: %s',
  async (format, contentOf) => {
    const folder = temporaryFolder()
    const path = join(folder, 'registry.sqlite')
    const held = openRegistry(path)
    const older = join(folder, 'older')
    writeFileSync(older, contentOf(''))
    await importFile(held, { format, path: older })
    const [before, edition] = [registrationsOf(held), held.info().edition]
    held.close()
    const alivePath = join(folder, 'alive.sqlite')
    copyFileSync(path, alivePath)
    const newer = join(folder, 'newer')
    writeFileSync(newer, contentOf(' NEW'))

    const child = startChild(importChild, path, format, newer)
    expect(Number(await child.nextLine())).toBeGreaterThan(0)
    await child.kill()

    const registry = openRegistry(path)
    expect(registry.info().edition).toBe(edition)
    expect(registrationsOf(registry)).toEqual(before)
    expect(await importFile(registry, { format, path: newer })).toMatchObject({
      importedCount: 0,
      updatedCount: rowCount,
      vanishedCount: 0,
    })
    const whole = openRegistry(alivePath)
    await importFile(whole, { format, path: newer })
    expect(registrationsOf(registry)).toEqual(registrationsOf(whole))
    whole.close()
    registry.close()
  },
)

it('an import that was killed leaves nothing, and done again gives what one import gives', async () => {
  const folder = temporaryFolder()
  const rows = Array.from({ length: 12_000 }, (_, index) => ({
    id: `n${index}`,
    name: `Company ${index} of Many Ltd`,
  }))
  const path = writeRows(folder, rows)
  const killedPath = join(folder, 'killed.sqlite')
  const child = startChild(importChild, killedPath, 'csv', path)
  expect(Number(await child.nextLine())).toBeGreaterThan(0)
  await child.kill()

  const killed = openRegistry(killedPath)
  expect(killed.info()).toMatchObject({ entityCount: 0, sources: [] })
  await importCsv(killed, { path })
  const whole = openRegistry(':memory:')
  await importCsv(whole, { path })
  expect(killed.info().edition).toBe(whole.info().edition)
  const dump =
    'SELECT l.id, e.id AS entity, n.kind, n.name, n.core_key FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number JOIN entities e ON e.number = l.entity_number ORDER BY n.number'
  expect(killed.database.prepare(dump).all()).toEqual(whole.database.prepare(dump).all())
  killed.close()
})

it('a row that repeats late counts as one that repeats early', async () => {
  const folder = temporaryFolder()
  // The first 100,000 ids are compared at once.
  const rows = Array.from({ length: 100_010 }, (_, index) => ({
    id: `n${index}`,
    name: `Company ${index} Ltd`,
  }))
  const again = { id: 'n100005', name: 'Renamed Ltd' }
  const late = await importCsv(openRegistry(':memory:'), { path: writeRows(folder, [...rows, again]) })
  const early = await importCsv(openRegistry(':memory:'), {
    path: writeRows(folder, [...rows.slice(0, 999), { ...again, id: 'n1' }]),
  })
  const merged = { updatedCount: 1, togetherCount: 1, rejectedCount: 0 }
  expect(late).toMatchObject({ ...merged, importedCount: 100_010 })
  expect(early).toMatchObject({ ...merged, importedCount: 999 })
})

it('an unclosed quote costs its line alone, however much follows', async () => {
  const text = `id,name\n1,Good Ltd\n2,"never closed\n${`x,${'y'.repeat(99)}\n`.repeat(11_000)}z,Last Ltd\n`
  const result = await importContent(openRegistry(':memory:'), 'csv', text, { fileName: 'rows.csv' })
  expect(result).toMatchObject({ rowCount: 11_003, importedCount: 3, rejectedCount: 1 })
  expect(result.rejections).toEqual([
    { line: 3, reason: expect.stringMatching(/a quote is never closed/) as string },
  ])
})
