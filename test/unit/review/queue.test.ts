import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeptDecision } from '../../../src/core/decisions.js'
import { TextIndex } from '../../../src/review/queue-columns.js'
import { Queue, type NewEntry } from '../../../src/review/queue.js'
import type { QueueFilter } from '../../../src/review/session.js'
import { forAll } from '../../support/properties.js'

const entry = (id: number, change: Partial<NewEntry> = {}): NewEntry => ({
  id,
  rowCount: 1,
  firstRow: id,
  status: 'inconclusive',
  confidence: null,
  nameHash: id,
  isDoubtful: true,
  text: `Company ${id}`,
  ...change,
})

const decided = (sequence: number): KeptDecision => ({
  sequence,
  isInFile: true,
  lookup: '0'.repeat(32),
  name: 'Acme',
  location: null,
  verdict: 'none',
  entityId: null,
  entityName: null,
  decidedBy: 'ada',
  decidedAtMs: 0,
  note: null,
  service: 'embedded',
})

const everything: QueueFilter = { view: 'all', statuses: [], text: '', sort: 'input' }

function queueOf(...entries: NewEntry[]) {
  const queue = new Queue()
  for (const one of entries) queue.add(one)
  const ids = (filter: Partial<QueueFilter> = {}) =>
    [...queue.filter({ ...everything, ...filter })].map((place) => queue.readEntry(place).id)
  return { queue, ids }
}

describe('orders', () => {
  test('what most rows ask comes first, or the likeliest, or what comes first in the input', () => {
    const { ids } = queueOf(
      entry(1, { rowCount: 2, confidence: 10, firstRow: 7 }),
      entry(2, { rowCount: 9, confidence: null, firstRow: 5 }),
      entry(3, { rowCount: 2, confidence: 70, firstRow: 3 }),
      entry(4, { rowCount: 2, confidence: 0, firstRow: 1 }),
    )
    expect(ids({ sort: 'rows' })).toEqual([2, 4, 3, 1])
    expect(ids({ sort: 'confidence' })).toEqual([3, 1, 4, 2])
    expect(ids({ sort: 'input' })).toEqual([4, 3, 2, 1])
  })

  test('lookups without a candidate come last, however many rows they have, and take their place when that changes', () => {
    const { queue, ids } = queueOf(
      entry(1, { rowCount: 9, status: 'no_match', firstRow: 0 }),
      entry(2, { rowCount: 1, status: 'inconclusive', firstRow: 1 }),
      entry(3, { rowCount: 8, status: 'not_found', firstRow: 2 }),
      entry(4, { rowCount: 2, status: 'partial_match', firstRow: 3 }),
    )
    expect(ids({ sort: 'rows' })).toEqual([4, 2, 1, 3])
    expect(ids({ sort: 'input' })).toEqual([1, 2, 3, 4])
    queue.update(1, { status: 'inconclusive' })
    expect(ids({ sort: 'rows' })).toEqual([1, 4, 2, 3])
  })

  test('what comes later takes its place among the others', () => {
    const value = fc.record({ rowCount: fc.nat(5), confidence: fc.option(fc.nat(5)) })
    forAll(100, [fc.array(fc.array(value, { maxLength: 8 }), { maxLength: 6 })], (batches) => {
      const { queue, ids } = queueOf()
      const all: NewEntry[] = []
      for (const batch of batches) {
        for (const one of batch) all.push(entry(all.length + 1, { ...one, firstRow: (all.length * 7) % 31 }))
        for (const one of all.slice(all.length - batch.length)) queue.add(one)
        const firstRows = (one: NewEntry, other: NewEntry) => one.firstRow - other.firstRow
        const byRows = [...all].sort((one, other) => other.rowCount - one.rowCount || firstRows(one, other))
        expect(ids({ sort: 'rows' })).toEqual(byRows.map(({ id }) => id))
        const likely = (one: NewEntry) => one.confidence ?? -1
        const byConfidence = [...all].sort(
          (one, other) => likely(other) - likely(one) || firstRows(one, other),
        )
        expect(ids({ sort: 'confidence' })).toEqual(byConfidence.map(({ id }) => id))
      }
    })
  })

  test('one whose confidence changes goes to where it belongs', () => {
    const { queue, ids } = queueOf(entry(1, { confidence: 10 }), entry(2, { confidence: 20 }))
    expect(ids({ sort: 'confidence' })).toEqual([2, 1])
    queue.update(1, { confidence: 30 })
    expect(ids({ sort: 'confidence' })).toEqual([1, 2])
  })
})

