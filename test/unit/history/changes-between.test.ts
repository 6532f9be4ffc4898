import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressGroups } from '../../../src/pipeline/history/match-rows.js'
import { compareOutputs, readChanges } from '../../../src/pipeline/history/compare-outputs.js'
import type { PublishedEntry, PublishedOutput } from '../../../src/pipeline/history/run-record.js'
import type { Change } from '../../../src/core/alarms.js'
import { forAll, forAllAsync } from '../../support/properties.js'

/** What a row asks, and the name of the company that was found; two of them are two answers. */
interface Row {
  readonly ask: string
  readonly found: string | null
  readonly rowKey?: string
}

const addressOf = (ask: string) => createHash('sha256').update(ask).digest().subarray(0, 16)

function stateOf(found: string | null): string {
  const values =
    found === null
      ? { status: 'no_match' }
      : { status: 'matched', confidence: '90', entity_id: 'siq_1', legal_name: found }
  return `${JSON.stringify({ v: 1, ...values })}\n{}`
}

/** Entries of all outputs, each once, as a checkpoint has them. */
class Entries {
  readonly #all: PublishedEntry[] = []
  readonly #numbers = new Map<string, number>()
  readonly read = new Set<number>()

  output(run: number, rows: readonly Row[]): PublishedOutput {
    const all = this.#all
    const { read } = this
    return {
      run,
      rows: Uint32Array.from(rows, (row) => this.#numberOf(row)),
      async *entries(numbers) {
        for (const number of numbers) {
          read.add(number)
          const entry = all[number - 1]
          if (entry !== undefined) yield await Promise.resolve([number, entry] as const)
        }
      },
      numbersOf: () => Promise.resolve([]),
    }
  }

  #numberOf({ ask, found, rowKey }: Row): number {
    const text = JSON.stringify([ask, found, rowKey])
    const number = this.#numbers.get(text) ?? this.#all.length + 1
    if (number > this.#all.length)
      this.#all.push({
        address: addressOf(rowKey ?? ask),
        rowKey: rowKey ?? null,
        name: ask,
        state: stateOf(found),
      })
    this.#numbers.set(text, number)
    return number
  }
}

async function listChanges(older: PublishedOutput, newer: PublishedOutput): Promise<Change[]> {
  const changes: Change[] = []
  for await (const batch of compareOutputs(older, newer)) changes.push(...batch)
  return changes
}

function between(older: readonly Row[], newer: readonly Row[]): Promise<Change[]> {
  const entries = new Entries()
  return listChanges(entries.output(1, older), entries.output(2, newer))
}

const told = async (older: readonly Row[], newer: readonly Row[]): Promise<string[]> =>
  (await between(older, newer)).map(({ kind, rowNumber }) => `${kind} ${rowNumber}`)

const row = (ask: string, found: string | null = ask): Row => ({ ask, found })
const [a, b, c] = [row('a'), row('b'), row('c')]

