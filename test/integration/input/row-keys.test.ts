import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ingest, type IngestDeps } from '../../../src/pipeline/input/ingest.js'
import { openInput } from '../../../src/pipeline/input/input.js'
import { RowSpool } from '../../../src/pipeline/output/write-format.js'
import { queryDuckDb } from '../../support/tables.js'
import { makeFolder } from '../../support/temporary-folder.js'

const folder = makeFolder()

const columns = { name: 'name', location: ['city'], context: [], identifiers: {} }

interface Read {
  readonly file: string
  readonly rowKeyColumn?: string
  readonly groupColumn?: string
  readonly spools?: boolean
}

/** What the rows ask, their keys and their groups. */
async function read({ file, spools = false, ...besides }: Read) {
  const input = await openInput({ paths: [join(folder, file)], spoolFolder: folder })
  const asked: string[] = []
  const place: IngestDeps['place'] = (lookups) => {
    const first = asked.length
    asked.push(...lookups.map(({ lookup }) => `${lookup.name}@${lookup.location ?? ''}`))
    return Promise.resolve(lookups.map((_, at) => first + at + 1))
  }
  const spool = spools ? new RowSpool(join(folder, 'out.parquet'), folder) : null
  try {
    const { index, rowKeys, groups, identifierCounts } = await ingest({
      input,
      place,
      spool,
      ...besides,
      rule: { columns, identifierUse: 'context', readsNames: false },
      dedupe: true,
      earlier: null,
      signal: new AbortController().signal,
    })
    const keys = rowKeys?.read(0, index.rowCount) ?? null
    rowKeys?.close()
    const groupOfRows =
      groups && Array.from({ length: index.rowCount }, (_, row) => groups.values[groups.getGroup(row)])
    const doubts = [...input.listDoubts(), ...identifierCounts.listDoubts()]
    return { asked, keys, groups: groupOfRows, values: groups?.values ?? null, doubts }
  } finally {
    await spool?.remove()
    await input.close()
  }
}

const rows = [
  { id: '007', name: 'Acme', city: 'Rome', segment: 'a' },
  { id: '8', name: 'Beta', city: 'Oslo', segment: ' b ' },
  { id: ' 8', name: 'Acme', city: 'Rome', segment: '' },
]
const csv = (list: readonly Record<string, string>[]): string =>
  [Object.keys(list[0] ?? {}), ...list.map((row) => Object.values(row))]
    .map((row) => row.join(','))
    .join('\n')
writeFileSync(join(folder, 'rows.csv'), csv(rows))
writeFileSync(join(folder, 'rows.ndjson'), rows.map((row) => JSON.stringify(row)).join('\n'))
await queryDuckDb(
  `COPY (SELECT * FROM read_csv('${join(folder, 'rows.csv')}', all_varchar = true)) TO '${join(folder, 'rows.parquet')}'`,
)

