import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { findOffice, savedByOffice } from '../support/office.js'
import { findPostgres, sharedPostgres } from '../support/postgres-server.js'
import { startInPty } from '../support/pty.js'
import { hasProgram } from '../support/skipped.js'

const names = ['Müller & Söhne', '株式会社', 'Acme, Inc.', 'שלום', "O'Neill"]
/** 0: a terminal that nobody told its size. */
const widths = [0, 40, 80, 120, 200]

/** What is shown in JSON, and that each width of a terminal shows each row. */
async function expectShown(place: CliPlace, file: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await place.run(['show', file, '--json'], { env })
  expect([code, stderr.replace(/^ {2}note: .*\n/gm, '')]).toEqual([0, ''])
  const lines = stdout.trimEnd().split('\n')
  const values = lines
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { values: Record<string, unknown> }).values)
  expect(values.map(({ company }) => company)).toEqual(names)
  expect(values.map(({ amount }) => Number(amount))).toEqual([1, 2, 3, 4, 5])
  for (const columns of widths) {
    const pty = startInPty(place, ['show', file], { columns, rows: 50, env })
    expect(await pty.ended).toBe(0)
    const screen = await pty.screen()
    for (const [at, name] of names.entries())
      expect(screen.join('\n')).toMatch(new RegExp(`^ {2}${at + 1} +.?${name.slice(0, 4)}.* ${at + 1}$`, 'm'))
  }
}

describe.skipIf(!hasProgram('python3'))('files that Python wrote', () => {
  const python = (place: CliPlace, code: string) =>
    execFileSync('python3', ['-c', `names = ${JSON.stringify(names)}\n${code}`], { cwd: place.folder })

  test('as CSV of each dialect are shown', async () => {
    const place = createPlace()
    python(
      place,
      `import csv
rows = [['company', 'amount']] + [[name, i + 1] for i, name in enumerate(names)]
for file, encoding, options in [('excel.csv', 'utf-8', {}), ('tab.tsv', 'utf-8', {'dialect': 'excel-tab'}),
    ('unix.csv', 'utf-8-sig', {'dialect': 'unix'}), ('semicolon.csv', 'utf-16', {'delimiter': ';'})]:
  with open(file, 'w', newline='', encoding=encoding) as out: csv.writer(out, **options).writerows(rows)`,
    )
    for (const file of ['excel.csv', 'tab.tsv', 'unix.csv', 'semicolon.csv']) await expectShown(place, file)
  })

  test('as SQLite and as lines of JSON are shown', async () => {
    const place = createPlace()
    python(
      place,
      `import json, sqlite3
db = sqlite3.connect('list.sqlite')
db.execute('CREATE TABLE companies (company TEXT, amount INTEGER)')
db.executemany('INSERT INTO companies VALUES (?, ?)', [(name, i + 1) for i, name in enumerate(names)])
db.commit()
with open('list.jsonl', 'w') as out:
  for i, name in enumerate(names): print(json.dumps({'company': name, 'amount': i + 1}), file=out)`,
    )
    await expectShown(place, 'list.jsonl')
    await expectShown(place, 'sqlite:list.sqlite#companies')
  })
})

const office = findOffice()
test.skipIf(office === null)('a sheet that LibreOffice saved is shown', async () => {
  const place = createPlace()
  const cell = (text: string) =>
    `<table:table-cell office:value-type="string"><text:p>${text.replaceAll('&', '&amp;')}</text:p></table:table-cell>`
  const amount = (value: number) => `<table:table-cell office:value-type="float" office:value="${value}"/>`
  const rows = [cell('company') + cell('amount'), ...names.map((name, at) => cell(name) + amount(at + 1))]
  const space = 'urn:oasis:names:tc:opendocument:xmlns'
  const sheet = place.write(
    'list.fods',
    `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="${space}:office:1.0" xmlns:table="${space}:table:1.0" xmlns:text="${space}:text:1.0"
  office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="list">${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}
</table:table></office:spreadsheet></office:body></office:document>`,
  )
  const saved = savedByOffice(office ?? '', sheet, place.folder)
  await expectShown(place, saved)
})

const programs = findPostgres()
test.skipIf(programs === null)('a table of PostgreSQL is shown, and no copy of it is kept', async () => {
  const server = await sharedPostgres(programs ?? '')
  onTestFinished(() => server.stop())
  const place = createPlace()
  const rows = names.map((name, at) => `('${name.replaceAll("'", "''")}', ${at + 1})`)
  server.sql(`CREATE TABLE shown(company text, amount int); INSERT INTO shown VALUES ${rows.join(', ')}`)
  await expectShown(place, `${server.url()}#shown`)
  expect(place.listSideFiles().filter((name) => !name.startsWith('tmp/tty-'))).toEqual([])
})
