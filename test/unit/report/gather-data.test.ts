import { parsePublishedState } from '../../../src/pipeline/answers/published-state.js'
import { describe, expect, test } from 'vitest'
import type {
  OutputFigures,
  HistoryReader,
  PublishedEntry,
  PublishedOutput,
  RememberedRun,
} from '../../../src/pipeline/history/run-record.js'
import {
  findRowsToReview,
  findUnansweredRows,
  gatherReport,
  LargestChanges,
} from '../../../src/report/gather-data.js'
import { sampleChange, sampleRun } from '../../support/report-samples.js'

type Fields = Readonly<Record<string, string | true>>
type Sources = Readonly<Record<string, readonly string[]>>
const stateOf = (fields: Fields, sources: Sources) =>
  `${JSON.stringify({ v: 1, ...fields })}\n${JSON.stringify(sources)}`

function entry(name: string, fields: Fields, sources: Sources = {}): PublishedEntry {
  const address = Buffer.alloc(16)
  address.write(name)
  return { address, rowKey: null, name, state: stateOf(fields, sources) }
}

const entries: readonly PublishedEntry[] = [
  entry('sure', { status: 'matched', confidence: '97', entity_id: 'e1', legal_name: 'Sure AG' }),
  entry('perhaps', {
    status: 'partial_match',
    confidence: '71',
    display_name: 'Perhaps',
    legal_name: 'Perhaps AG',
  }),
  entry('lost', { status: 'uncertain' }),
  entry('new to us', { status: 'a_status_to_come' }),
  entry('decided', { status: 'no_match' }),
  entry('nobody', { status: 'no_match', review: true }),
  entry('explained', { status: 'no_match', review: true }, { 'no company has this name': ['status'] }),
  entry('linked', { status: 'no_match', review: true }, { 'https://example.com/1': ['status'] }),
]

function reader(
  rowsByRun: Readonly<Record<number, readonly number[]>>,
  runs: readonly RememberedRun[],
): HistoryReader {
  return {
    runs: () => Promise.resolve(runs),
    submissions: () => Promise.resolve([]),
    published: (run) => {
      const rows = rowsByRun[run]
      const output: PublishedOutput | null =
        rows === undefined
          ? null
          : {
              run,
              rows: Uint32Array.from(rows),
              async *entries(numbers) {
                for (const number of numbers) yield await Promise.resolve([number, entries[number]!] as const)
              },
              numbersOf: (isWanted) =>
                Promise.resolve(
                  entries.flatMap(({ state }, number) =>
                    isWanted(parsePublishedState(state).get('status')?.value ?? '') ? [number] : [],
                  ),
                ),
            }
      return Promise.resolve(output)
    },
  }
}

const sampleFigures = (rowsByStatus: Readonly<Record<string, number>>): OutputFigures => ({
  rowCount: 8,
  rowsByStatus,
  rowsByConfidence: [],
  byCountry: [],
  byColumn: null,
})

const shown = (name: string, status: string, over: object = {}) => ({
  rowKey: null,
  name,
  status,
  confidence: null,
  found: null,
  reason: null,
  source: null,
  ...over,
})

describe('rows to review', () => {
  const perhaps = { confidence: 71, found: 'Perhaps' }

  test('those that were left to review, once for all rows that ask the same, those of most rows first', async () => {
    const output = (await reader({ 1: [0, 2, 1, 0, 4, 1, 1, 3] }, []).published(1))!
    const counts = { lookupCount: 2, rowCount: 4, rowsByStatus: { partial_match: 3, no_match: 1 } }
    expect(await findRowsToReview(output, counts, sampleFigures({ partial_match: 3, no_match: 1 }))).toEqual({
      rowCount: 4,
      entries: [
        shown('perhaps', 'partial_match', { ...perhaps, rowNumber: 3, rowCount: 3 }),
        shown('decided', 'no_match', { rowNumber: 5, rowCount: 1 }),
      ],
    })
  })

  test('a source that is no address is the reason, and an address is the source', async () => {
    const output = (await reader({ 1: [6, 7] }, []).published(1))!
    const counts = { lookupCount: 2, rowCount: 2, rowsByStatus: { no_match: 2 } }
    expect((await findRowsToReview(output, counts, sampleFigures({ no_match: 2 }))).entries).toEqual([
      shown('explained', 'no_match', { reason: 'no company has this name', rowNumber: 1, rowCount: 1 }),
      shown('linked', 'no_match', { source: 'https://example.com/1', rowNumber: 2, rowCount: 1 }),
    ])
  })

  test('where some rows of a status are decided, only those that the review asks about', async () => {
    const output = (await reader({ 1: [0, 1, 4, 5, 4] }, []).published(1))!
    const counts = { lookupCount: 1, rowCount: 1, rowsByStatus: { no_match: 1 } }
    expect(await findRowsToReview(output, counts, sampleFigures({ no_match: 3, partial_match: 1 }))).toEqual({
      rowCount: 1,
      entries: [shown('nobody', 'no_match', { rowNumber: 4, rowCount: 1 })],
    })
  })

  test('rows without an answer are not among them, and are listed on their own', async () => {
    const output = (await reader({ 1: [0, 2, 1, 0, 1, 1, 3] }, []).published(1))!
    expect(await findUnansweredRows(output)).toEqual({
      rowCount: 2,
      entries: [
        shown('lost', 'uncertain', { rowNumber: 2, rowCount: 1 }),
        shown('new to us', 'a_status_to_come', { rowNumber: 7, rowCount: 1 }),
      ],
    })
  })

  test('of many, the largest, and all of them counted', async () => {
    const many = 5_000
    const rows = Uint32Array.from({ length: many + 40 }, (_, index) => (index < many ? index : 4_321))
    const output = {
      run: 1,
      rows,
      async *entries(numbers: Iterable<number>) {
        for (const number of numbers)
          yield await Promise.resolve([number, entry(`n${number}`, { status: 'failed' })] as const)
      },
      // Entries of other outputs are among them.
      numbersOf: () => Promise.resolve(Array.from({ length: 2 * many }, (_, number) => number)),
    }
    const { rowCount, entries: listed } = await findUnansweredRows(output)
    expect([rowCount, listed.length]).toEqual([many + 40, 300])
    expect(listed[0]).toMatchObject({ rowNumber: 4_322, rowCount: 41 })
    expect(listed[1]).toMatchObject({ rowNumber: 1, rowCount: 1 })
  })
})

