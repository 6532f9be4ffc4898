import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, test } from 'vitest'
import { readEmbeddedScope } from '../../../src/app/inspect-input.js'
import { openReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import {
  exportTodo,
  importVerdicts,
  type ExportedTodo,
  type ImportedVerdicts,
} from '../../../src/review/exchange/exchange.js'
import { openRegistry } from '../../../src/registry/registry.js'
import type { Choice, ReviewSession } from '../../../src/review/session.js'
import { editedInOffice, findOffice } from '../../support/office.js'
import {
  ambiguousRows,
  inventedNames,
  noneOf,
  reviewPlaces,
  type ReviewPlace,
} from '../../support/review-place.js'
import { addRows } from '../../support/registry.js'
import { textRow, writeXlsx } from '../../support/xlsx-file.js'
import { errorWith } from '../../support/error-with.js'

const createPlace = reviewPlaces()
const names = inventedNames(12)
const [first = '', second = '', third = '', fourth = ''] = names

/** Twelve doubtful names, the second of them in three rows. */
async function answered(): Promise<ReviewPlace> {
  const place = createPlace()
  place.writeInput([...names, second, second.toUpperCase()].map((name) => [name, ''] as const))
  await place.run()
  return place
}

const signal = new AbortController().signal
const written = (session: ReviewSession, path: string): Promise<ExportedTodo> =>
  exportTodo(session, path, { memory: '400MB', signal })
const taken = (session: ReviewSession, path: string): Promise<ImportedVerdicts> =>
  importVerdicts(session, path, { signal, onNotice: () => undefined })

/** A place whose doubtful lookups were exported to `todo.csv`. */
async function exported() {
  const place = await answered()
  const opened = await place.open()
  const path = place.path('todo.csv')
  await written(opened.session, path)
  const lines = readCsv(path)
  return {
    place,
    path,
    opened,
    session: opened.session,
    lines,
    lineOf: (name: string): Line => lines.find((line) => line['name'] === name) ?? {},
    /** Fills in cells by the names of the lookups, in another file. */
    fillIn: (cells: Readonly<Record<string, Line>>) => fill(path, place.path('filled.csv'), cells),
  }
}

type Line = Record<string, string>
const readCsv = (path: string): Line[] => parse(readFileSync(path), { columns: true, bom: true })

/** Fills in what is written, and writes it as another file: cells by the names of the lookups. */
function fill(from: string, to: string, cells: Readonly<Record<string, Line>>): string {
  const lines = readCsv(from).map((line) => ({ ...line, ...cells[line['name'] ?? ''] }))
  writeFileSync(to, stringify(lines, { header: true }))
  return to
}

const verdict = (text: string, note = ''): Line => ({ verdict: text, note })

describe('what is exported', () => {
  test('is the open lookups, those of most rows first, with candidates, why, and nothing decided', async () => {
    const place = await answered()
    const { session } = await place.open()
    const path = place.path('todo.csv')
    expect(await written(session, path)).toEqual({ path, lookupCount: 12, rowCount: 14, missing: null })
    const lines = readCsv(path)
    expect(lines.map((line) => line['name'])).toEqual([second, ...names.filter((name) => name !== second)])
    const [line] = lines
    expect(line).toMatchObject({
      rows: '3',
      location: '',
      status: 'inconclusive',
      verdict: '',
      note: '',
      lookup: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      confidence: expect.stringMatching(/^\d\d$/) as string,
      why: expect.stringContaining('.') as string,
      'candidate 1 id': expect.stringMatching(/^siq_/) as string,
      'candidate 3': '',
    })
    const legalNames = [line?.['candidate 1 legal name'], line?.['candidate 2 legal name']]
    expect(legalNames.sort()).toEqual([`${second} LLP`, `${second} Limited`])
  })

  test('lacks what was decided since', async () => {
    const { place, session, lines } = await exported()
    await session.decide([noneOf(lines[0]?.['lookup'] ?? '')])
    expect(await written(session, place.path('rest.csv'))).toMatchObject({ lookupCount: 11, rowCount: 11 })
  })

  test('goes over a file without verdicts, and never over one with verdicts that were not imported', async () => {
    const { session, path } = await exported()
    await written(session, path)
    fill(path, path, { [first]: verdict('1'), [third]: verdict('hm') })
    const before = readFileSync(path)
    await expect(written(session, path)).rejects.toMatchObject(
      errorWith('VERDICTS_NOT_IMPORTED', { message: 'has 2 verdicts that were not imported' }),
    )
    expect(readFileSync(path)).toEqual(before)
    fill(path, path, { [third]: verdict('') })
    await taken(session, path)
    expect(await written(session, path)).toMatchObject({ lookupCount: 11 })
  })

  test('never goes over what was filled in while it was made, or may hold verdicts and cannot be read', async () => {
    const { place, session, path } = await exported()
    const onProgress = (count: number) => {
      if (count === 5) fill(path, path, { [first]: verdict('1') })
    }
    const refused = { code: 'VERDICTS_NOT_IMPORTED' }
    await expect(exportTodo(session, path, { memory: '400MB', signal, onProgress })).rejects.toMatchObject(
      refused,
    )
    expect(readCsv(path).find((line) => line['name'] === first)).toMatchObject({ verdict: '1' })
    const broken = readFileSync(path, 'utf8').replaceAll(/^lookup,/gm, 'lookup,verdict,')
    writeFileSync(path, broken)
    await expect(written(session, path)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('two columns "verdict"') as string,
    })
    expect(readFileSync(path, 'utf8')).toBe(broken)
    const locked = Buffer.alloc(1_024)
    locked.writeUInt32BE(0xd0cf11e0)
    writeFileSync(place.path('todo.xlsx'), locked)
    await expect(written(session, place.path('todo.xlsx'))).rejects.toMatchObject(refused)
    expect(readFileSync(place.path('todo.xlsx'))).toEqual(locked)
  })

  test('leaves what stood there where it is stopped on the way', async () => {
    const place = await answered()
    const { session } = await place.open()
    const path = place.path('todo.csv')
    writeFileSync(path, 'before')
    const stop = new AbortController()
    const onProgress = (count: number) => {
      if (count === 5) stop.abort(new Error('stopped'))
    }
    const stopped = exportTodo(session, path, { memory: '400MB', signal: stop.signal, onProgress })
    await expect(stopped).rejects.toThrow('stopped')
    expect(readFileSync(path, 'utf8')).toBe('before')
  })

  test.each([
    ['todo.parquet', 'OUTPUT_FORMAT_UNKNOWN'],
    ['todo.csv.gz', 'OUTPUT_FORMAT_UNKNOWN'],
    ['todo', 'OUTPUT_FORMAT_UNKNOWN'],
    ['-', 'USAGE_INVALID'],
  ])('to %j fails with %s', async (name, code) => {
    const place = await answered()
    const { session } = await place.open()
    await expect(written(session, name === '-' ? name : place.path(name))).rejects.toMatchObject({ code })
  })
})

