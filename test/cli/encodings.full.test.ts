import { describe, expect, test } from 'vitest'
import { createPlace } from '../support/cli.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const latin = Buffer.from('company;city\nM\xfcller GmbH;K\xf6ln\nCaf\xe9 B\xe4r;Z\xfcrich\n', 'latin1')
const guess = /not UTF-8, detected windows-1252: it has "Müller GmbH", "Köln", "Café Bär"/

describe('a guessed encoding is told before anything is submitted', () => {
  test('by a run, in words also where only warnings are', async () => {
    const place = createPlace()
    place.write('in.csv', latin)
    const { stderr } = await place.run(['in.csv', '-o', 'out.csv', '--log-level', 'warn'])
    expect(stderr.split('\n')[0]).toMatch(guess)
    expect(rowsOfCsv(place.read('out.csv'), ';').map((row) => [row['company'], row['city']])).toEqual([
      ['Müller GmbH', 'Köln'],
      ['Café Bär', 'Zürich'],
    ])
  })

  test('by a run as JSON, before the plan', async () => {
    const place = createPlace()
    place.write('in.csv', latin)
    const { stdout } = await place.run(['in.csv', '-o', 'out.csv', '--json'])
    const events = readJsonLines<{ type: string; text?: string }>(stdout)
    const told = events.findIndex(({ text = '' }) => guess.test(text))
    expect(told).toBeGreaterThanOrEqual(0)
    expect(told).toBeLessThan(events.findIndex(({ type }) => type === 'planned'))
  })

  test('by plan, in words and as JSON', async () => {
    const place = createPlace()
    place.write('in.csv', latin)
    expect((await place.run(['plan', 'in.csv'])).stdout).toMatch(guess)
    const { notes } = JSON.parse((await place.run(['plan', 'in.csv', '--json'])).stdout) as {
      notes: string[]
    }
    expect(notes).toEqual([expect.stringMatching(guess)])
  })

  test('by registry import, and the company is found by its name', async () => {
    const place = createPlace()
    place.write('register.csv', Buffer.from('id;name\n1;M\xfcller AG\n2;Z\xfcrcher K\xe4se\n', 'latin1'))
    const imported = await place.run('registry import csv register.csv --json --registry r.sqlite'.split(' '))
    expect(imported.stderr).toMatch(/detected windows-1252: it has "Müller AG"/)
    expect(JSON.parse(imported.stdout)).toMatchObject({
      importedCount: 2,
      notes: [expect.stringMatching(/detected windows-1252/)],
    })
    const found = await place.run(['registry', 'search', 'Müller AG', '--registry', 'r.sqlite', '--json'])
    expect(JSON.parse(found.stdout.split('\n')[0] ?? '')).toMatchObject({ name: 'Müller AG' })
  })
})

test('lines that are not UTF-8 are read as windows-1252 on demand, and the others stay', async () => {
  const place = createPlace()
  place.write('in.csv', Buffer.from('name,city\nK\xc3\xb6ln AG,a\nM\xfcller,b\n', 'latin1'))
  const refused = await place.run(['in.csv', '-o', 'out.csv'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('INPUT_ENCODING_MIXED')
  await place.run(['in.csv', '-o', 'out.csv', '--encoding', 'utf-8+windows-1252', '--bom'])
  const text = place.read('out.csv')
  expect(text.startsWith('\ufeffname,city,')).toBe(true)
  expect(rowsOfCsv(text).map(({ name }) => name)).toEqual(['Köln AG', 'Müller'])
})