describe('what changed between two outputs', () => {
  it.each<[string, Row[], Row[], string[]]>([
    ['the same rows are no change', [a, b], [a, b], []],
    ['rows that only moved are none', [a, b, c], [c, a, b], []],
    ['a row that is new is told by its number now', [a], [b, a], ['new_row 1']],
    ['a row that is gone is told by its number then', [a, b], [b], ['row_gone 1']],
    ['another of what is there is new, and it is the last one', [a, b], [a, b, a], ['new_row 3']],
    ['one less of what is there is gone, and it is the last one', [a, b, a], [b, a], ['row_gone 3']],
    ['a change is told by the number now', [a, b], [b, row('a', 'A plc')], ['renamed 2']],
    [
      'a change of what several rows ask is one of each',
      [a, a],
      [row('a', 'x'), b, row('a', 'x')],
      ['renamed 1', 'new_row 2', 'renamed 3'],
    ],
    [
      'of rows that ask the same, the first ones were there',
      [a],
      [row('a', 'x'), row('a', 'x')],
      ['renamed 1', 'new_row 2'],
    ],
    [
      'of rows that ask the same, the last ones are gone',
      [a, a, b],
      [row('a', 'x')],
      ['renamed 1', 'row_gone 2', 'row_gone 3'],
    ],
    ['a row that asks otherwise is another row', [a], [b], ['new_row 1', 'row_gone 1']],
    ['all rows are new where there were none', [], [a, a], ['new_row 1', 'new_row 2']],
    ['all rows are gone where there are none', [a, b], [], ['row_gone 1', 'row_gone 2']],
  ])('%s', async (_, older, newer, expected) => {
    expect(await told(older, newer)).toEqual(expected)
  })

  it('with a key, a row that asks otherwise is the same row', async () => {
    const keyed = (ask: string): Row => ({ ask, found: ask, rowKey: '17' })
    expect(await between([keyed('a')], [keyed('b')])).toMatchObject([
      { kind: 'renamed', rowKey: '17', name: 'b', old: 'a', new: 'b', rowNumber: 1, run: 2 },
    ])
  })

  it('rows with keys and rows without are not compared', async () => {
    await expect(told([a], [{ ...a, rowKey: '1' }])).rejects.toThrow(
      expect.objectContaining({ code: 'RUNS_NOT_COMPARABLE' }),
    )
  })

  it('a row that came or went names its company', async () => {
    const [came, went] = await between([a], [b])
    expect(came).toMatchObject({ name: 'b', newEntityId: 'siq_1', oldEntityId: null, field: null })
    expect(went).toMatchObject({ name: 'a', newEntityId: null, oldEntityId: 'siq_1', field: null })
  })

  it('entries that both outputs have as often are not read, but the first', async () => {
    const entries = new Entries()
    const many = Array.from({ length: 500 }, (_, at) => row(`n${at}`))
    const older = entries.output(1, [...many, a])
    const newer = entries.output(2, [...many.toReversed(), b])
    expect(await listChanges(older, newer)).toHaveLength(2)
    expect(entries.read.size).toBeLessThanOrEqual(4)
  })

  it('counts are by kind, in their order', async () => {
    const entries = new Entries()
    const outputs = [entries.output(1, [a, b]), entries.output(2, [row('b', 'x'), c])]
    const published = (run: number) => Promise.resolve(outputs[run - 1] ?? null)
    const changes = await readChanges({ published, runs: () => Promise.resolve([]) }, 1, 2)
    while ((await changes.batches.next()).done !== true);
    expect(Object.entries(changes.tally.counts)).toEqual([
      ['new_row', 1],
      ['row_gone', 1],
      ['renamed', 1],
    ])
  })
})

