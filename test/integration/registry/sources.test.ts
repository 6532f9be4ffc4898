import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadInto, planLoad, type ImportResult } from '../../../src/registry/load.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  getSource as openCatalog,
  listSources,
  openSource,
  parseSource,
  type RegisterSource,
} from '../../../src/registry/sources/source.js'
import { createMappedFormat } from '../../../src/registry/import/mapped-format.js'
import { systemClock } from '../../../src/platform/clock.js'
import { createGetPlace } from '../../support/get-registers.js'
import { leiOf } from '../../support/made-identifiers.js'
import { publishSample, servePublishers, textOf, type PublisherServer } from '../../support/publishers.js'
import { temporaryFolder } from '../../support/registry.js'
import { importContent, levelOne, levelOneCsv } from '../../support/register-files.js'
import { errorWith } from '../../support/error-with.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())

async function load(source: RegisterSource, countries: readonly string[] | null = null) {
  const place = createGetPlace(publishers)
  publishSample(publishers, source)
  const from = source.files.length > 0 ? [] : source.sample.map((file) => join(place.folder, file.file))
  if (from.length > 0)
    for (const file of source.sample) writeFileSync(join(place.folder, file.file), textOf(file))
  const outcomes = await place.get([source.id], { order: { from, countries } })
  return { path: place.registryPath, outcomes }
}

interface FirstRow {
  readonly legal_name: string
  readonly registration_authority: string | null
  readonly jurisdiction: string
  readonly value: string
}

const national = listSources().filter(
  ({ country, tables }) => country !== '*' && tables.every(({ reader }) => reader === undefined),
)

test.each(national.map((source) => [source.id, source] as const))(
  'With its own country, all companies of the register of %s are kept',
  async (_, source) => {
    const { outcomes: all } = await load(source)
    const { outcomes: kept } = await load(source, [source.country])
    expect(kept[0]?.result).toEqual(all[0]?.result)
  },
)

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
      const excerpts = answer.basis.flatMap(({ citations }) => citations.map(({ excerpt }) => excerpt ?? ''))
      const credit = `${source.id} (${source.publisher}, ${source.licence.name})`
      expect(excerpts.filter((excerpt) => excerpt.includes(credit)).length).toBeGreaterThan(0)
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

test('a single value is a list of one, everywhere', () => {
  const right = listSources().find(({ id }) => id === 'norway')!
  const filters = { text: 'a', match: 'b' }
  const lists = { keep: filters, drop: filters, empty: '-', optional: 'a', header: 'a' }
  const columns = { otherNames: 'a', formerNames: { name: 'a', ended: 'b' }, otherNumbers: { column: 'a' } }
  const wrap = <Value>(value: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, [one]]))
  const createSource = (isWrapped: boolean) => {
    const fields = { number: 'a', name: { first: isWrapped ? ['b'] : 'b' } }
    const one = isWrapped
      ? { ...wrap<unknown>(lists), columns: { ...fields, ...wrap<unknown>(columns) } }
      : { ...lists, columns: { ...fields, ...columns } }
    return { ...right, states: isWrapped ? ['x'] : 'x', tables: isWrapped ? [one] : one }
  }
  expect(parseSource(createSource(false), 'x')).toEqual(parseSource(createSource(true), 'x'))
})

describe('a description that is wrong says where', () => {
  const right = listSources().find(({ id }) => id === 'norway')!
  test.each([
    [{ ...right, country: 'Norway' }, 'country must be the code of a country, like GB'],
    [{ ...right, rowz: 3 }, 'it has the unknown member rowz'],
    [{ ...right, licence: { name: 'x' } }, 'licence.attribution is missing'],
    [{ ...right, licence: { name: 'x', attribution: 3 } }, 'licence.attribution must be of the type string'],
    [
      { ...right, tables: [{ columns: { number: 'a', name: 'b', otherNames: 3 } }] },
      'tables.0.columns.otherNames',
    ],
    [{ ...right, tables: [] }, 'tables must have a table'],
    [{ ...right, states: [3] }, 'states.0 must be of the type string'],
    [{ ...right, certainty: 'sure' }, 'certainty must be one of real rows, documented sample, description'],
    [{ ...right, tables: [{ columns: { number: 'a' } }] }, 'tables.0.columns has no name'],
    [
      { ...right, tables: [{ file: '(', columns: { number: 'a', name: 'b' } }] },
      'tables.0.file must be a regular expression',
    ],
    [
      { ...right, tables: [{ format: 'fixed', columns: { number: 'a', name: 'b' } }] },
      'tables.0 has no positions',
    ],
    [
      { ...right, tables: [{ format: 'xml', columns: { number: 'a', name: 'b' } }] },
      'tables.0 has no element',
    ],
    [{ ...right, tables: [{}] }, 'tables.0 has no columns'],
    [
      { ...right, tables: [{ columns: { number: 'a', name: { column: 'b', cases: [['(', 'x']] } } }] },
      /tables\.0\.columns\.name/,
    ],
    [
      { ...right, tables: [{ columns: { number: 'a', name: 'b', town: 'c' } }] },
      'tables.0.columns has the unknown member town',
    ],
    [
      { ...right, tables: [{ encoding: 'ebcdic', columns: { number: 'a', name: 'b' } }] },
      /tables\.0\.encoding must be one of/,
    ],
    [{ ...right, authority: '473' }, 'authority must be a code like RA000585'],
    [
      { ...right, files: [{ url: 'ftp://example.com/x' }] },
      'files.0.url must be an address that begins with https://',
    ],
  ])('%#', (value, reason) => {
    const text = typeof reason === 'string' ? `own.json is not a valid source: ${reason}` : reason
    expect(() => parseSource(value, 'own.json')).toThrow(text)
  })
})

