import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadInto, planLoad, type ImportResult } from '../../../src/registry/load.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  listSources,
  openSource,
  parseSource,
  type RegisterSource,
} from '../../../src/registry/sources/source.js'
import { createGetPlace } from '../../support/get-registers.js'
import { leiOf } from '../../support/made-identifiers.js'
import { publishSample, servePublishers, textOf, type PublisherServer } from '../../support/publishers.js'
import { temporaryFolder } from '../../support/registry.js'
import { importContent, levelOne, levelOneCsv } from '../../support/register-files.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())

async function load(source: RegisterSource) {
  const place = createGetPlace(publishers)
  publishSample(publishers, source)
  const from = source.files.length > 0 ? [] : source.sample.map((file) => join(place.folder, file.file))
  if (from.length > 0)
    for (const file of source.sample) writeFileSync(join(place.folder, file.file), textOf(file))
  const outcomes = await place.get([source.id], { order: { from } })
  return { path: place.registryPath, outcomes }
}

interface FirstRow {
  readonly legal_name: string
  readonly registration_authority: string | null
  readonly jurisdiction: string
  readonly value: string
}

describe.each(listSources().map((source) => [source.id, source] as const))('%s', (_, source) => {
  test('its sample loads; a company is found by its number, and is one with its LEI record', async () => {
    const { path, outcomes } = await load(source)
    const [outcome] = outcomes
    // The first row of the file of Taiwan is its date.
    expect(outcome?.result?.rejectedCount).toBe(source.id === 'taiwan' ? 1 : 0)
    expect(outcome?.result?.drops).toEqual([])
    expect(outcome?.result?.importedCount).toBeGreaterThan(0)
    const registry = openRegistry(path)
    try {
      const type = source.id.startsWith('sec') ? 'cik' : 'registration_id'
      const found = registry.database
        .prepare<[string], FirstRow>(
          `SELECT l.legal_name, l.registration_authority, i.jurisdiction, i.value FROM legal_entities l
           JOIN identifiers i ON i.legal_entity_number = l.number WHERE i.type = ? ORDER BY l.number, i.position LIMIT 1`,
        )
        .get(type)
      if (found === undefined) throw new Error('the sample has no number')
      const place = found.jurisdiction.toUpperCase().replace('_', '-')
      const name = type === 'cik' ? `CIK ${found.value}` : `company number ${place} ${found.value}`
      const answer = registry.resolve({ name, location: null, context: null })
      expect(answer).toMatchObject({
        status: 'matched',
        entity: { legal_name: found.legal_name },
      })
      if (source.id === 'gleif') return
      const before = registry.info().entityCount
      const record = {
        ...levelOne.ball,
        LEI: leiOf(4_711),
        'Entity.LegalName': found.legal_name,
        'Entity.RegistrationAuthority.RegistrationAuthorityID':
          type === 'cik' ? 'RA000665' : (found.registration_authority ?? ''),
        'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': found.value,
        'Entity.LegalJurisdiction': place === '' ? 'US' : place,
      }
      await importContent(registry, 'gleif', levelOneCsv([record]), { sourceName: 'leis' })
      expect(registry.info().entityCount).toBe(before)
    } finally {
      registry.close()
    }
  })
})

const headed = listSources().filter(({ tables }) =>
  tables.every(
    ({ header, format, reader }) => header === undefined && reader === undefined && !/xml|fixed/.test(format),
  ),
)
test.each(headed.map((source) => [source.id, source] as const))(
  'registry load recognizes the files of %s by their columns, and loads them like registry get',
  async (id, source) => {
    const { path, outcomes } = await load(source)
    const folder = temporaryFolder()
    const files = source.sample.map((file) => join(folder, file.file))
    for (const [at, file] of source.sample.entries()) writeFileSync(files[at] ?? '', textOf(file))
    const plan = await planLoad([folder])
    expect(plan.leftOut).toEqual([])
    const isOwnFormat = id === 'companies-house'
    expect(plan.steps.map((step) => step.source)).toEqual([isOwnFormat ? null : id])
    const loadedPath = join(folder, 'registry.sqlite')
    const [loaded] = await loadInto(loadedPath, plan, {})
    const counts = ({ importedCount, skippedCount, rejectedCount }: ImportResult) => [
      importedCount,
      skippedCount,
      rejectedCount,
    ]
    expect(counts(loaded!.result!)).toEqual(counts(outcomes[0]!.result!))
    expect(listNames(loadedPath)).toEqual(listNames(path))
  },
)

function listNames(path: string): string[] {
  const registry = openRegistry(path, { readonly: true })
  try {
    return registry.database
      .prepare<[], string>('SELECT legal_name FROM legal_entities ORDER BY 1')
      .pluck()
      .all()
  } finally {
    registry.close()
  }
}

test('rows of persons and of sites are left out, and every row of a company is read', async () => {
  const { outcomes } = await load(listSources().find(({ id }) => id === 'france')!)
  expect(outcomes[0]?.result).toMatchObject({
    rowCount: 6,
    skippedCount: 2,
    importedCount: 2,
    waitingCount: 0,
  })
})

test.each([
  ['missing.json', null, 'it does not exist (ENOENT)'],
  ['.json', 'folder', 'it is a folder (EISDIR)'],
  ['broken.json', '{', 'it is not JSON'],
  ['page.json', '<html><b>Login</b></html>', 'it is not JSON'],
])('a file that cannot be read as a description is told in our words: %s', async (name, content, reason) => {
  const { folder } = createGetPlace(publishers)
  const path = content === 'folder' ? join(folder, 'of.json') : join(folder, name)
  if (content === 'folder') mkdirSync(path)
  else if (content !== null) writeFileSync(path, content)
  await expect(openSource(path)).rejects.toMatchObject({
    code: 'REGISTER_SOURCE_INVALID',
    message: `the source ${path} cannot be read: ${reason}`,
  })
})

describe('a description that is wrong says where', () => {
  const right = listSources().find(({ id }) => id === 'norway')!
  test.each([
    [{ ...right, country: 'Norway' }, 'country must be the code of a country, like GB'],
    [{ ...right, rowz: 3 }, 'it has the unknown member rowz'],
    [{ ...right, licence: { name: 'x' } }, 'licence.attribution is missing, or is not of the type string'],
    [{ ...right, certainty: 'sure' }, 'certainty must be one of real rows, documented sample, description'],
    [{ ...right, tables: [{ columns: { number: 'a' } }] }, 'tables.0.columns has no name'],
    [
      { ...right, tables: [{ file: '(', columns: { number: 'a', name: 'b' } }] },
      'tables.0.file must be a regular expression',
    ],
    [
      { ...right, files: [{ url: 'ftp://example.com/x' }] },
      'files.0.url must be an address that begins with https://',
    ],
  ])('%#', (value, reason) => {
    expect(() => parseSource(value, 'own.json')).toThrow(`own.json is not a valid source: ${reason}`)
  })
})
