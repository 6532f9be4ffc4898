import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.js'
import { compactFile } from '../../../src/pipeline/checkpoint/sqlite/repair.js'
import {
  acceptFirst,
  ambiguousRows,
  everything,
  inventedNames,
  noneOf,
  openOnes,
  reviewPlaces,
  type ReviewPlace,
} from '../../support/review-place.js'
import { errorWith } from '../../support/error-with.js'

const createPlace = reviewPlaces()
const names = inventedNames(12)

/** Twelve doubtful names, the first of them in three rows, and a match. */
async function answered(): Promise<ReviewPlace> {
  const place = createPlace()
  const [first = ''] = names
  place.writeInput([
    ...names.map((name) => [name, ''] as const),
    [`${first} LLP`, 'Leeds'],
    [first, ''],
    [first.toUpperCase(), ''],
  ])
  await place.run()
  return place
}

/** An open review of these names, with its open rows and their keys. */
async function opened() {
  const place = await answered()
  const review = await place.open()
  const { rows } = review.session.readPage(openOnes)
  const [first = '', second = '', third = ''] = rows.map(({ lookup }) => lookup)
  return { place, session: review.session, rows, first, second, third }
}

describe('the queue', () => {
  test('holds what is doubtful, with the rows that ask it, and nothing else', async () => {
    const { session } = await opened()
    const { rows, totalCount, openByStatus, isRunGoingOn } = session.readPage(openOnes)
    expect(rows.map(({ name, rowCount, status }) => ({ name, rowCount, status }))).toEqual(
      names.map((name, at) => ({ name, rowCount: at === 0 ? 3 : 1, status: 'inconclusive' })),
    )
    expect({ totalCount, openByStatus, isRunGoingOn }).toEqual({
      totalCount: 12,
      openByStatus: { inconclusive: 12 },
      isRunGoingOn: false,
    })
    expect(session.getCounts()).toMatchObject({
      openCount: 12,
      openRowCount: 14,
      lookupCount: 13,
      unansweredCount: 0,
    })
  })

  test('gives windows of a filter, and says where a lookup is in it', async () => {
    const { session } = await opened()
    const all = session.readPage({ ...openOnes, sort: 'rows' })
    const [, , third] = all.rows
    const window = session.readPage({
      ...openOnes,
      sort: 'rows',
      from: 2,
      count: 3,
      find: [third?.lookup ?? '', 'f'.repeat(32)],
    })
    expect(window.rows).toEqual(all.rows.slice(2, 5))
    expect(window.places).toEqual({ [third?.lookup ?? '']: 2 })
    expect(session.readPage({ ...openOnes, text: third?.name.slice(0, 6) ?? '' }).rows).toEqual([third])
    expect(session.readPage({ ...openOnes, from: 100 }).rows).toEqual([])
    expect([...session.readRows({ ...openOnes, sort: 'input' })]).toEqual(session.readPage(openOnes).rows)
  })

  test('holds a match too where the team trusts only surer ones', async () => {
    const place = await answered()
    const { session } = await place.open({ review: { threshold: 100, reviewer: 'ada' } })
    expect(session.readPage({ ...openOnes, statuses: ['matched'] }).rows).toMatchObject([
      { location: 'Leeds', status: 'matched' },
    ])
  })
})

describe('a lookup', () => {
  test('is shown next to its candidates, with the evidence and differences of each', async () => {
    const { session, rows, first } = await opened()
    const [row] = rows
    const detail = await session.readDetail(first)
    expect(detail.row).toEqual(row)
    expect(detail.candidatesError).toBeNull()
    expect(detail.candidates.map(({ legalName }) => legalName).sort()).toEqual([
      `${row?.name ?? ''} LLP`,
      `${row?.name ?? ''} Limited`,
    ])
    expect(detail.candidates.map(({ obstacle }) => obstacle)).toEqual([null, null])
    expect(detail.candidates.every(({ evidence }) => evidence.length > 0)).toBe(true)
    const [{ nameMarks, askedMarks } = { nameMarks: [], askedMarks: [] }] = detail.candidates
    expect(askedMarks).toEqual([{ text: row?.name, isShared: true }])
    expect(nameMarks[0]).toEqual({ text: `${row?.name ?? ''} `, isShared: true })
    expect(nameMarks[1]?.isShared).toBe(false)
    expect(detail.factors.length).toBeGreaterThan(0)
  })

  test('that is none of the input is refused', async () => {
    const { session } = await opened()
    await expect(session.readDetail('0'.repeat(32))).rejects.toMatchObject({ code: 'REVIEW_LOOKUP_UNKNOWN' })
    await expect(session.decide([noneOf('0'.repeat(32))])).rejects.toMatchObject({
      code: 'REVIEW_LOOKUP_UNKNOWN',
    })
  })

  test('finds companies by what a person types', async () => {
    const { session, first } = await opened()
    const { candidates } = await session.search({
      lookup: first,
      text: `${names[5] ?? ''} Limited`,
      country: 'GB',
    })
    expect(candidates[0]?.legalName).toBe(`${names[5] ?? ''} Limited`)
    expect((await session.search({ lookup: first, text: 'zzzz', country: null })).candidates).toEqual([])
  })
})