describe('keys of rows', () => {
  it.each([
    ['rows.csv', false],
    ['rows.csv', true],
    ['rows.ndjson', false],
    ['rows.ndjson', true],
    ['rows.parquet', false],
  ])('are stored with the lookups of rows, unchanged: %s, waiting %s', async (file, spools) => {
    const found = await read({ file, spools, rowKeyColumn: 'id', groupColumn: 'segment' })
    // Rows that ask the same are placed once; each has its own key.
    expect(found.asked).toEqual(['Acme@Rome', 'Beta@Oslo'])
    expect(found.keys).toEqual(['007', '8', ' 8'])
    expect(found.groups).toEqual(['a', 'b', ''])
  })

  it('may be a column that is asked', async () => {
    writeFileSync(join(folder, 'named.csv'), 'name,city\nAcme,Rome\nBeta,Oslo\n')
    const found = await read({ file: 'named.csv', rowKeyColumn: 'name', groupColumn: 'name' })
    expect(found).toMatchObject({
      asked: ['Acme@Rome', 'Beta@Oslo'],
      keys: ['Acme', 'Beta'],
      groups: ['Acme', 'Beta'],
    })
  })

  it('are not read where there is no column of them', async () => {
    expect(await read({ file: 'rows.csv' })).toMatchObject({ keys: null, groups: null })
  })

  it('that occur twice are an error that names both rows, also far apart', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ id: `k${at}`, name: `n${at}`, city: 'Rome' }))
    writeFileSync(join(folder, 'twice.csv'), csv([...many, { id: 'k6', name: 'x', city: 'y' }]))
    await expect(read({ file: 'twice.csv', rowKeyColumn: 'id' })).rejects.toMatchObject({
      code: 'ROW_KEY_DUPLICATE',
      message: 'rows 7 and 20001 both have the key "k6" in the column "id"',
    })
  })

  it('that are empty are an error that names the row', async () => {
    writeFileSync(join(folder, 'empty.csv'), 'id,name,city\n1,Acme,b\n" ",Beta,d\n')
    await expect(read({ file: 'empty.csv', rowKeyColumn: 'id' })).rejects.toMatchObject({
      code: 'ROW_KEY_MISSING',
      message: 'row 2 has no key in the column "id"',
    })
  })

  it('are not needed by totals, placeholders and empty rows, which keep their place', async () => {
    const ends = [
      'Total,',
      'Summe: 24,',
      'Итого,',
      'Samtals,',
      'SAMTALS: 1.250,',
      'மொத்தம்,',
      'Gjithsej: 12,',
      '合計,',
      'Petty Cash,Rome',
      'Сальдо начальное,',
      'n/a,',
      ',',
    ]
    for (const spools of [false, true]) {
      const lines = [
        'id,name,city',
        ',Opening Balance,',
        '1,Acme,b',
        '(no key 2),Beta,d',
        ...ends.map((end) => ` ,${end}`),
      ]
      writeFileSync(join(folder, 'ledger.csv'), [...lines, '9,Gamma,f'].join('\n'))
      const found = await read({ file: 'ledger.csv', rowKeyColumn: 'id', spools })
      expect(found.asked).toEqual(['Acme@b', 'Beta@d', 'Gamma@f'])
      const keyless = ends.map((_, at) => `(no key ${at + 3})`)
      expect(found.keys).toEqual(['(no key 1)', '1', '(no key 2)', ...keyless, '9'])
    }
  })

  it('are needed by companies behind totals', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `k${at},name ${at},Rome`)
    writeFileSync(
      join(folder, 'late.csv'),
      ['id,name,city', ',Total,', ...many, ',Acme,d', ',Beta,f'].join('\n'),
    )
    await expect(read({ file: 'late.csv', rowKeyColumn: 'id' })).rejects.toMatchObject({
      code: 'ROW_KEY_MISSING',
      message: 'row 20002 has no key in the column "id"',
    })
  })

  it('of a row that asks for nothing stand too', async () => {
    writeFileSync(join(folder, 'nameless.csv'), 'id,name,city\n1,a,b\n2,,\n3,c,d\n')
    expect((await read({ file: 'nameless.csv', rowKeyColumn: 'id' })).keys).toEqual(['1', '2', '3'])
  })
})

it('Groups of rows beyond a thousand are counted as one group', async () => {
  const many = Array.from({ length: 1_200 }, (_, at) => ({ id: `${at}`, name: `n${at}`, city: 'c' }))
  writeFileSync(join(folder, 'groups.csv'), csv(many))
  const { values, groups } = await read({ file: 'groups.csv', groupColumn: 'id' })
  expect(values).toHaveLength(1_001)
  expect([groups?.[999], groups?.[1_000], groups?.[1_199]]).toEqual(['999', '(other)', '(other)'])
})

