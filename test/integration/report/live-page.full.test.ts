import { request } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunEvent, Progress } from '../../../src/pipeline/history/run-summary.js'
import { systemClock } from '../../../src/platform/clock.js'
import { LiveRun } from '../../../src/report/live/live-page.js'
import { startLiveServer, type LiveServer } from '../../../src/report/live/live-server.js'
import { findBrowser, openBrowser } from '../../support/browser.js'
import {
  breakIn,
  findActive,
  findBrokenFigures,
  findBarriers,
  findTooWide,
  openAllDetails,
} from '../../support/page-checks.js'
import { hostile, sampleReport, sampleTimeline } from '../../support/report-samples.js'
import { visit, type Visit, type VisitOptions } from '../../support/visited-page.js'

const browserPath = findBrowser()

let browser: Browser
let run: LiveRun
let server: LiveServer
let seen: Visit | null = null

beforeEach(async () => {
  run = new LiveRun({ command: 'enrich in.csv', startedAtMs: 0, nowMs: () => 1_000 })
  server = await startLiveServer({ run, address: { host: '127.0.0.1', port: 0 }, clock: systemClock })
})
afterEach(async () => {
  await seen?.page.close()
  seen = null
  await server.close()
})

async function look(options: VisitOptions = {}): Promise<Visit> {
  seen = await visit(browser, server.url, options)
  return seen
}

function progress(done: number, index = 60, laterMs = 0): Extract<RunEvent, { type: 'progress' }> {
  const point = sampleTimeline[index] ?? sampleTimeline[0]!
  const sofar = { ...point, elapsedMs: point.elapsedMs + laterMs }
  const shown: Progress = {
    lookups: 5_000,
    done,
    running: 181,
    cached: 37,
    decided: 0,
    failed: 2,
    uncertain: 1,
    toSubmit: 900,
    heldBack: 0,
    submissionsPerMinute: 598,
    pollsPerMinute: 97,
    submitLimit: 600,
    pollLimit: null,
    elapsedMs: sofar.elapsedMs,
    etaMs: 61_000,
    outcomes: { matched: done, no_match: 64 },
    sofar,
    firstAnswersInMs: null,
    stages: [],
    money: null,
    budget: null,
  }
  return { type: 'progress', progress: shown }
}

const planned: RunEvent = {
  type: 'planned',
  rowCount: 6_000,
  spending: null,
  lookupCount: 5_000,
  domainCount: 0,
  plan: { submit: 5_000, poll: 0, answered: 0, decided: 0, invalid: 0, uncertain: 0, failed: 0 },
}

function goOn(done = 1_204): void {
  run.observe(planned)
  for (const index of sampleTimeline.keys()) run.observe(progress(done, index))
}

function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, server.url), { headers }, (reply) => {
      let body = ''
      reply.setEncoding('utf8').on('data', (text: string) => (body += text))
      reply.on('end', () => {
        resolve({ status: reply.statusCode ?? 0, body })
      })
    })
      .on('error', reject)
      .end()
  })
}

describe('the server of the live page', () => {
  test('a page whose name was pointed at this machine, or of another site, sees nothing', async () => {
    expect((await ask('/')).status).toBe(200)
    expect(await ask('/', { host: 'evil.example' })).toEqual({ status: 403, body: '' })
    expect(await ask('/live', { origin: 'https://evil.example' })).toEqual({ status: 403, body: '' })
  })

  test('only what the page is made of is served, and only read', async () => {
    expect((await ask('/etc/passwd')).status).toBe(404)
    expect((await ask('/%')).status).toBe(400)
    const posted = await fetch(server.url, { method: 'POST', body: 'x' })
    expect(posted.status).toBe(404)
    const page = await fetch(server.url)
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('no-store')
  })

  test('lookups that a budget forbids are left for another run, and are not to be submitted', async () => {
    run.observe(planned)
    const { progress: shown } = progress(100)
    const budget = { costMax: 5, spent: 4.95 }
    const money = { currency: 'EUR', cost: 4.95, uncertainCost: 0, byKind: {} } as Progress['money']
    run.observe({ type: 'progress', progress: { ...shown, toSubmit: 1, heldBack: 899, money, budget } })
    const { body } = await ask('/')
    expect(body).toContain('181 running, 899 left for another run, about 1m01s left.')
    const tiles = [...body.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/g)].map(([, name, value]) => [
      name,
      value,
    ])
    expect(Object.fromEntries(tiles)).toMatchObject({
      'To submit': '1',
      'Left for another run': '899',
      'Budget spent': 'EUR\u00a04.95 of EUR\u00a05.00',
    })
    run.observe(progress(101))
    expect((await ask('/')).body).not.toContain('left for another run')
  })

  test('nothing is rendered without a reader, and memory does not grow with events', () => {
    for (let index = 0; index < 20_000; index++) {
      run.observe({ type: 'notice', text: `notice ${index}` })
      run.observe(progress(index, index % 61))
    }
    const { notices, timeline } = run.getData()
    expect(notices.length).toBe(30)
    expect(notices[0]?.text).toBe('notice 19999')
    expect(timeline.length).toBeLessThanOrEqual(240)
  })

  test('a question for the next state is answered at once where there is another, and with none where the server closes', async () => {
    const state = await fetch(`${server.url}live?after=`)
    const tag = state.headers.get('x-state') ?? ''
    const held = fetch(`${server.url}live?after=${tag}`)
    await systemClock.sleep(300)
    await server.close()
    expect((await held).status).toBe(204)
    await expect(fetch(server.url)).rejects.toThrow()
  })
})