describe('a decision', () => {
  test('leaves the queue and is in the store and in the file, with who and when', async () => {
    const { place, session, rows, first, second } = await opened()
    const [one, other] = rows
    const choice = await acceptFirst(session, first)
    const reply = await session.decide([{ ...choice, note: ' asked their office ' }])
    expect(reply).toMatchObject({ others: [], page: { openCount: 11, decidedCount: 1 } })
    await session.decide([noneOf(second)])
    expect(place.decisions()).toMatchObject([
      {
        lookup: first,
        name: one?.name,
        verdict: 'accepted',
        entity_id: choice.entityId,
        decided_by: 'ada',
        note: 'asked their office',
        service: 'embedded',
      },
      { lookup: second, verdict: 'none', entity_id: '' },
    ])
    expect(session.readPage({ ...everything, view: 'decided' }).rows.map(({ name }) => name)).toEqual([
      one?.name,
      other?.name,
    ])
    expect(session.listDecisions(10).decisions.map(({ verdict }) => verdict)).toEqual(['none', 'accepted'])
    expect(session.countOwn()).toBe(2)
  })

  test('is there again when the review is opened again, and the next run honours it', async () => {
    const place = await answered()
    const opened = await place.open()
    const [row] = opened.session.readPage(openOnes).rows
    const choice = await acceptFirst(opened.session, row?.lookup ?? '')
    await opened.session.decide([choice])
    await opened.close()
    const { session } = await place.open()
    expect(session.getCounts()).toMatchObject({ openCount: 11, decidedCount: 1 })
    expect(session.countOwn()).toBe(0)
    await place.run()
    const [line] = place.readOutput()
    expect(line).toMatchObject({
      enrich_status: 'matched',
      enrich_entity_id: choice.entityId,
      enrich_decision: 'accepted',
      enrich_decided_by: 'ada',
    })
  })

  test('of many is made of all of them or of none', async () => {
    const { place, session, first, second, rows } = await opened()
    const wrong = { ...noneOf(second), seen: 7 }
    const refused = await session.decide([noneOf(first), wrong])
    expect(refused).toMatchObject({ decisions: [], others: [] })
    expect(place.decisions()).toEqual([])
    const taken = await session.decide(rows.map(({ lookup }) => noneOf(lookup)))
    expect(taken.decisions).toHaveLength(12)
    expect(place.decisions()).toHaveLength(12)
    expect(session.getCounts()).toMatchObject({ openCount: 0, decidedCount: 12 })
  })

  test('accepts only companies that were shown with the lookup, or found for it', async () => {
    const { session, rows, first: lookup, second } = await opened()
    const other = await acceptFirst(session, second)
    await session.readDetail(lookup)
    const foreign = { ...other, lookup }
    await expect(session.decide([foreign])).rejects.toMatchObject({ code: 'REVIEW_CHOICE_INVALID' })
    await session.search({ lookup, text: rows[1]?.name ?? '', country: null })
    expect((await session.decide([foreign])).decisions).toMatchObject([{ entityId: other.entityId }])
    // From then on it is one of its candidates.
    expect((await session.readDetail(lookup)).candidates[0]?.entityId).toBe(other.entityId)
  })

  test('is taken back, alone or as the group that it was made in', async () => {
    const { place, session, first, second, third } = await opened()
    const [one] = (await session.decide([noneOf(first)])).decisions
    await session.decide([noneOf(second), noneOf(third)])
    expect((await session.undo([])).decisions.map(({ lookup }) => lookup).sort()).toEqual(
      [second, third].sort(),
    )
    expect(place.decisions()).toHaveLength(1)
    expect((await session.undo([one?.sequence ?? 0])).decisions).toHaveLength(1)
    expect(session.getCounts()).toMatchObject({ openCount: 12, decidedCount: 0 })
    expect(place.decisions()).toEqual([])
    // Nothing is left to take back.
    expect((await session.undo([])).decisions).toEqual([])
    expect((await session.undo([one?.sequence ?? 0])).decisions).toEqual([])
  })

  test('that is decided again is replaced, and comes back when that is taken back', async () => {
    const { place, session, first } = await opened()
    await session.decide([noneOf(first)])
    await session.decide([await acceptFirst(session, first)])
    expect(place.decisions()).toMatchObject([{ verdict: 'accepted' }])
    await session.undo([])
    expect(place.decisions()).toMatchObject([{ verdict: 'none' }])
    expect(session.readPage({ ...everything, view: 'decided' }).rows).toMatchObject([
      { decision: { verdict: 'none' } },
    ])
  })
})

