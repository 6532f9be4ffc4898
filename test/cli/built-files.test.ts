import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openRegistry, type WritableRegistry } from '../../src/registry/registry.js'
import { importShipped, getShippedStorePath } from '../../src/registry/read-registry.js'
import { version } from '../../src/platform/native-package.js'
import { mainPath } from '../support/cli.js'

const builtPath = fileURLToPath(
  new URL(`../../dist/registry/${basename(getShippedStorePath())}`, import.meta.url),
)

/** Every row of every table, but for when it was imported. */
function rowsOf({ database }: WritableRegistry): Record<string, unknown[]> {
  const tables = database
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
         AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`,
    )
    .all()
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      (database.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[])
        .map((row) => JSON.stringify({ ...row, imported_at: undefined }))
        .sort(),
    ]),
  )
}

test('the registry that the build made is what the file that ships gives', () => {
  const [built, imported] = [
    openRegistry(builtPath, { readonly: true }),
    importShipped(openRegistry(':memory:')),
  ]
  onTestFinished(() => {
    built.close()
    imported.close()
  })
  expect(built.edition()).toBe(imported.edition())
  const rows = rowsOf(built)
  expect(Object.values(rows).flat().length).toBeGreaterThan(4_000)
  expect(rows).toEqual(rowsOf(imported))
})

test('the command that the build made is run by its path, as npx runs it', () => {
  expect(execFileSync(mainPath, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`)
})
