import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatDecisionLine, decisionsHeader } from '../../../src/pipeline/decisions/decision-lines.js'
import { DecisionSync, readStandingDecisions } from '../../../src/pipeline/decisions/decision-sync.js'
import { readDecisionsFile } from '../../../src/pipeline/decisions/decisions-file.js'
import { openReviewStore, type ReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { startChild, type Child } from '../../support/child-process.js'
import { decisionOf, lookupOf, service } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

let folder: string
let path: string
let store: ReviewStore
let book: DecisionSync
const children: Child[] = []
const checkpoint = () => join(folder, 'checkpoint.sqlite')

beforeEach(() => {
  folder = makeFolder()
  path = join(folder, 'enrich.decisions.csv')
  store = openReviewStore(checkpoint())
  book = new DecisionSync(store.decisions, path, service)
})
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()))
  store.close()
})

async function decide(name: string, changes: Parameters<typeof decisionOf>[1] = {}) {
  const decision = decisionOf(name, changes)
  const stands = store.decisions.listCurrent(service).find(({ lookup }) => lookup === decision.lookup)
  const outcome = await store.decisions.decide(
    [decision],
    new Map([[decision.lookup, stands?.sequence ?? 0]]),
  )
  if (outcome.kind !== 'decided') throw new Error('somebody else decided')
  return outcome.decisions[0]!
}

const verdicts = (found: Iterable<{ name: string; entityId: string | null }>) =>
  [...found].map(({ name, entityId }) => [name, entityId] as const).sort()
const inFile = async () => verdicts((await readDecisionsFile(path))?.decisions ?? [])
const forRuns = async () =>
  verdicts(
    (
      await readStandingDecisions({ path, isNamed: false, checkpointPath: checkpoint(), service })
    ).byLookup.values(),
  )