describe('rows that are no companies', () => {
  const list = 'Larkmoor AG,Bern\nNorvane GmbH,Wien\nVelsor SARL,Lyon\nBrimholt Ltd,Leeds\n'
  it.each([
    ['Kunde,Stadt\n' + list, /row 1 seems to be a second header.*"Kunde, Stadt"/],
    ['Firma,Ville\n' + list, /row 1 seems to be a second header/],
    ['text,text\n' + list, /to describe the columns: "text, text"/],
    ['String,ISO 3166\n' + list, /to describe the columns/],
    ['文字列,文字列\n' + list, /to describe the columns/],
    ['city,\ncountry,\n', /a column, not a row, for each company/],
    ['Ort,Bern\nLand,CH\nPLZ,3000\n', /a column, not a row, for each company/],
    [
      `Germany,\n${list}Österreich,\n${list}`,
      /2 rows have only a place \(row 1: "Germany", row 6: "Österreich"\)/,
    ],
    [`Bern,\n${list}LEEDS,\n${list}`, /only a place/],
    [`${list}Source: export of the CRM,\n`, /a footer/],
    [`${list},\nWith best regards J. Doe,\n`, /row 6: "With best regards J. Doe".*a footer/],
    // Rows that are not looked up do not count.
    [
      `Bern,\n${list}Sub-total,\nPage 1 of 2,\nname,city\nLEEDS,\nNorvane GmbH,Wien\nSub-total,\nPrepared by: J. Doe,\nNoted by: A. Roe,\nNothing follows,\n`,
      /2 rows have only a place \(row 1: "Bern", row 9: "LEEDS"\)/,
    ],
  ])('are a doubt before anything is billed: %j', async (text, doubt) => {
    writeFileSync(join(folder, 'shape.csv'), `name,city\n${text}`)
    expect((await read({ file: 'shape.csv' })).doubts.join('; ')).toMatch(doubt)
  })

  it.each([
    [list],
    [`${list}Quillard SA,\n`],
    [`Quillard SA,\n${list}Ostrelle BV,\nTamsin plc,\n`],
    // These rows are not looked up, which is told.
    [`${list}-- end of report --,\n`],
    [`${list}Total: 4,\n`],
    [`${list},\nPrepared by J. Doe,\n`],
    [`name,city\n${list}`],
    // A company may have the name of a town.
    [`Nice,\n${list}`],
    [`Name,\n${list}`],
    [`Quillard SA,\nSource: Wines Ltd,\n${list}Ostrelle BV,\n`],
    ['Name,\nText,\nLarkmoor,\n'],
    [`${list}${'Larkmoor AG,Bern\nGermany Trade GmbH,\n'.repeat(2)}`],
  ])('are not seen in an ordinary list: %j', async (text) => {
    writeFileSync(join(folder, 'shape.csv'), `name,city\n${text}`)
    expect((await read({ file: 'shape.csv' })).doubts).toEqual([])
  })

  it('are not seen in generated lists, with any cells left out', async () => {
    const words = [
      'Larkmoor',
      'Norvane',
      'Velsor',
      'Brimholt',
      'Quillard',
      'Ostrelle',
      'Tamsin',
      'Ünsal',
      '北極星',
      'Оливия',
    ]
    const forms = ['AG', 'GmbH', 'SARL', 'Ltd', 'Inc.', 'S.A.', '株式会社', '']
    const towns = ['Bern', 'Wien', 'Lyon', 'Leeds', 'Oslo', 'Kyoto', '']
    for (let seed = 1; seed <= 60; seed++) {
      const pick = (from: readonly string[], at: number) =>
        from[(seed * 7919 + at * 104_729 + ((seed * at) % 13)) % from.length]!
      const lines = Array.from({ length: 2 + (seed % 30) }, (_, at) => {
        return `${pick(words, at)} ${pick(words, at * 3 + 1)} ${pick(forms, at)},${pick(towns, at * 5 + 2)}`
      })
      writeFileSync(join(folder, 'shape.csv'), `name,city\n${lines.join('\n')}\n`)
      expect((await read({ file: 'shape.csv' })).doubts, lines.join('\n')).toEqual([])
    }
  })

  it('a file that is named twice, or also by a link, is a doubt', async () => {
    writeFileSync(join(folder, 'once.csv'), `name,city\n${list}`)
    symlinkSync(join(folder, 'once.csv'), join(folder, 'symbolic.csv'))
    linkSync(join(folder, 'once.csv'), join(folder, 'hard.csv'))
    writeFileSync(join(folder, 'equal.csv'), `name,city\n${list}`)
    const listDoubts = async (...names: readonly string[]) => {
      const input = await openInput({ paths: names.map((name) => join(folder, name)), spoolFolder: folder })
      await input.close()
      return input.listDoubts()
    }
    expect(await listDoubts('once.csv', 'symbolic.csv', 'hard.csv', 'once.csv')).toEqual([
      expect.stringMatching(/symbolic.csv is the same file as .*once.csv: each of its rows is read twice/),
      expect.stringMatching(/hard.csv is the same file as .*once.csv/),
      expect.stringMatching(/once.csv is named twice/),
    ])
    expect(await listDoubts('once.csv', 'equal.csv')).toEqual([])
  })
})