describe('whatever the rows are', () => {
  const anyRow = fc.record({
    ask: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    found: fc.constantFrom(null, 'x', 'y'),
  })
  const anyRows = fc.array(anyRow, { maxLength: 12 })
  const countOf = (changes: readonly Change[], kind: string) =>
    changes.filter((change) => change.kind === kind).length

  it('an output against itself, in any order, is no change', async () => {
    await forAllAsync(100, [anyRows], async (rows) => (await told(rows, rows.toReversed())).length === 0)
  })

  it('each row is told at most once, and what came less what went is the difference', async () => {
    await forAllAsync(100, [anyRows, anyRows], async (older, newer) => {
      const changes = await between(older, newer)
      const here = changes.filter(({ kind }) => kind !== 'row_gone')
      expect(new Set(here.map(({ rowNumber }) => rowNumber)).size).toBe(here.length)
      expect(countOf(changes, 'new_row') - countOf(changes, 'row_gone')).toBe(newer.length - older.length)
      const numbers = here.map(({ rowNumber }) => rowNumber)
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
    })
  })

  it('what came there goes back here', async () => {
    await forAllAsync(100, [anyRows, anyRows], async (older, newer) => {
      const [there, back] = [await between(older, newer), await between(newer, older)]
      expect(countOf(back, 'row_gone')).toBe(countOf(there, 'new_row'))
      expect(countOf(back, 'gained_match')).toBe(countOf(there, 'lost_match'))
      expect(countOf(back, 'renamed')).toBe(countOf(there, 'renamed'))
    })
  })

  it('each change of an answer is told once a row, and nothing else', async () => {
    const anyAnswers = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom('x', 'y')),
    )
    await forAllAsync(
      100,
      [anyAnswers, fc.array(fc.nat(3), { maxLength: 20 }), fc.array(fc.nat(20))],
      async (answers, picks, order) => {
        const asks = Object.keys(answers)
        if (asks.length === 0) return
        const rows = picks.map((pick) => asks[pick % asks.length] ?? '')
        const moved = rows
          .map((ask, at) => ({ ask, place: order[at] ?? at }))
          .sort((p, q) => p.place - q.place)
        const changes = await between(
          rows.map((ask) => row(ask, answers[ask]?.[0])),
          moved.map(({ ask }) => row(ask, answers[ask]?.[1])),
        )
        const expected = moved.flatMap(({ ask }, at) => {
          const [old, now] = answers[ask] ?? []
          return old === now ? [] : [`renamed ${at + 1} ${old} ${now}`]
        })
        expect(
          changes.map(({ kind, rowNumber, old, new: now }) => `${kind} ${rowNumber} ${old} ${now}`),
        ).toEqual(expected)
      },
    )
  })

  it('equal addresses have one number, others have others', () => {
    forAll(100, [fc.array(fc.nat(60), { maxLength: 100 })], (picks) => {
      const groups = new AddressGroups(picks.length)
      // Alike in their first bytes, so that they meet.
      const numbers = picks.map((pick) =>
        groups.add(Uint8Array.from([...new Array<number>(12).fill(0), 0, 0, 0, pick])),
      )
      expect(new Set(numbers).size).toBe(new Set(picks).size)
      for (const [at, pick] of picks.entries()) expect(numbers[picks.indexOf(pick)]).toBe(numbers[at])
    })
  })
})

describe('a row without a name', () => {
  const output = (run: number, name: string | null, values: object | null): PublishedOutput => ({
    run,
    rows: values === null ? new Uint32Array() : Uint32Array.of(run),
    async *entries() {
      const state = `${JSON.stringify({ v: 1, ...values })}\n{}`
      yield await Promise.resolve([run, { address: addressOf('17'), rowKey: null, name, state }] as const)
    },
    numbersOf: () => Promise.resolve([]),
  })
  const company = { status: 'matched', confidence: '99', entity_id: 'siq_1' }

  it.each([
    [
      'that of the newer file',
      { legal_name: 'Larkmoor AS' },
      { legal_name: 'Larkmoor Nord AS' },
      'Larkmoor Nord AS',
    ],
    ['that of the earlier file, if the newer one has none', { legal_name: 'Larkmoor AS' }, {}, 'Larkmoor AS'],
    ['the name in use', { legal_name: 'Norvane OÜ', display_name: 'Norvane' }, {}, 'Norvane'],
    ['none', {}, {}, null],
  ] as const)('has the name of its company: %s', async (_, before, after, expected) => {
    const newer = { ...company, ...after, factors: 'The newest file no longer names it.' }
    const changes = await listChanges(output(1, null, { ...company, ...before }), output(2, null, newer))
    const left = changes.filter(({ kind }) => kind === 'left_register')
    expect(left.map(({ name }) => name)).toEqual([expected])
    const named = await listChanges(
      output(1, 'Zorvex', { ...company, ...before }),
      output(2, 'Zorvex', newer),
    )
    expect(new Set(named.map(({ name }) => name))).toEqual(new Set(['Zorvex']))
    const gone = await listChanges(output(1, null, { ...company, ...before }), output(2, null, null))
    expect(gone).toMatchObject([
      { kind: 'row_gone', name: expected === 'Larkmoor Nord AS' ? 'Larkmoor AS' : expected },
    ])
  })
})