test('a description with several faults tells all of them', () => {
  const { licence, page, ...right } = listSources().find(({ id }) => id === 'norway')!
  const wrong = { ...right, licence: { name: licence.name }, rows: 'many', files: [{ url: `ftp:${page}` }] }
  for (const part of [
    'page is missing',
    'licence.attribution is missing',
    'rows must be of the type number',
    'files.0.url must',
  ])
    expect(() => parseSource(wrong, 'own.json')).toThrow(part)
  const tables = [{ columns: { number: 'a' } }, { format: 'xml', columns: { number: 'a', name: 'b' } }]
  expect(() => parseSource({ ...right, licence, page, tables }, 'own.json')).toThrow(
    'tables.0.columns has no name; tables.1 has no element',
  )
})

describe('a source of your own, by its path', () => {
  const own = {
    ...listSources().find(({ id }) => id === 'norway')!,
    id: 'our-suppliers',
    name: 'Suppliers',
    publisher: 'Our purchasing',
    licence: { name: 'internal', attribution: 'none' },
    authority: undefined,
    record: undefined,
    sample: [],
    files: [],
  }

  /** Loads a file as a description says. Returns the names in the registry, and the outcome. */
  async function loadOwn(table: object, fileName: string, content: string | Buffer) {
    const place = createGetPlace(publishers)
    const path = join(place.folder, 'own.source.json')
    writeFileSync(path, JSON.stringify({ ...own, tables: [table] }))
    const from = join(place.folder, fileName)
    writeFileSync(from, content)
    const [outcome] = await place.get([path], { order: { from: [from] } })
    return { names: place.names(), result: outcome?.result }
  }

  test('a local file is named in it by its path or given with --from; it needs no size and no sample', async () => {
    const least = { ...own, sample: undefined, downloadMegabytes: undefined }
    const columns = { number: 'no', name: 'name' }
    for (const files of [undefined, [{ url: 'data/own.csv' }], [{ url: './data/own.csv' }]]) {
      const place = createGetPlace(publishers)
      const path = join(place.folder, 'own.source.json')
      const file = join(place.folder, 'data', 'own.csv')
      mkdirSync(join(place.folder, 'data'))
      writeFileSync(file, 'no,name\n7,TALQUELL AS\n')
      writeFileSync(path, JSON.stringify({ ...least, files, tables: [{ columns }] }))
      const services = { clock: systemClock }
      await place.get([path], { order: { from: files === undefined ? [file] : [] }, services })
      expect(place.names()).toEqual(['TALQUELL AS'])
      if (files === undefined) continue
      writeFileSync(file, 'no,name\n8,MIVOLAR AS\n')
      await place.get([path], { order: { isRefresh: true }, services })
      expect(place.names()).toEqual(['MIVOLAR AS'])
    }
  })

  test.each([
    ['Einzelunternehmen', 'unincorporated_entity'],
    ['Entreprise individuelle', 'unincorporated_entity'],
    ['enkeltpersonforetak', 'unincorporated_entity'],
    ['Verein', 'nonprofit_entity'],
    ['GmbH', 'incorporated_entity'],
  ])('a form in another table than the name, %s, tells the kind of body: %s', async (form, subtype) => {
    const names = { file: 'names.csv', columns: { number: 'no', name: 'name' } }
    const forms = { file: 'forms.csv', adds: true, columns: { number: 'no', form: 'form' } }
    for (const tables of [
      [names, forms],
      [forms, names],
    ]) {
      const place = createGetPlace(publishers)
      const path = join(place.folder, 'own.source.json')
      writeFileSync(path, JSON.stringify({ ...own, tables }))
      writeFileSync(join(place.folder, 'names.csv'), 'no,name\n7,Talquell Mivolar\n')
      writeFileSync(join(place.folder, 'forms.csv'), `no,form\n7,${form}\n`)
      const from = tables.map(({ file }) => join(place.folder, file))
      await place.get([path], { order: { from } })
      const registry = openRegistry(place.registryPath)
      try {
        const [found] = registry.database.prepare('SELECT subtype FROM legal_entities').all()
        expect(found).toEqual({ subtype })
      } finally {
        registry.close()
      }
    }
  })

  const positions = { number: [1, 9], name: [10, 20], town: [30, 10], state: [40, 1] }
  const fixed = {
    format: 'fixed',
    positions,
    drop: [{ text: 'state', match: 'X' }],
    columns: { number: 'number', name: 'name', city: 'town' },
  }
  const line = (number: string, name: string, town: string, state = 'A') =>
    `${number.padEnd(9)}${name.padEnd(20)}${town.padEnd(10)}${state}`

  test('lines of fixed width are cut at their columns; short, empty and dropped lines are no error', async () => {
    const lines = [
      line('923609016', 'TALQUELL ÆRLIG AS', 'OSLO'),
      line('982463718', 'NORDLICHT AS', 'BERGEN', 'X'),
      '',
      '974760673MIVOLAR AS',
      '         NAME WITHOUT NUMBER',
    ]
    for (const [encoding, content] of [
      ['utf-8', lines.join('\r\n')],
      ['iso-8859-1', Buffer.from(lines.join('\n'), 'latin1')],
    ] as const) {
      const { names, result } = await loadOwn({ ...fixed, encoding }, 'own.txt', content)
      expect(names).toEqual(['MIVOLAR AS', 'TALQUELL ÆRLIG AS'])
      expect(result).toMatchObject({ rowCount: 4, importedCount: 2, skippedCount: 1, rejectedCount: 1 })
      expect(result?.rejections).toEqual([{ line: 5, reason: 'it has no number' }])
    }
  })

  test('lines of JSON are read by paths; a line that is no object is rejected with its number', async () => {
    const table = {
      format: 'json-lines',
      columns: {
        number: 'id.value',
        name: 'names[current=yes].text',
        otherNames: ['names[current!=yes].text'],
      },
    }
    const lines = [
      { id: { value: '923609016' }, names: [{ text: 'OLD AS' }, { text: 'TALQUELL AS', current: 'yes' }] },
      { id: { value: 982463718 }, names: [{ text: 'NORDLICHT AS', current: 'yes' }] },
      { names: [{ text: 'NO NUMBER AS', current: 'yes' }] },
    ].map((value) => JSON.stringify(value))
    const content = [...lines, '[1]', '{"id":', ''].join('\n')
    const { names, result } = await loadOwn(table, 'own.jsonl', content)
    expect(names).toEqual(['NORDLICHT AS', 'TALQUELL AS'])
    expect(result?.rejections).toEqual([
      { line: 3, reason: 'it has no number' },
      { line: 4, reason: 'it has no number' },
      { line: 5, reason: 'it is not an object of JSON' },
    ])
  })

  test('a column that the file lacks is named, and nothing is loaded', async () => {
    const table = { columns: { number: 'No', name: 'Supplier', city: 'Town' } }
    await expect(loadOwn(table, 'own.csv', 'No,Supplier\n923609016,TALQUELL AS\n')).rejects.toMatchObject(
      errorWith('REGISTER_CHANGED', {
        message: 'it has no column Town',
        hint: 'own.source.json and get it again',
      }),
    )
  })

  test('a mapping that finds no number in any row is refused, with the first reason', async () => {
    const table = { columns: { number: { column: 'No', match: '^ID-(\\d+)$' }, name: 'Supplier' } }
    await expect(loadOwn(table, 'own.csv', 'No,Supplier\n923609016,TALQUELL AS\n')).rejects.toMatchObject(
      errorWith('REGISTER_CHANGED', { message: 'none of the file' }),
    )
  })
})