describe('the same name', () => {
  test('is shown for names that differ in legal form, case and punctuation, and settled for all of them at once', async () => {
    const [name = '', other = ''] = inventedNames(2)
    const place = createPlace(ambiguousRows([name, other]))
    place.writeInput([
      [name, ''],
      [`${name} Limitada`, ''],
      [`${name.toUpperCase()} S.A.`, ''],
      [name, 'Paris'],
      [other, ''],
    ])
    await place.run()
    const { session } = await place.open()
    const { rows } = session.readPage(openOnes)
    const first = rows.find((row) => row.name === name && row.location === null)
    const { alike, candidates } = await session.readDetail(first?.lookup ?? '')
    const isOther = (row: { readonly name: string; readonly lookup: string }) =>
      row.lookup !== first?.lookup && row.name !== other
    expect(alike.map(({ row }) => row.lookup).sort()).toEqual(
      rows
        .filter(isOther)
        .map(({ lookup }) => lookup)
        .sort(),
    )
    expect(alike.length).toBeGreaterThan(0)
    const [company] = candidates
    const willing = alike.filter(({ entityIds }) => entityIds.includes(company?.entityId ?? ''))
    const group = [first?.lookup ?? '', ...willing.map(({ row }) => row.lookup)]
    const entityId = company?.entityId ?? null
    const reply = await session.decide(
      group.map((lookup) => ({ ...noneOf(lookup), verdict: 'accepted' as const, entityId })),
    )
    expect(reply.decisions).toHaveLength(group.length)
    expect((await session.undo([])).decisions).toHaveLength(group.length)
  })

  test('one that was decided is not among them any more', async () => {
    const [name = ''] = inventedNames(1)
    const place = createPlace(ambiguousRows([name]))
    place.writeInput([
      [name, ''],
      [name, 'Paris'],
      [name, 'Rome'],
    ])
    await place.run()
    const { session } = await place.open()
    const [first, second] = session.readPage(openOnes).rows.map(({ lookup }) => lookup)
    expect((await session.readDetail(first ?? '')).alike).toHaveLength(2)
    await session.decide([noneOf(second ?? '')])
    expect((await session.readDetail(first ?? '')).alike).toHaveLength(1)
  })
})

describe('two reviewers', () => {
  test('the second is told what the first decided, and nothing of his is kept', async () => {
    const place = await answered()
    const ada = (await place.open()).session
    const bob = (await place.open({ review: { reviewer: 'bob' } })).session
    const [row] = ada.readPage(openOnes).rows
    const lookup = row?.lookup ?? ''
    await ada.decide([noneOf(lookup)])
    const late = await bob.decide([await acceptFirst(bob, lookup)])
    expect(late).toMatchObject({
      decisions: [],
      others: [{ decidedBy: 'ada', verdict: 'none' }],
      page: { openCount: 11 },
    })
    expect(place.decisions()).toMatchObject([{ decided_by: 'ada' }])
    // Having seen it, he may decide otherwise.
    const seen = bob.readPage({ ...everything, view: 'decided' }).rows[0]?.decision?.sequence ?? 0
    await bob.decide([{ ...(await acceptFirst(bob, lookup)), seen }])
    await ada.refresh()
    expect(ada.readPage({ ...everything, view: 'decided' }).rows).toMatchObject([
      { decision: { decidedBy: 'bob' } },
    ])
    expect(place.decisions()).toMatchObject([{ decided_by: 'bob' }])
    // What was replaced is not hers to take back.
    expect((await ada.undo([])).decisions).toEqual([])
  })

  test('each sees what the other decided and took back', async () => {
    const place = await answered()
    const ada = (await place.open()).session
    const bob = (await place.open({ review: { reviewer: 'bob' } })).session
    const { version } = bob.readPage(openOnes)
    await ada.decide(
      ada
        .readPage(openOnes)
        .rows.slice(0, 4)
        .map(({ lookup }) => noneOf(lookup)),
    )
    await bob.refresh()
    expect(bob.getCounts()).toMatchObject({ openCount: 8, decidedCount: 4 })
    expect(bob.readPage(openOnes).version).not.toBe(version)
    await ada.undo([])
    await bob.refresh()
    expect(bob.getCounts()).toMatchObject({ openCount: 12, decidedCount: 0 })
  })
})

