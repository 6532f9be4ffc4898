import { statSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import {
  proposeDecisions,
  withDoubtfulRows,
  type ProposedVerdict,
} from '../../../src/app/propose-decisions.js'
import { parseConfig } from '../../../src/config/file-config.js'
import { resolveSettings } from '../../../src/config/settings.js'
import {
  acceptFirst,
  inventedNames,
  noneOf,
  openOnes,
  reviewPlaces,
  type ReviewPlace,
} from '../../support/review-place.js'

const createPlace = reviewPlaces()
const names = inventedNames(4)

async function answered(): Promise<ReviewPlace> {
  const place = createPlace()
  place.writeInput(names.map((name) => [name, '']))
  await place.run()
  return place
}

const depsOf = (place: ReviewPlace) => ({
  settings: resolveSettings(parseConfig(place.config(), 'the config'), {}),
  environment: {},
  stdin: new PassThrough(),
  signal: new AbortController().signal,
})

const doubtful = (place: ReviewPlace) => withDoubtfulRows(depsOf(place), (rows) => rows.list(0, 50))

let nowMs = Date.now()
const propose = (place: ReviewPlace, ...verdicts: Partial<ProposedVerdict>[]) =>
  proposeDecisions(
    depsOf(place),
    verdicts.map((verdict) => ({ lookup: '', verdict: 'none', entityId: null, note: null, ...verdict })),
    { name: 'helper', nowMs: nowMs++ },
  )

const proposalsPath = 'enrich.decisions.proposed.csv'

describe('a proposal of an assistant', () => {
  test('lists the rows of the review page, with their candidates', async () => {
    const place = await answered()
    const review = await place.open()
    const rows = await doubtful(place)
    expect(rows).toMatchObject(review.session.readPage(openOnes).rows)
    for (const { lookup, candidates } of rows)
      expect(candidates).toEqual((await review.session.readShown(lookup, false)).candidates)
  })

  test('is stored apart from the decisions, and changes neither them nor an output', async () => {
    const place = await answered()
    const written = place.readOutput()
    const [row] = await doubtful(place)
    const entityId = row?.candidates[0]?.entityId ?? null
    await propose(place, { lookup: row?.lookup ?? '', verdict: 'accepted', entityId, note: 'same town' })
    expect(statSync(place.path(proposalsPath)).size).toBeGreaterThan(0)
    expect(place.decisions()).toEqual([])
    expect(await place.run()).toMatchObject({ decidedCount: 0 })
    expect(place.readOutput()).toEqual(written)
    expect((await doubtful(place))[0]?.proposal).toMatchObject({
      verdict: 'accepted',
      entityId,
      decidedBy: 'assistant: helper',
      note: 'same town',
    })
  })

  test('is counted and shown until a reviewer decides, and again when the decision is withdrawn', async () => {
    const place = await answered()
    const [row, other] = await doubtful(place)
    const lookup = row?.lookup ?? ''
    await propose(place, { lookup }, { lookup: other?.lookup ?? '' })
    const { session } = await place.open()
    const shown = () => session.readPage(openOnes).rows.map(({ proposal }) => proposal?.verdict ?? null)
    expect([session.getCounts().proposedCount, shown()]).toEqual([2, ['none', 'none', null, null]])
    const { decisions } = await session.decide([noneOf(lookup)])
    expect([session.getCounts().proposedCount, shown()]).toEqual([1, ['none', null, null]])
    expect(place.decisions()).toMatchObject([{ lookup, decided_by: 'ada' }])
    await expect(propose(place, { lookup })).rejects.toMatchObject({ code: 'REVIEW_LOOKUP_UNKNOWN' })
    await session.undo(decisions.map(({ sequence }) => sequence))
    expect(session.getCounts().proposedCount).toBe(2)
  })

  test('of an assistant at the same time is seen by an open review, and replaces the one before', async () => {
    const place = await answered()
    const { session } = await place.open()
    const [row] = await doubtful(place)
    const lookup = row?.lookup ?? ''
    const { version } = session.readPage(openOnes)
    await propose(place, { lookup })
    const { entityId } = await acceptFirst(session, lookup)
    await propose(place, { lookup, verdict: 'accepted', entityId })
    await session.refresh()
    expect(session.readPage(openOnes).version).not.toBe(version)
    expect(session.readPage(openOnes).rows[0]?.proposal).toMatchObject({ verdict: 'accepted', entityId })
  })

  test('may name any company of the registry, which the review then shows first', async () => {
    const place = await answered()
    const [row, other] = await doubtful(place)
    const entityId = other?.candidates[0]?.entityId ?? null
    await propose(place, { lookup: row?.lookup ?? '', verdict: 'accepted', entityId })
    const { session } = await place.open()
    const { candidates } = await session.readDetail(row?.lookup ?? '')
    expect(candidates[0]?.entityId).toBe(entityId)
    const accepted = { ...noneOf(row?.lookup ?? ''), verdict: 'accepted' as const, entityId }
    expect((await session.decide([accepted])).decisions).toHaveLength(1)
  })

  test('that is wrong is refused, and none of its call is stored', async () => {
    const place = await answered()
    const [row] = await doubtful(place)
    const lookup = row?.lookup ?? ''
    for (const verdict of [
      { lookup, verdict: 'accepted', entityId: 'siq_unknown' },
      { lookup, verdict: 'accepted' },
      { lookup, entityId: row?.candidates[0]?.entityId ?? null },
      { lookup: '0'.repeat(32) },
    ] as const)
      await expect(propose(place, { lookup }, verdict)).rejects.toMatchObject({
        code: expect.stringMatching(/REVIEW_(CHOICE_INVALID|LOOKUP_UNKNOWN)/),
      })
    expect((await doubtful(place)).every(({ proposal }) => proposal === null)).toBe(true)
  })

  test('in a broken file stops no run, and is named by the review', async () => {
    const place = await answered()
    writeFileSync(place.path(proposalsPath), 'nonsense\n')
    expect(await place.run()).toMatchObject({ stop: null })
    await expect(place.open()).rejects.toMatchObject({ code: 'DECISIONS_INVALID' })
  })
})
