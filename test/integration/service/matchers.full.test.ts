import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  CandidateCache,
  createMatcherPool,
  countDefaultThreads,
  type MatcherPool,
} from '../../../src/app/matcher-pool.js'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { UserError } from '../../../src/core/errors.js'
import { openRegistry } from '../../../src/registry/registry.js'
import type { Query, ResolutionText } from '../../../src/service/knowledge.js'
import { decideRun, toResolutionText } from '../../../src/service/runs/run-outcome.js'
import { threadCode } from '../../support/thread-code.js'
import { addRows, type Row } from '../../support/registry.js'

/** Many of them resemble each other: a name takes as much longer to match as there are more. */
const companyCount = 120
const companies: readonly Row[] = Array.from({ length: companyCount }, (_, at) => ({
  id: `c${at}`,
  name: `${['Alder', 'Birch', 'Cedar', 'Dogwood'][at % 4] ?? ''} ${at} Holdings Limited`,
  city: 'London',
  country: 'GB',
}))
const asks = (name: string): Query => ({ name, location: null, context: null })
const code = threadCode(new URL('../../support/matcher-child.ts', import.meta.url))

type PoolDeps = Parameters<typeof createMatcherPool>[0]

/** A pool over a registry in a folder of its own. */
function openPool(deps: Partial<PoolDeps> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-matchers-'))
  const path = join(folder, 'registry.sqlite')
  const written = openRegistry(path)
  addRows(written, companies)
  written.close()
  const registry = openRegistry(path, { readonly: true })
  const logged: string[] = []
  const log = (line: string) => logged.push(line)
  const all: PoolDeps = { registry, registryPath: path, threadCount: 1, start: 'at_once', log, code, ...deps }
  const pool = createMatcherPool(all)
  const close = async () => {
    await pool.close()
    registry.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const untilOpen = () => until(() => pool.openThreadCount() === all.threadCount)
  return { pool, registry, path, folder, logged, here: createKnowledge(registry), close, until, untilOpen }
}

/** One that is closed when the test is over. */
function openPoolOfTest(deps: Partial<PoolDeps> = {}) {
  const opened = openPool(deps)
  onTestFinished(opened.close)
  return opened
}

const shared = openPool({ threadCount: 2, code: { ...code, heapMebibytesMax: 128 } })
const impatient = openPool({ questionMsMax: 2_000 })
beforeAll(() => Promise.all([shared.untilOpen(), impatient.untilOpen()]))
afterAll(() => Promise.all([shared.close(), impatient.close()]))

async function textOf(pool: MatcherPool, name: string): Promise<ResolutionText> {
  const answer = await pool.resolve(asks(name))
  if (!('outcome' in answer)) throw new Error(`${name} was not answered by a thread`)
  return answer
}

describe('names matched in threads', () => {
  test('each of a thousand questions at a time has its own answer, the one that this thread would give', async () => {
    const { pool, here } = shared
    const names = Array.from({ length: 1_000 }, (_, at) => String(companies[at % companyCount]?.['name']))
    const searches = names
      .slice(0, 200)
      .map((name) => ({ name, countryCode: null, regionCode: null, limit: 3 }))
    const [answers, found] = await Promise.all([
      Promise.all(names.map((name) => textOf(pool, name))),
      Promise.all(searches.map(async (request) => pool.search(request))),
    ])
    const expected = new Map(
      companies.map(({ name = '' }) => [name, toResolutionText(here.resolve(asks(name)))]),
    )
    expect(answers).toEqual(names.map((name) => expected.get(name)))
    expect(found).toEqual(searches.map((request) => here.search(request)))
    expect(new Set(answers.map(({ outcome }) => outcome)).size).toBe(companyCount)
  })

  test('questions of every kind have their turn, whichever are many', async () => {
    const { pool, here } = shared
    const asked = asks('Alder')
    const ended: string[] = []
    const request = { name: 'Birch 1', countryCode: null, regionCode: null, limit: 3 }
    const runs = Array.from({ length: 500 }, async () => {
      await pool.resolve(asked)
      ended.push('run')
    })
    const [likely, found] = await Promise.all([pool.likelyCompanies(asked, 4), pool.search(request)])
    expect(ended.length).toBeLessThan(400)
    await Promise.all(runs)
    expect(likely).toEqual(here.likelyCompanies(asked, 4))
    expect(likely.companies).not.toHaveLength(0)
    expect(found).toEqual(here.search(request))
  })

  test('until there is work enough for threads, this one answers, and none is started', () => {
    const { pool, here } = openPoolOfTest({
      start: 'with_work',
      code: { file: new URL('file:///nowhere.js') },
    })
    expect(pool.resolve(asks('Birch 1 Holdings'))).toEqual(
      toResolutionText(here.resolve(asks('Birch 1 Holdings'))),
    )
  })

  test('with work, threads are started', async () => {
    const { pool, until } = openPoolOfTest({ start: 'with_work' })
    await until(() => pool.resolve(asks('Alder 0')) instanceof Promise)
    expect((await textOf(pool, 'Birch 1 Holdings')).status).toBe('matched')
  })

  test('one core has no threads, others one each, up to a bound', () => {
    expect([1, 2, 4, 64].map(countDefaultThreads)).toEqual([0, 2, 4, 8])
  })

  test('without threads, all is answered here', () => {
    const { pool } = openPoolOfTest({ threadCount: 0 })
    expect(pool.resolve(asks('Cedar 2 Holdings'))).toMatchObject({ status: 'matched' })
  })

  test('where threads cannot be started, all is answered here, and it is said', async () => {
    const { pool, logged, until } = openPoolOfTest({ code: { file: new URL('file:///nowhere.js') } })
    await until(() => logged.length === 3)
    expect(pool.resolve(asks('Cedar 2 Holdings'))).toMatchObject({ status: 'matched' })
  })
})

describe('a question that takes long', () => {
  test('holds up no other, not even those that were given to its thread before', async () => {
    const { pool, folder } = shared
    const path = join(folder, 'others-are-answered')
    const slow = textOf(pool, `AWAIT ${path}`)
    await Promise.all(companies.map(({ name = '' }) => textOf(pool, name)))
    writeFileSync(path, '')
    await slow
  })

  test('is given up in the end, and its thread makes room for another', async () => {
    const { pool } = impatient
    await impatient.untilOpen()
    const hanging = textOf(pool, 'HANG')
    const after = textOf(pool, 'Alder 4 Holdings')
    await expect(hanging).rejects.toThrow('took longer than 2 s')
    expect((await after).status).toBe('matched')
  })

  test('ends its run as failed, with the reason', async () => {
    const { pool } = impatient
    await impatient.untilOpen()
    expect(await decideRun(pool, asks('HANG'), { withBasis: true, nowMs: 0 })).toMatchObject({
      status: 'FAILED',
      fault: 'matching this name took longer than 2 s, and was stopped',
    })
  })
})

describe('a thread that ends', () => {
  test('in the middle of questions is replaced, and they are all answered', async () => {
    const { pool, folder, logged } = shared
    await shared.untilOpen()
    const names = companies.map(({ name = '' }) => name)
    const dying = [1, 2].map((at) => textOf(pool, `DIEONCE ${join(folder, `died-${at}`)}`))
    const answers = await Promise.all(names.map((name) => textOf(pool, name)))
    expect(answers.every(({ status }) => status === 'matched')).toBe(true)
    expect((await Promise.all(dying)).map(({ status }) => status)).not.toContain('failed')
    expect(logged.slice(-2)).toEqual(Array(2).fill('a thread that matches names ended: it ended with 3'))
    expect((await textOf(pool, 'Alder 8 Holdings')).status).toBe('matched')
  })

  test('at the same question again is blamed on it, and on no other', async () => {
    const { pool } = shared
    await shared.untilOpen()
    const dying = textOf(pool, 'DIE')
    const others = companies.map(({ name = '' }) => textOf(pool, name))
    await expect(dying).rejects.toThrow('ended its thread, and that of the retry')
    expect(await Promise.all(others)).toHaveLength(companyCount)
  })

  test('for want of memory leaves the process and the other questions alone', async () => {
    const { pool, logged } = shared
    await shared.untilOpen()
    await expect(textOf(pool, 'FILL')).rejects.toThrow('ended its thread')
    expect(logged.join()).toContain('memory')
    expect((await textOf(pool, 'Alder 8 Holdings')).status).toBe('matched')
  })
})

describe('candidates', () => {
  const doubtful = asks('Alder')
  const certain = asks('Alder 4 Holdings Limited')

  test('of each question are those that this thread would give', async () => {
    const { pool, here } = shared
    await shared.untilOpen()
    const queries = ['Alder', 'Birch 1 Gardens', 'Cedar 2', 'Nothing Like It', 'Dogwoods 3'].map(asks)
    const found = await Promise.all(queries.map((query) => pool.candidates(query)))
    expect(found).toEqual(queries.map((query) => here.candidates(query)))
    expect(found.map(({ length }) => length)).toEqual([5, 1, 1, 0, 1])
  })

  test('of a doubtful answer come along with it, and are handed out once', async () => {
    const { pool, here, untilOpen } = openPoolOfTest({ doubtThreshold: 80 })
    await untilOpen()
    expect((await textOf(pool, doubtful.name)).status).toBe('no_match')
    expect((await textOf(pool, certain.name)).status).toBe('matched')
    // What came along needs no thread any more.
    await pool.close()
    expect(here.candidates(doubtful)).not.toHaveLength(0)
    expect(await pool.candidates(doubtful)).toEqual(here.candidates(doubtful))
    await expect(pool.candidates(doubtful)).rejects.toThrow('closed')
    await expect(pool.candidates(certain)).rejects.toThrow('closed')
  })

  test('come along from this thread too, before there are others', async () => {
    const { pool, here } = openPoolOfTest({ start: 'with_work', threadCount: 0, doubtThreshold: 80 })
    expect(pool.resolve(doubtful)).toEqual(toResolutionText(here.resolve(doubtful)))
    await pool.close()
    expect(await pool.candidates(doubtful)).toEqual(here.candidates(doubtful))
  })

  test('are not made for a service that does not use them', async () => {
    const { pool, untilOpen } = openPoolOfTest()
    await untilOpen()
    expect((await textOf(pool, doubtful.name)).status).toBe('no_match')
    await pool.close()
    await expect(pool.candidates(doubtful)).rejects.toThrow('closed')
  })

  test('that came along are bounded: the oldest are dropped', () => {
    const along = new CandidateCache()
    for (let number = 0; number <= 5_000; number++) along.keep(asks(`Alder ${number}`), '[]')
    expect(along.take(asks('Alder 0'))).toBeNull()
    expect(along.take(asks('Alder 1'))).toBe('[]')
    expect(along.take(asks('Alder 1'))).toBeNull()
    const large = 'x'.repeat(9 * 2 ** 20)
    along.keep(asks('large'), large)
    along.keep(asks('other'), large)
    expect([along.take(asks('large')), along.take(asks('other')), along.take(asks('Alder 2'))]).toEqual([
      null,
      large,
      null,
    ])
    along.keep({ ...asks('one'), context: 'x' }, '[1]')
    expect(along.take(asks('one'))).toBeNull()
  })
})

describe('errors', () => {
  test('keep their code and their hint between threads', async () => {
    const { pool } = shared
    await shared.untilOpen()
    const error: unknown = await textOf(pool, 'REFUSE').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({
      code: 'REGISTRY_INVALID',
      message: 'the file is damaged',
      hint: 'import it again',
    })
    await expect(textOf(pool, 'BREAK')).rejects.toMatchObject({ code: 'SQLITE_IOERR', message: 'disk gone' })
  })

  test('of a registry that cannot be read at the moment go to all questions of a message, and the thread goes on', async () => {
    const { pool, path, logged, untilOpen } = openPoolOfTest()
    await untilOpen()
    writeFileSync(`${path}.locked`, '')
    const names = ['Alder 4 Holdings', 'Birch 5 Holdings']
    const ends = await Promise.allSettled(names.map((name) => textOf(pool, name)))
    const refused = { status: 'rejected', reason: { code: 'SQLITE_BUSY' } }
    expect(ends).toMatchObject([refused, refused])
    rmSync(`${path}.locked`)
    expect((await textOf(pool, 'Alder 4 Holdings')).status).toBe('matched')
    expect(logged).toEqual([])
  })
})

test('Closing rejects open questions and ends the threads', async () => {
  const { pool, untilOpen } = openPoolOfTest()
  await untilOpen()
  const open = ['HANG', 'HANG', 'Alder 4 Holdings'].map((name) => textOf(pool, name))
  const ends = Promise.allSettled(open)
  await pool.close()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(() => pool.resolve(asks('Alder 4 Holdings'))).toThrow('closed')
  await pool.close()
})

describe('a registry that changes', () => {
  test('by an import is answered from as it is now, in every thread', async () => {
    const { pool, path, untilOpen } = openPoolOfTest({ threadCount: 2 })
    await untilOpen()
    expect((await textOf(pool, 'Elm Gardens Limited')).status).toBe('no_match')
    const edition = pool.edition?.()
    const written = openRegistry(path)
    addRows(written, [{ id: 'new', name: 'Elm Gardens Limited', country: 'GB' }], { sourceName: 'second' })
    written.close()
    expect(pool.edition?.()).not.toBe(edition)
    const answers = await Promise.all(Array.from({ length: 60 }, () => textOf(pool, 'Elm Gardens Limited')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['matched']))
  })

  test('by another file in its place is answered from as it was, until the next start', async () => {
    const { pool, path, logged, until, untilOpen } = openPoolOfTest({ questionMsMax: 100 })
    await untilOpen()
    copyFileSync(path, `${path}.next`)
    const next = openRegistry(`${path}.next`)
    addRows(next, [{ id: 'new', name: 'Elm Gardens Limited', country: 'GB' }], { sourceName: 'second' })
    next.close()
    renameSync(`${path}.next`, path)
    // Its thread is ended, and the one that takes its place opens the other file.
    await expect(textOf(pool, 'HANG')).rejects.toThrow('took longer')
    await until(() => logged.some((line) => line.includes('was replaced')))
    expect(await pool.resolve(asks('Elm Gardens Limited'))).toMatchObject({ status: 'no_match' })
    expect(await pool.resolve(asks('Alder 4 Holdings'))).toMatchObject({ status: 'matched' })
  })
})