describe('the decisions file', () => {
  test('what a colleague committed is seen without starting again, and what he removed is open again', async () => {
    const { place, session, first, second } = await opened()
    await session.decide([noneOf(first)])
    const path = place.path('enrich.decisions.csv')
    const [header = '', line = ''] = readFileSync(path, 'utf8').split('\n')
    appendFileSync(path, `${line.replace(first, second).replace(',ada,', ',eve,')}\n`)
    await session.refresh()
    expect(
      session.readPage({ ...everything, view: 'decided' }).rows.map(({ decision }) => decision?.decidedBy),
    ).toEqual(['ada', 'eve'])
    writeFileSync(path, `${header}\n`)
    await session.refresh()
    expect(session.getCounts()).toMatchObject({ openCount: 12, decidedCount: 0 })
  })

  test('broken while the page is open: the page reports it, and the verdict is kept and written after the repair', async () => {
    const { place, session, first, second } = await opened()
    await session.decide([noneOf(first)])
    const path = place.path('enrich.decisions.csv')
    const sound = readFileSync(path, 'utf8')
    writeFileSync(path, `${sound}<<<<<<< HEAD\n`)
    const deciding = session.decide([noneOf(second)])
    await expect(deciding).rejects.toMatchObject(
      errorWith('DECISIONS_INVALID', { hint: 'the decision is stored' }),
    )
    expect(session.getCounts()).toMatchObject({ decidedCount: 2 })
    writeFileSync(path, sound)
    await session.refresh()
    expect(place.decisions().map(({ lookup }) => lookup)).toEqual([first, second])
  })

  test('what was decided before it had an answer is no longer without one', async () => {
    const { place, session, first, second } = await opened()
    await session.decide([noneOf(first)])
    await session.decide([noneOf(second)])
    const other = createPlace()
    other.writeInput(names.map((name) => [name, ''] as const))
    writeFileSync(other.path('enrich.decisions.csv'), readFileSync(place.path('enrich.decisions.csv')))
    await other.run({ budget: { lookupsMax: 5 } })
    const { session: next } = await other.open()
    const { openCount, decidedCount, unansweredCount } = next.getCounts()
    expect({ openCount, decidedCount, unansweredCount }).toEqual({
      openCount: 5,
      decidedCount: 2,
      unansweredCount: 5,
    })
  })

  test('what was decided and never came to it is written to it when a review opens', async () => {
    const place = await answered()
    const opened = await place.open()
    await opened.session.decide([noneOf(opened.session.readPage(openOnes).rows[0]?.lookup ?? '')])
    await opened.close()
    rmSync(place.path('enrich.decisions.csv'))
    await place.open()
    expect(place.decisions()).toHaveLength(1)
  })
})

describe('a checkpoint that changes while its review is open', () => {
  test('a run answers more: the queue grows by it', async () => {
    const place = createPlace()
    place.writeInput(names.map((name) => [name, ''] as const))
    await place.run({ budget: { lookupsMax: 5 } })
    const { session } = await place.open()
    expect(session.getCounts()).toMatchObject({ openCount: 5, unansweredCount: 7, lookupCount: 12 })
    await place.run()
    await session.refresh()
    expect(session.getCounts()).toMatchObject({ openCount: 12, unansweredCount: 0 })
    expect(session.readPage(openOnes).rows.map(({ name }) => name)).toEqual(names)
  })

  test('compacted it is the same one', async () => {
    const { place, session } = await opened()
    compactFile(place.path('checkpoint.sqlite'), systemClock.nowMs())
    await session.refresh()
    expect(session.readPage(openOnes).rows).toHaveLength(12)
  })

  test.each<[string, (path: string) => void]>([
    [
      'removed',
      (path) => {
        rmSync(path)
      },
    ],
    [
      'replaced',
      (path) => {
        const bytes = readFileSync(path)
        renameSync(path, `${path}.old`)
        writeFileSync(path, bytes)
      },
    ],
  ])('%s: every call says so, and what was decided is safe', async (_, change) => {
    const place = await answered()
    const opened = await place.open()
    const { session } = opened
    const [first, second] = session.readPage(openOnes).rows.map(({ lookup }) => lookup)
    await session.decide([noneOf(first ?? '')])
    change(place.path('checkpoint.sqlite'))
    const changed = { code: 'REVIEW_CHECKPOINT_CHANGED' }
    expect(() => session.readPage(openOnes)).toThrow(expect.objectContaining(changed))
    await expect(session.readDetail(second ?? '')).rejects.toMatchObject(changed)
    await expect(session.decide([noneOf(second ?? '')])).rejects.toMatchObject(changed)
    await expect(session.undo([])).rejects.toMatchObject(changed)
    await expect(session.refresh()).rejects.toMatchObject(changed)
    expect(place.decisions()).toHaveLength(1)
  })
})

test('where nothing is known yet it is said which', async () => {
  const place = createPlace()
  place.writeInput([[names[0] ?? '', '']])
  await expect(place.open()).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' })
  await place.run({ budget: { lookupsMax: 0 } })
  await expect(place.open()).rejects.toMatchObject({ code: 'REVIEW_NOTHING_ANSWERED' })
})
