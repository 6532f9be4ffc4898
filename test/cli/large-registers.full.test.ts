import { createHash } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { importRegister } from '../../src/registry/load.js'
import { openRegistry } from '../../src/registry/registry.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { createSeededFractions } from '../../src/platform/clock.js'

// A register above 8 MB is read by a thread. The importer of the source code never starts one. Most of the bytes are in a
// column that no import reads: names take the time.

const header =
  'id,name,other_names,former_names,status,street_address,city,region,postal_code,country,lei,sic,remark'
const rowCount = 4_500
const remark = 'x'.repeat(2_000)
const words = [
  'Nordwind',
  'Müller',
  'Ромашка',
  '東京電機',
  'O’Brien',
  'Ægir',
  'Sociedad',
  'Übersee',
  'Zorvex',
  'Żubr',
]
const forms = ['GmbH', 'Ltd', 'S.A.', 'ООО', '株式会社', 'Sp. z o.o.', 'LLC', '']

/** Rows with several names, quotes, wrong values and no name, in no order. */
function createRows(seed: number): string[] {
  const chance = createSeededFractions(seed)
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(chance() * values.length)]!
  return Array.from({ length: rowCount }, (_, at) => {
    const name = () => `${pick(words)} ${pick(words)} ${Math.floor(chance() * rowCount)} ${pick(forms)}`
    const cells = [
      chance() < 0.002 ? '' : `${at}`,
      chance() < 0.025 ? '' : name(),
      chance() < 0.2 ? `"${name()};${name()}"` : '',
      chance() < 0.1 ? name() : '',
      pick(['active', 'dissolved', 'In Liquidation', '']),
      `"${Math.floor(chance() * 300)} ""Old"" Mill Road, Building ${at}"`,
      pick(['Köln', 'New York', 'São Paulo', 'Αθήνα', '']),
      pick(['NY', 'BY', '']),
      pick(['10115', 'SW1A 1AA', '00-950', '']),
      pick(['DE', 'US', 'Greece', 'Atlantis', '']),
      chance() < 0.05 ? 'not an LEI' : '',
      pick(['7372', '0000', 'x', '']),
      remark,
    ]
    return cells.join(',')
  })
}

function writeRows(place: CliPlace, rows: readonly string[]): string {
  place.write('register.csv', [header, ...rows, ''].join('\n'))
  return place.path('register.csv')
}

const writeRegister = (place: CliPlace, seed: number): string => writeRows(place, createRows(seed))

/** A digest of each table, without the instants of the import. */
function readTables(path: string): Record<string, string> {
  const registry = openRegistry(path, { readonly: true })
  try {
    const list = (sql: string) => registry.database.prepare(sql).raw().all()
    const tables = list(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'",
    ).flat()
    return Object.fromEntries(
      tables.map((table) => {
        const omitted = ['imported_at', 'file_name']
        const columns = list(`SELECT name FROM pragma_table_info('${String(table)}')`)
          .flat()
          .map(String)
        const kept = columns.filter((column) => !omitted.includes(column)).map((column) => `"${column}"`)
        const hash = createHash('sha256')
        for (const row of list(`SELECT ${kept.join()} FROM "${String(table)}" ORDER BY 1, 2`))
          hash.update(
            JSON.stringify(row, (_, value: unknown) =>
              Buffer.isBuffer(value) ? value.toString('hex') : value,
            ),
          )
        return [String(table), hash.digest('hex')]
      }),
    )
  } finally {
    registry.close()
  }
}

const command = [
  'registry',
  'import',
  'csv',
  'register.csv',
  '--registry',
  'register.sqlite',
  '--source',
  'own',
]

describe('a register that a thread reads', () => {
  test('has the same tables and counts as one that no thread reads, also when it is read again and changed', async () => {
    const place = createPlace()
    const [rows, others] = [createRows(7), createRows(8)]
    for (const own of [rows, rows.map((row, at) => (at % 10 === 0 ? others[at]! : row))]) {
      const path = writeRows(place, own)
      const { code, stdout } = await place.run(command)
      expect(code).toBe(0)
      const alone = await importRegister(place.path('alone.sqlite'), {
        format: 'csv',
        path,
        sourceName: 'own',
      })
      expect(stdout).toContain(`new       ${alone.importedCount.toLocaleString('en')}`)
      expect(stdout).toContain(`rejected  ${alone.rejectedCount.toLocaleString('en')}`)
      expect([alone.rejectedCount > 75, alone.droppedCount > 75]).toEqual([true, true])
    }
    expect(readTables(place.path('register.sqlite'))).toEqual(readTables(place.path('alone.sqlite')))
  })

  test('that is damaged at its end ends with the code and the hint, and leaves nothing', async () => {
    const place = createPlace()
    writeRegister(place, 9)
    place.write('register.csv', `${place.read('register.csv')}${rowCount},A\0B,,,,,,,,,,,\n`)
    const { code, stderr } = await place.run(command)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error INPUT_NUL_BYTE: .*\n.*hint/s)])
    expect(place.names()).toEqual(['register.csv'])
  })

  test('of another shape is refused with the proposal, and a signal ends it at once', async () => {
    const place = createPlace()
    writeRegister(place, 10)
    const refused = await place.run([...command, '--map', 'id=nothing,name=name'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('error REGISTRY_IMPORT_INVALID: '),
    ])
    const running = place.start(command)
    await vi.waitFor(
      () => {
        expect(place.names().length).toBeGreaterThan(1)
      },
      { timeout: 20_000 },
    )
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(143)
    expect(place.names()).toEqual(['register.csv'])
  })
})