describe('filters', () => {
  test('views show what is open, what is decided, or both', () => {
    const { queue, ids } = queueOf(entry(1), entry(2), entry(3), entry(4, { isDoubtful: false }))
    queue.decide(2, decided(1), null)
    queue.decide(3, decided(2), 'it was merged')
    expect(ids({ view: 'open' })).toEqual([1, 3])
    expect(ids({ view: 'decided' })).toEqual([2])
    expect(ids({ view: 'all' })).toEqual([1, 2, 3])
    expect(queue.counts()).toMatchObject({ openCount: 2, decidedCount: 1, openByStatus: { inconclusive: 2 } })
    queue.decide(2, null, null)
    expect(ids({ view: 'open' })).toEqual([1, 2, 3])
  })

  test('an answer that is sure by now leaves the queue, unless it is decided', () => {
    const { queue, ids } = queueOf(entry(1), entry(2))
    queue.decide(2, decided(1), null)
    for (const id of [1, 2]) queue.update(id, { status: 'matched', confidence: 99, isDoubtful: false })
    expect(ids()).toEqual([2])
  })

  test('statuses and texts are both asked for', () => {
    const { ids } = queueOf(
      entry(1, { text: 'Société Générale, Paris', status: 'no_match' }),
      entry(2, { text: 'SOCIETE ANONYME', status: 'inconclusive' }),
      entry(3, { text: 'Acme', status: 'no_match' }),
    )
    expect(ids({ text: 'societe' })).toEqual([1, 2])
    expect(ids({ text: ' Sociéte  générale' })).toEqual([1])
    expect(ids({ text: 'société', statuses: ['no_match'] })).toEqual([1])
    expect(ids({ statuses: ['no_match', 'inconclusive'] })).toEqual([1, 2, 3])
    expect(ids({ statuses: ['unheard_of'] })).toEqual([])
  })

  test('what is found stays true while the queue grows', () => {
    const { queue, ids } = queueOf(entry(1, { text: 'Acme' }))
    expect(ids({ text: 'acme' })).toEqual([1])
    queue.add(entry(2, { text: 'Acme Two' }))
    expect(ids({ text: 'acme' })).toEqual([1, 2])
  })
})

test('the version changes with what is seen, and only then', () => {
  const { queue } = queueOf(entry(1))
  const { version } = queue
  queue.update(1, { status: 'inconclusive', confidence: null, isDoubtful: true })
  queue.decide(1, null, null)
  expect(queue.version).toBe(version)
  queue.decide(1, decided(1), null)
  expect(queue.version).toBeGreaterThan(version)
})

test('beyond a thousand entries nothing is lost, nor beyond as many statuses as there is room for', () => {
  const { queue, ids } = queueOf()
  for (let id = 1; id <= 3_000; id++)
    queue.add(entry(id, { rowCount: id, confidence: id % 101, status: `status_${id % 300}` }))
  expect(ids()).toHaveLength(3_000)
  expect(queue.get(2_999)).toMatchObject({
    id: 2_999,
    rowCount: 2_999,
    confidence: 2_999 % 101,
    firstRow: 2_999,
  })
  expect(ids({ statuses: ['status_7'] })).toHaveLength(10)
})

test('a part of a text is found where any text holds it, and nowhere else', () => {
  const text = fc
    .array(fc.constantFrom('ab', 'b', 'é', 'ß', ' ', 'ba', '自'), { maxLength: 6 })
    .map((parts) => parts.join(''))
  forAll(
    100,
    [fc.array(text, { maxLength: 30 }), fc.constantFrom('a', 'ab', 'b b', 'e', 'bab', '自', 'ss')],
    (texts, part) => {
      const searched = new TextIndex()
      for (const one of texts) searched.add(one)
      const folded = (one: string) =>
        one
          .normalize('NFKD')
          .replace(/\u0301/g, '')
          .replace(/\s+/g, ' ')
          .trim()
      expect([...searched.find(part)]).toEqual(texts.map((one) => Number(folded(one).includes(part))))
    },
  )
})

test('texts are found in every piece of the memory that they are in', () => {
  const texts = new TextIndex()
  for (let number = 0; number < 10_000; number++) texts.add(`Company ${number}`)
  const found = texts.find('99')
  expect(found.reduce((sum, mark) => sum + mark, 0)).toBe(280)
  expect([found[99], found[9_999], found[9_998], found[5_000]]).toEqual([1, 1, 1, 0])
})