test('every table of the catalogue with dates states their order', () => {
  const tables = listSources().flatMap((source) => source.tables)
  const unstated = tables.filter(
    ({ columns = {}, dates }) => dates === undefined && ('formedOn' in columns || 'endedOn' in columns),
  )
  expect(unstated).toEqual([])
})

test.each([
  ['PH', ['01/11/1978', '08/21/1913'], ['1913-08-21', '1978-01-11']],
  ['GB', ['01/11/1978', '08/21/1913'], ['1913-08-21', '1978-01-11']],
  ['PH', ['01/11/1978'], ['1978-01-11']],
  ['GB', ['01/11/1978'], ['1978-11-01']],
])(
  'a source without an order of dates has that of its file, else of its country: %s %j',
  async (country, texts, days) => {
    const table = { ...openCatalog('us-iowa').tables[0]!, dates: undefined }
    const source = { ...openCatalog('us-iowa'), country, jurisdiction: undefined, tables: [table] }
    const path = join(temporaryFolder(), 'rows.csv')
    const cells = ['legal_name', 'corporation_type', 'ho_address_1', 'ho_city', 'ho_state', 'ho_zip'].join(
      ',',
    )
    writeFileSync(
      path,
      [`corp_number,effective_date,${cells}`, ...texts.map((text, at) => `${at},${text},A,,,,,`)].join('\n'),
    )
    const notices: string[] = []
    const found: (string | null | undefined)[] = []
    for await (const piece of createMappedFormat(source).read(path, {
      onNotice: (text) => void notices.push(text),
    }))
      for (const item of piece) if (item.kind === 'registration') found.push(item.read.row?.formedOn)
    expect(found.sort()).toEqual(days)
    expect(notices.length).toBe(texts.length === 1 ? 1 : 0)
  },
)
