import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importFile } from '../../../src/registry/import/import-file.js'
import type { FormatName } from '../../../src/registry/import/formats.js'
import { openRegistry } from '../../../src/registry/registry.js'
import { startChild } from '../../support/child-process.js'
import { companyData, registrationsOf, tickersJson } from '../../support/register-files.js'
import { temporaryFolder } from '../../support/registry.js'

const importChild = new URL('../../support/import-child.ts', import.meta.url).href
const rowCount = 6_000

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

describe('an import of a newer file that is killed', () => {
  it.each(cases)('leaves what was held, and done again gives the newer: %s', async (format, contentOf) => {
    const folder = temporaryFolder()
    const path = join(folder, 'registry.sqlite')
    const held = openRegistry(path)
    const older = join(folder, 'older')
    writeFileSync(older, contentOf(''))
    await importFile(held, { format, path: older })
    const [before, edition] = [registrationsOf(held), held.info().edition]
    held.close()
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
    const whole = openRegistry(':memory:')
    await importFile(whole, { format, path: older })
    await importFile(whole, { format, path: newer })
    expect(registrationsOf(registry)).toEqual(registrationsOf(whole))
    registry.close()
  })
})