describe('what is imported', () => {
  test('names how many open lookups a file that was cut off does not have', async () => {
    const { session, fillIn } = await exported()
    const path = fillIn({ [first]: verdict('١') })
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.slice(0, 4).join('\n'))
    const imported = await taken(session, path)
    expect(imported.missingCount).toBe(12 - readCsv(path).length)
    expect(imported.missingCount).toBeGreaterThan(0)
  })

  test('is decided under the name of its reviewer, durably, and honoured by the next run', async () => {
    const { place, session, lineOf, fillIn } = await exported()
    const other = lineOf(third)['candidate 2 id'] ?? ''
    const path = fillIn({
      [first]: verdict('1', 'by phone'),
      [second]: verdict(' None '),
      [third]: verdict(other),
      [fourth]: verdict('', 'ask Ben'),
    })
    expect(await taken(session, path)).toEqual({
      path,
      acceptedCount: 2,
      noneCount: 1,
      rowCount: 5,
      replaced: [],
      unit: 'line',
      unchangedCount: 0,
      undecidedCount: 9,
      loneNoteCount: 1,
      missingCount: 0,
    })
    const decisions = place
      .decisions()
      .map((line) => [line['name'], line['verdict'], line['entity_id'], line['note']])
    expect(decisions.sort()).toEqual(
      [
        [first, 'accepted', lineOf(first)['candidate 1 id'], 'by phone'],
        [second, 'none', '', ''],
        [third, 'accepted', other, ''],
      ].sort(),
    )
    expect(
      place.decisions().every((line) => line['decided_by'] === 'ada' && line['service'] === 'embedded'),
    ).toBe(true)
    expect(session.getCounts()).toMatchObject({ openCount: 9, decidedCount: 3 })
    await place.run()
    const statuses = place
      .readOutput()
      .map((row) => [row['company_name'], row['enrich_status'], row['enrich_decision']])
    expect(statuses).toEqual(
      expect.arrayContaining([
        [first, 'matched', 'accepted'],
        [second, 'no_match', 'none'],
        [third, 'matched', 'accepted'],
        [fourth, 'inconclusive', ''],
      ]),
    )
  })

  test('again changes nothing, and says so', async () => {
    const { place, session, opened, fillIn } = await exported()
    const path = fillIn({ [first]: verdict('1', 'x'), [second]: verdict('none') })
    await taken(session, path)
    await opened.close()
    const before = readFileSync(place.path('enrich.decisions.csv'))
    const again = await place.open()
    expect(await taken(again.session, path)).toMatchObject({
      acceptedCount: 0,
      noneCount: 0,
      unchangedCount: 2,
    })
    expect(readFileSync(place.path('enrich.decisions.csv'))).toEqual(before)
    expect(again.session.listDecisions(10).decisions).toHaveLength(2)
  })

  test('means the candidates of its own lines, whatever was found since', async () => {
    const { place, opened, lines, fillIn } = await exported()
    await opened.close()
    const [line] = lines
    const lookup = line?.['lookup'] ?? ''
    const scope = await readEmbeddedScope(place.path('registry.sqlite'))
    const store = openReviewStore(place.path('checkpoint.sqlite'))
    const [kept] = store.candidates.read(scope, [lookup])
    await store.candidates.keep(scope, new Map([[lookup, [...(kept ?? [])].reverse()]]), 0)
    store.close()
    const again = await place.open()
    expect((await again.session.readCandidates(lookup))[0]?.entityId).toBe(line?.['candidate 2 id'])
    await taken(again.session, fillIn({ [second]: verdict('1') }))
    expect(place.decisions()).toMatchObject([{ lookup, entity_id: line?.['candidate 1 id'] }])
  })

  test('may be a company that was no candidate, and becomes one; an unknown id is named', async () => {
    const { place, session, lineOf, fillIn } = await exported()
    const elsewhere = lineOf(fourth)['candidate 1 id'] ?? ''
    const filled = (text: string) => fillIn({ [first]: verdict(text) })
    await expect(taken(session, filled('siq_nobody'))).rejects.toMatchObject({
      code: 'VERDICTS_INVALID',
      message: `${place.path('filled.csv')}: 1 verdict cannot be imported; nothing was imported\n  line 3 (${first}): there is no company siq_nobody`,
    })
    expect(await taken(session, filled(elsewhere))).toMatchObject({ acceptedCount: 1 })
    const [line] = place.decisions()
    expect([line?.['entity_id'], line?.['entity_name']]).toEqual([elsewhere, expect.stringContaining(fourth)])
    expect((await session.readCandidates(line?.['lookup'] ?? '')).map(({ entityId }) => entityId)).toContain(
      elsewhere,
    )
  })

  test('an id that was merged is named with the one to type', async () => {
    const place = createPlace()
    const registry = openRegistry(place.path('registry.sqlite'))
    const file = (name: string) => ({ fileName: `${name}.csv`, sourceName: name })
    const idOf = (name: string) => registry.searchCompanies({ name, limit: 1 })[0]?.entityId ?? ''
    addRows(registry, [{ id: 'a', name: 'Zorvex Registered', cik: '7' }], file('one'))
    addRows(registry, [{ id: 'b', name: 'Zorvex Identified', lei: 'HWUPKR0MPOU8FGXBT394' }], file('two'))
    const [older, younger] = [idOf('Zorvex Registered'), idOf('Zorvex Identified')]
    addRows(registry, [{ id: 'c', name: 'Zorvex', lei: 'HWUPKR0MPOU8FGXBT394', cik: '7' }], file('three'))
    registry.close()
    place.writeInput([[first, '']])
    await place.run()
    const { session } = await place.open()
    await written(session, place.path('todo.csv'))
    const filled = (text: string) =>
      fill(place.path('todo.csv'), place.path('filled.csv'), { [first]: verdict(text) })
    await expect(taken(session, filled(younger))).rejects.toThrow(
      `line 2 (${first}): ${younger} was merged into ${older}`,
    )
    expect(await taken(session, filled(older))).toMatchObject({ acceptedCount: 1 })
  })

  test('is replaced by its reviewer, who is shown what stood before', async () => {
    const { place, session, fillIn } = await exported()
    const filled = (text: string) => fillIn({ [first]: verdict(text) })
    await taken(session, filled('1'))
    const [before] = place.decisions()
    expect(await taken(session, filled('none'))).toMatchObject({
      noneCount: 1,
      replaced: [{ number: 3, before: { name: first, entityId: before?.['entity_id'] } }],
    })
    expect(place.decisions()).toMatchObject([{ name: first, verdict: 'none' }])
  })

  test('all or nothing: each line that cannot be taken is named, the first twenty of many', async () => {
    const place = createPlace(ambiguousRows(inventedNames(24)))
    const many = inventedNames(24)
    place.writeInput(many.map((name) => [name, ''] as const))
    await place.run()
    const { session } = await place.open()
    await written(session, place.path('todo.csv'))
    const wrong = Object.fromEntries(many.slice(1).map((name) => [name, verdict('who knows')]))
    const path = fill(place.path('todo.csv'), place.path('filled.csv'), {
      ...wrong,
      [many[0] ?? '']: verdict('1'),
    })
    const error: unknown = await taken(session, path).catch((thrown: unknown) => thrown)
    const lines = (error as Error).message.split('\n')
    expect(lines).toHaveLength(22)
    expect(lines[0]).toBe(`${path}: 23 verdicts cannot be imported; nothing was imported`)
    expect(lines[1]).toBe(
      `  line 3 (${many[1] ?? ''}): "who knows" is not a verdict: type the number of a candidate, yes for the only candidate, none, or the id of a company (siq_…); docs/reference/verdicts.md lists the words that are known`,
    )
    expect(lines[21]).toBe('  and 3 more')
    expect(existsSync(place.path('enrich.decisions.csv'))).toBe(false)
    expect(session.getCounts()).toMatchObject({ openCount: 24, decidedCount: 0 })
  })

  test('a lookup of another input is named', async () => {
    const { place, opened, fillIn } = await exported()
    await opened.close()
    place.writeInput([[second, '']], 'other.csv')
    const other = await place.open({ input: { paths: [place.path('other.csv')] } })
    const path = fillIn({ [first]: verdict('1'), [second]: verdict('1') })
    await expect(taken(other.session, path)).rejects.toThrow(
      /line 3 \(.*\): the input has no doubtful lookup [0-9a-f]{32}: the export was of another input/,
    )
    expect(place.decisions()).toEqual([])
  })

  test('whose candidates were sorted without their lookups is refused whole', async () => {
    const { place, session, lines } = await exported()
    const isOfCandidates = (column: string) => /^candidate|again$/.test(column)
    const sorted = lines.map((line, at) => ({
      ...Object.fromEntries(Object.entries(line).filter(([column]) => !isOfCandidates(column))),
      verdict: at < 2 ? '1' : '',
      ...Object.fromEntries(
        Object.entries(lines.at(-1 - at) ?? {}).filter(([column]) => isOfCandidates(column)),
      ),
    }))
    writeFileSync(place.path('sorted.csv'), stringify(sorted, { header: true }))
    await expect(taken(session, place.path('sorted.csv'))).rejects.toThrow(
      /2 verdicts cannot be imported(?:.*\n.*: its candidates are those of ".*": only some of the columns were sorted){2}/,
    )
    expect(place.decisions()).toEqual([])
  })

  test('what it replaces was taken back meanwhile: nothing is imported, and that is said', async () => {
    const { place, session: ofAda, lineOf, fillIn } = await exported()
    const ben = await place.open({ review: { reviewer: 'ben' } })
    const { decisions } = await ofAda.decide([noneOf(lineOf(first)['lookup'] ?? '')])
    await ben.session.refresh()
    const path = fillIn({ [first]: verdict('1') })
    const takenBackFirst = new Proxy(ofAda, {
      get: (session, key: keyof ReviewSession) => {
        if (key === 'decide')
          return async (choices: readonly Choice[]) => {
            await ben.session.undo(decisions.map(({ sequence }) => sequence))
            return session.decide(choices)
          }
        const value: unknown = Reflect.get(session, key)
        return typeof value === 'function' ? (value.bind(session) as unknown) : value
      },
    })
    await expect(taken(takenBackFirst, path)).rejects.toThrow(
      /undone during the import; nothing was imported/,
    )
    expect(place.decisions()).toEqual([])
  })

  test('what a colleague decided in the meantime is not overwritten, whether it was seen or not', async () => {
    const { place, session, opened, lines, fillIn } = await exported()
    const ben = await place.open({ review: { reviewer: 'ben' } })
    await ben.session.decide([noneOf(lines[0]?.['lookup'] ?? '')])
    const path = fillIn({ [first]: verdict('1'), [second]: verdict('1') })
    const refused =
      /line 2 \(.*\): ben made another decision on \d{4}-\d\d-\d\d \d\d:\d\d UTC: none of these$/
    await expect(taken(session, path)).rejects.toThrow(refused)
    await opened.close()
    const again = await place.open()
    await expect(taken(again.session, path)).rejects.toThrow(refused)
    expect(place.decisions()).toMatchObject([{ decided_by: 'ben', verdict: 'none' }])
  })

  test('from a sheet as other programs write it, with cells of numbers', async () => {
    const { place, session, lines } = await exported()
    const [line] = lines
    const number = '<c r="C3"><v>2</v></c>'
    const text = (place: string, value = '') => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
    const rows =
      textRow(1, ['candidate 2 id', 'lookup', 'verdict', 'name']) +
      `<row r="3">${text('A3', line?.['candidate 2 id'])}${text('B3', line?.['lookup'])}${number}${text('D3', second)}</row>`
    const path = writeXlsx(place.folder, 'made.xlsx', { sheets: [{ name: 'Sheet1', rows }] })
    expect(await taken(session, path)).toMatchObject({ acceptedCount: 1, unit: 'row' })
    expect(place.decisions()).toMatchObject([{ name: second, entity_id: line?.['candidate 2 id'] }])
  })
})

