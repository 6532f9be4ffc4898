import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getShippedEdition, readEdition } from '../../../src/registry/edition.js'
import { importRegister } from '../../../src/registry/load.js'
import { openRegistry } from '../../../src/registry/registry.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import { makeFolder } from '../../support/temporary-folder.js'

test('the edition of the shipped registry is told from its file as its import makes it', () => {
  const registry = openShippedRegistry()
  expect(getShippedEdition()).toBe(registry.edition())
  registry.close()
})

test('the edition of a registry is read as the registry tells it, and changes with its content', async () => {
  const folder = makeFolder()
  const path = join(folder, 'registry.sqlite')
  const editions: string[] = []
  for (const [name, row] of [
    ['one.csv', '1,Acme GmbH'],
    ['two.csv', '2,Bolt Ltd'],
  ] as const) {
    writeFileSync(join(folder, name), `id,name\n${row}\n`)
    await importRegister(path, { format: 'csv', path: join(folder, name), sourceName: name })
    const registry = openRegistry(path, { readonly: true })
    expect(await readEdition(path)).toBe(registry.edition())
    editions.push(registry.edition())
    registry.close()
  }
  expect(new Set(editions).size).toBe(2)
})

test('where there is no registry, none is made by asking for its edition', async () => {
  const path = join(tmpdir(), `enrich-no-registry-${process.pid}.sqlite`)
  await expect(readEdition(path)).rejects.toMatchObject({ code: 'REGISTRY_NOT_FOUND' })
  expect(existsSync(path)).toBe(false)
})

test('what is read at once is of one edition, though another process imports meanwhile', async () => {
  const folder = makeFolder()
  const path = join(folder, 'registry.sqlite')
  writeFileSync(join(folder, 'one.csv'), 'id,name\n1,Acme GmbH\n')
  await importRegister(path, { format: 'csv', path: join(folder, 'one.csv'), sourceName: 'one' })
  const importer = openRegistry(path)
  const registry = openRegistry(path, { readonly: true })
  const seen = registry.atOnce(() => {
    const before = registry.edition()
    importer.database.exec("UPDATE sources SET file_sha256 = 'of another file'")
    return { before, after: registry.edition(), within: registry.atOnce(() => registry.edition()) }
  })
  expect(seen.after).toBe(seen.before)
  expect(seen.within).toBe(seen.before)
  expect(registry.edition()).not.toBe(seen.before)
  registry.close()
  importer.close()
})