describe('changes', () => {
  test('rows that changed alike are one change, and those of most rows come first', () => {
    const largest = new LargestChanges()
    const [one, other] = [sampleChange('renamed', 1), sampleChange('renamed', 2)]
    largest.add([one, other, { ...other, rowNumber: 99 }, sampleChange('new_row', 5)])
    expect(
      largest.list().map(({ kind, name, rowNumber, rowCount }) => [kind, name, rowNumber, rowCount]),
    ).toEqual([
      ['new_row', 'name 6', 36, 1],
      ['renamed', 'name 3', other.rowNumber, 2],
      ['renamed', 'name 2', one.rowNumber, 1],
    ])
  })

  test('of very many, the largest are not lost', () => {
    const largest = new LargestChanges()
    for (let index = 0; index < 30_000; index++) {
      largest.add([sampleChange('new_row', index)])
      if (index % 100 === 0) largest.add([sampleChange('new_row', 77)])
    }
    expect(largest.list()).toHaveLength(100)
    expect(largest.list()[0]).toMatchObject({ name: 'name 78', rowCount: 301 })
  })
})

describe('a report is of', () => {
  const night = (number: number, over: Partial<RememberedRun> = {}) =>
    sampleRun(
      number,
      { changes: number === 1 ? null : { baseline: number - 1, counts: { lost_match: 1 } } },
      over,
    )
  const runs = [
    night(5, { isPublished: false }),
    night(4, { series: 'another' }),
    night(3),
    night(2),
    night(1),
  ]
  const rows = { 1: [0], 2: [0, 1], 3: [2, 1] }
  const gather = (number: number | null) => gatherReport({ reader: reader(rows, runs), number, nowMs: 1 })

  test('the last run that published an output, or the one that is named', async () => {
    expect((await gather(null)).run.number).toBe(4)
    expect((await gather(2)).run.number).toBe(2)
    await expect(gather(6)).rejects.toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }))
  })

  test('it is next to the earlier runs of its series', async () => {
    expect((await gather(3)).earlier.map(({ number }) => number)).toEqual([2, 1])
    expect((await gather(4)).earlier).toEqual([])
  })

  test('changes are those of the outputs, where both are remembered; else only counted', async () => {
    expect((await gather(3)).changes).toMatchObject({
      baseline: 2,
      counts: { lost_match: 1 },
      largest: [{ kind: 'new_row' }, { kind: 'row_gone' }],
    })
    expect((await gather(4)).changes).toMatchObject({ baseline: 3, largest: null })
    expect((await gather(1)).changes).toBe(null)
  })

  test('an output of another version is no reason for no report', async () => {
    const foreign = reader({ 2: [2], 3: [2] }, runs)
    const published = foreign.published.bind(foreign)
    foreign.published = async (run) => {
      const output = await published(run)
      return output === null
        ? null
        : {
            ...output,
            async *entries(numbers) {
              for (const number of numbers)
                yield await Promise.resolve([number, { ...entries[number]!, state: '{"v":99}' }] as const)
            },
          }
    }
    expect((await gatherReport({ reader: foreign, number: 3, nowMs: 1 })).unanswered).toBe(null)
  })
})