const office = findOffice()

describe.skipIf(office === null)('in LibreOffice', () => {
  test('a workbook that was sorted, cut and filled in there is imported', async () => {
    const { place, session, lines, lineOf } = await exported()
    const path = place.path('todo.xlsx')
    await written(session, path)
    const columns = Object.keys(lines[0] ?? {})
    const column = (name: string) => columns.indexOf(name)
    const edited = editedInOffice(
      office ?? '',
      path,
      place.folder,
      [
        'Dim fields(0) As New com.sun.star.table.TableSortField',
        `fields(0).Field = ${column('name')} : fields(0).IsAscending = False`,
        'Dim sorting(1) As New com.sun.star.beans.PropertyValue',
        'sorting(0).Name = "SortFields" : sorting(0).Value = fields()',
        'sorting(1).Name = "ContainsHeader" : sorting(1).Value = True',
        `sheet.getCellRangeByPosition(0, 0, ${columns.length - 1}, ${lines.length}).sort(sorting())`,
        'sheet.Rows.removeByIndex(1, 1)',
        `sheet.getCellByPosition(${column('verdict')}, 1).setValue(2)`,
        `sheet.getCellByPosition(${column('verdict')}, 2).setString("none")`,
        `sheet.getCellByPosition(${column('note')}, 2).setString("=closed")`,
      ].join('\n'),
    )
    expect(await taken(session, edited)).toMatchObject({ acceptedCount: 1, noneCount: 1, undecidedCount: 9 })
    const [, last = '', before = ''] = [...names].sort().reverse()
    expect(new Set(place.decisions().map((line) => [line['name'], line['entity_id']].join()))).toEqual(
      new Set([`${last},${lineOf(last)['candidate 2 id'] ?? ''}`, `${before},`]),
    )
    expect(session.listDecisions(10).decisions.find(({ name }) => name === before)?.note).toBe('=closed')
  }, 180_000)
})