describe('a decision', () => {
  test('counts for runs at once, and is in the file once the two are brought together', async () => {
    await decide('Acme', { entityId: 'siq_1' })
    expect(await forRuns()).toEqual([['Acme', 'siq_1']])
    await book.sync()
    expect(await inFile()).toEqual([['Acme', 'siq_1']])
    expect(store.decisions.listCurrent(service)).toMatchObject([{ isInFile: true }])
  })

  test('made again replaces the old line; taken back, the old one comes back', async () => {
    await decide('Acme', { entityId: 'siq_1' })
    await book.sync()
    const { sequence } = await decide('Acme', { entityId: 'siq_2' })
    expect(await forRuns()).toEqual([['Acme', 'siq_2']])
    await book.sync()
    expect(await inFile()).toEqual([['Acme', 'siq_2']])
    await store.decisions.withdraw(service, [sequence])
    expect(await forRuns()).toEqual([['Acme', 'siq_1']])
    await book.sync()
    expect(await inFile()).toEqual([['Acme', 'siq_1']])
    expect(await forRuns()).toEqual([['Acme', 'siq_1']])
  })

  test('taken back leaves the file, also where the process was killed before it did', async () => {
    const { sequence } = await decide('Acme')
    await book.sync()
    await store.decisions.withdraw(service, [sequence])
    expect(await forRuns()).toEqual([])
    await new DecisionSync(store.decisions, path, service).sync()
    expect(readFileSync(path, 'utf8')).toBe(decisionsHeader)
    // Put back by somebody, it counts again.
    appendFileSync(path, formatDecisionLine(decisionOf('Acme')))
    expect(await forRuns()).toHaveLength(1)
  })

  test('removed from the file does not count, and stays removed', async () => {
    await decide('Acme', { entityId: 'siq_1' })
    await decide('Acme', { entityId: 'siq_2' })
    await decide('Beta')
    await book.sync()
    writeFileSync(path, decisionsHeader + formatDecisionLine(decisionOf('Beta')))
    expect((await forRuns()).map(([name]) => name)).toEqual(['Beta'])
    await book.sync()
    await book.sync()
    expect((await inFile()).map(([name]) => name)).toEqual(['Beta'])
    expect(store.decisions.listCurrent(service).map(({ name }) => name)).toEqual(['Beta'])
  })

  test('that a colleague wrote to the file is one of the store', async () => {
    const theirs = decisionOf('Acme', { decidedBy: 'Bob', entityId: 'siq_9' })
    writeFileSync(path, decisionsHeader + formatDecisionLine(theirs))
    const { standing } = await book.sync()
    expect([...standing.values()]).toEqual([theirs])
    expect(store.decisions.listCurrent(service)).toMatchObject([{ ...theirs, isInFile: true }])
  })

  test('of another service in the file stays there, and is none of this one', async () => {
    writeFileSync(path, decisionsHeader + formatDecisionLine(decisionOf('Theirs', { service: 'embedded' })))
    await decide('Acme', { entityId: 'siq_1' })
    const { sequence } = await decide('Beta', { entityId: 'siq_2' })
    await book.sync()
    await store.decisions.withdraw(service, [sequence])
    await book.sync()
    expect((await inFile()).map(([name]) => name)).toEqual(['Acme', 'Theirs'])
    expect((await forRuns()).map(([name]) => name)).toEqual(['Acme'])
  })

  test('is written whole again after a power cut took a part of its line', async () => {
    await decide('Acme')
    await book.sync()
    const before = statSync(path).size
    const { sequence } = await decide('Beta', { note: 'a "note"\nof two lines' })
    await book.sync()
    const text = readFileSync(path)
    for (let bytes = before; bytes <= text.length; bytes += 7) {
      writeFileSync(path, text)
      truncateSync(path, bytes)
      await store.decisions.mark([sequence], false)
      expect((await forRuns()).map(([name]) => name)).toEqual(['Acme', 'Beta'])
      await new DecisionSync(store.decisions, path, service).sync()
      expect(readFileSync(path)).toEqual(text)
    }
  })

  test('is lost neither where the store was deleted nor where the file was', async () => {
    await decide('Acme', { entityId: 'siq_1' })
    await book.sync()
    rmSync(path)
    expect(await forRuns()).toEqual([['Acme', 'siq_1']])
    await book.sync()
    expect(await inFile()).toEqual([['Acme', 'siq_1']])
    store.close()
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(folder, `checkpoint.review.sqlite${end}`), { force: true })
    expect(await forRuns()).toEqual([['Acme', 'siq_1']])
    store = openReviewStore(checkpoint())
  })
})

test('a file that is named and not there is an error', async () => {
  await expect(
    readStandingDecisions({ path, isNamed: true, checkpointPath: checkpoint(), service }),
  ).rejects.toMatchObject({ code: 'DECISIONS_NOT_FOUND' })
})

test('reviewers in three processes, killed in the middle: all that was acknowledged is in store and file', async () => {
  const acknowledged = new Map<string, number>()
  const names = ['Ada', 'Bob', 'Cyd']
  for (let round = 0; round < 3; round++) {
    const started = names.map((name) => {
      const reviewer = `${name}${round}`
      const child = startChild(
        new URL('./decider-child.ts', import.meta.url).href,
        checkpoint(),
        path,
        reviewer,
      )
      children.push(child)
      return { reviewer, child }
    })
    await Promise.all(
      started.map(async ({ reviewer, child }) => {
        for (let count = 0; count < 6 + round; count++)
          acknowledged.set(reviewer, Number(await child.nextLine()))
        await child.kill()
      }),
    )
    const standing = new Map(await forRuns())
    for (const [reviewer, last] of acknowledged) {
      for (let index = 0; index <= last; index++) {
        const expected = index % 4 === 2 ? 'siq_second' : 'siq_first'
        expect([index, standing.get(`${reviewer} ${index}`)]).toEqual([index, expected])
      }
    }
  }
  await book.sync()
  const file = await readDecisionsFile(path)
  expect(new Set(file?.decisions.map(({ lookup }) => lookup))).toEqual(
    new Set(store.decisions.listCurrent(service).map(({ lookup }) => lookup)),
  )
  expect(file?.decisions.some(({ lookup }) => lookup === lookupOf('Ada0 2'))).toBe(true)
})