describe.runIf(browserPath !== null)('the live page of a run', () => {
  beforeAll(async () => {
    browser = await openBrowser(browserPath ?? '')
  })
  afterAll(() => browser.close())

  test.each(
    [400, 1200].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme }))),
  )('fits $width pixels, $scheme, and has no barrier', async ({ width, scheme }) => {
    goOn()
    run.observe({ type: 'notice', text: 'The service asks to wait.', isWarning: true })
    run.setEarlierRuns(sampleReport())
    const { page, complaints } = await look({ width, scheme })
    await openAllDetails(page)
    expect(await findTooWide(page)).toEqual({ page: 0, parts: [] })
    expect(await findBarriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('shows what happens as it happens, without a reload', async () => {
    run.observe({ type: 'notice', text: 'Name from company_name' })
    const { page, complaints } = await look()
    await page.evaluate('window.isTheSame = true')
    expect(await page.locator('.lead').textContent()).toBe(
      'The input is being read. No lookup is submitted yet.',
    )
    goOn(1_204)
    await page.getByText('1,204 of 5,000 lookups done, 181 running').waitFor()
    goOn(1_377)
    await page.getByText('1,377 of 5,000 lookups done').waitFor()
    run.observe({ type: 'publishing', path: 'out.csv' })
    await page.getByText('The output of 6,000 rows is being written.').waitFor()
    expect(await page.evaluate('window.isTheSame')).toBe(true)
    expect(complaints).toEqual([])
  })

  test('what is focused, opened and scrolled stays so, and what is selected is left alone', async () => {
    goOn(1_204)
    run.setEarlierRuns(sampleReport())
    const { page } = await look()
    await page.click('#timeline-data > summary')
    await page.evaluate(`document.getElementById('timeline-table').scrollTop = 120`)
    await page.evaluate('window.scrollTo(0, 400)')
    await page.focus('#timeline-data > summary')
    const place = await page.evaluate<number>('window.scrollY')
    for (let later = 1; later <= 30; later++) run.observe(progress(1_500, 60, later * 10_000))
    await page.getByText('1,500 of 5,000 lookups done').waitFor()
    await page.getByText('after 15m00s').waitFor()
    expect(await page.evaluate(`document.activeElement.closest('details').id`)).toBe('timeline-data')
    expect(await page.evaluate(`document.getElementById('timeline-data').open`)).toBe(true)
    expect(await page.evaluate(`document.getElementById('timeline-table').scrollTop`)).toBe(120)
    expect(await page.evaluate('window.scrollY')).toBe(place)
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.lead'))`)
    run.observe({ type: 'notice', text: 'one more' })
    goOn(1_777)
    await page.getByText('one more').waitFor()
    expect(await page.locator('.lead').textContent()).toContain('1,500')
    await page.evaluate('getSelection().removeAllRanges()')
    await page.getByText('1,777 of 5,000 lookups done').waitFor()
  })

  test('the last state of a run is its report, and stays after the run is gone', async () => {
    goOn()
    const { page, complaints } = await look()
    await page.getByText('1,204 of 5,000 lookups done').waitFor()
    run.end({ report: sampleReport(), failure: null })
    await server.close()
    await page.getByText('The run has ended. This page no longer changes.').waitFor()
    expect(await page.locator('h1').textContent()).toBe('Run 31')
    expect(await page.locator('h2').first().textContent()).toBe('What changed')
    expect(await findActive(page)).toEqual([
      '<link rel="stylesheet" href="watch.css">',
      '<script defer="" src="watch.js"></script>',
      '<script defer="" src="watch.js"></script>',
    ])
    expect(complaints).toEqual([])
  })

  test('no figure is broken across lines on a phone', async () => {
    const event = progress(1_204)
    const money = { currency: 'EUR', cost: 1_234.5, uncertainCost: 0, byKind: {} }
    run.observe(planned)
    run.observe({ ...event, progress: { ...event.progress, money } })
    const { page } = await look({ width: 400 })
    expect(await page.locator('.tiles').innerText()).toContain('EUR\u00a01,234.50')
    expect(await findBrokenFigures(page)).toEqual([])
    expect(await findTooWide(page)).toEqual({ page: 0, parts: [] })
  })

  test('a run that disappeared without an end is reported', async () => {
    goOn()
    const { page } = await look()
    await page.getByText('1,204 of 5,000 lookups done').waitFor()
    await server.close()
    await page.getByText('The run has ended or cannot be reached').waitFor()
    expect(await page.locator('.lead').textContent()).toContain('1,204')
  })

  test('an error that ended the run is shown', async () => {
    goOn()
    const { page } = await look()
    run.end({ report: null, failure: 'DISK_FULL: the disk is full' })
    await page.getByText('The run ended with an error: DISK_FULL: the disk is full').waitFor()
  })

  test('hostile words run nothing, in what is shown at first and in what comes later', async () => {
    const { page, complaints } = await look({ width: 400 })
    for (let index = 0; index < 100; index++) run.observe({ type: 'notice', text: hostile('notice', index) })
    run.observe({ type: 'notice', text: 'the last one' })
    await page.getByText('the last one').waitFor()
    run.end({ report: sampleReport({ words: hostile }), failure: null })
    await page.getByText('The run has ended.').waitFor()
    await openAllDetails(page)
    expect((await findActive(page)).filter((part) => !/watch\.(js|css)/.test(part))).toEqual([])
    expect(await findTooWide(page)).toEqual({ page: 0, parts: [] })
    expect(await page.title()).toBe('A run of enrich')
    expect(complaints).toEqual([])
    expect(await breakIn(page)).not.toContain('has run')
  })
})
