import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { renderReportPage } from '../../../src/report/report.js'
import type { ReportData } from '../../../src/report/report-data.js'
import { findBrowser, openBrowser } from '../../support/browser.js'
import {
  breakIn,
  countReachable,
  findActive,
  findBarriers,
  findBlankScrolls,
  findBrokenFigures,
  findBrokenWords,
  findCutBoxes,
  findTooWide,
  focusedIndex,
  followLinks,
  openAllDetails,
} from '../../support/page-checks.js'
import { hostile, sampleReport, sampleRun } from '../../support/report-samples.js'
import { visit, type Visit, type VisitOptions } from '../../support/visited-page.js'

const browserPath = findBrowser()

let browser: Browser
let folder: string
let seen: Visit

async function look(data: ReportData, options: VisitOptions = {}): Promise<Visit> {
  const path = join(folder, 'report.html')
  writeFileSync(path, renderReportPage(data))
  seen = await visit(browser, pathToFileURL(path).href, options)
  return seen
}

const firstRun: ReportData = {
  run: sampleRun(1, { money: null, service: 'embedded', timeline: [], alarms: [] }, { exitCode: 0 }),
  earlier: [],
  paid: [],
  changes: null,
  review: { rowCount: 0, entries: [] },
  unanswered: { rowCount: 0, entries: [] },
  madeAtMs: Date.UTC(2026, 0, 2),
}

const failedRun: ReportData = {
  ...firstRun,
  run: sampleRun(
    2,
    {
      figures: null,
      summary: null,
      money: null,
      timeline: [],
      error: { code: 'DISK_FULL', message: 'the disk is full' },
    },
    { isPublished: false, exitCode: 5 },
  ),
  review: null,
  unanswered: null,
}

const strangeRun: ReportData = {
  ...failedRun,
  run: sampleRun(3, {}, { record: null, endedAtMs: null, exitCode: null }),
}

/** Barriers of both schemes are looked for where a report has parts of its own; each of the others has those of one. */
const reports: readonly (readonly [title: string, hasOwnParts: boolean, make: () => ReportData])[] = [
  ['the thirty-first night', true, () => sampleReport({ rowCount: 1_000, changeCount: 12 })],
  ['a first run on the embedded service', false, () => firstRun],
  ['a run that failed', true, () => failedRun],
  ['a run that another version wrote down', true, () => strangeRun],
  ['hostile words in every field', false, () => sampleReport({ words: hostile, rowCount: 5_000 })],
]

/** Colours are those of a scheme at every width, and places those of a width in both. */
const windows = [
  { width: 400, scheme: 'dark' },
  { width: 1200, scheme: 'light' },
] as const

describe.runIf(browserPath !== null)('the report of a run', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'enrich-report-'))
    browser = await openBrowser(browserPath ?? '')
  })
  afterEach(() => seen.page.close())
  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe.each(reports)('%s', (_, hasOwnParts, make) => {
    test('fits each window, has no barrier, and runs, loads and sends nothing', async () => {
      const { page, complaints } = await look(make())
      expect(await page.title()).toMatch(/^Run \d+, \d{4}-\d\d-\d\d: enrich$/)
      expect(await page.locator('h1').count()).toBe(1)
      await openAllDetails(page)
      await page.mouse.move(300, 300)
      for (const { width, scheme } of windows) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme: scheme })
        expect([width, await findTooWide(page)]).toEqual([width, { page: 0, parts: [] }])
        if (scheme === 'light' || hasOwnParts)
          expect([scheme, await findBarriers(page)]).toEqual([scheme, []])
      }
      expect(await findActive(page)).toEqual([])
      expect(complaints).toEqual([])
    })

    test('is printed whole', async () => {
      const { page } = await look(make(), { width: 700 })
      await page.emulateMedia({ media: 'print' })
      expect(await findCutBoxes(page)).toEqual([])
      expect((await findTooWide(page)).page).toBe(0)
      const pdf = await page.pdf({ format: 'A4' })
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    })
  })

  test('no amount is broken across lines, at any width', async () => {
    const report = sampleReport({ rowCount: 1_234_567 })
    const money = { currency: 'EUR', cost: 1_234_567.89, uncertainCost: 0, byKind: {} }
    const record = { ...report.run.record!, money }
    const { page } = await look({ ...report, run: { ...report.run, record } })
    expect(await page.locator('.tiles').innerText()).toContain('EUR\u00a01,234,567.89')
    for (const width of [320, 400, 800, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await findBrokenFigures(page)]).toEqual([width, []])
      expect([width, await findTooWide(page)]).toEqual([width, { page: 0, parts: [] }])
    }
  })

  test('no word breaks inside, and no box or tile shows less or more than its content, at any width', async () => {
    const report = sampleReport()
    const entries = (report.review?.entries ?? []).map((entry) => ({
      ...entry,
      name: 'Internationale Handelsgesellschaft Aktiengesellschaft',
      status: 'partial_match',
      reason: 'The registrations differ in jurisdiction and incorporation.',
      source: `https://search.gleif.org/#/record/HWUPKR0MPOU8FGXBT394?of=${entry.rowNumber}`,
    }))
    const id = 'siq_14a74c080fa777674839024f'
    const largest = (report.changes?.largest ?? []).map((change) => ({
      ...change,
      old: 'Handelsgesellschaft Aktiengesellschaft',
      new: id,
      oldEntityId: id,
      newEntityId: id,
    }))
    const changes = { baseline: 30, counts: report.changes?.counts ?? {}, largest }
    const review = { rowCount: 12_345, entries }
    const { page } = await look({ ...report, changes, review })
    await openAllDetails(page)
    for (const width of [320, 400, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await findBrokenWords(page)]).toEqual([width, []])
      expect([width, await findBlankScrolls(page)]).toEqual([width, []])
      const [whole = 0, ...tiles] = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.tiles, .tiles div:not(.long)')].map((box) => box.clientWidth)`,
      )
      expect(Math.max(...tiles)).toBeLessThan(whole)
    }
  })

  test('links to pages of one site can be told apart, and the reason of an answer is shown', async () => {
    const bases = ['https://search.gleif.org/#/record/', `https://example.com/${'register/'.repeat(30)}?id=`]
    const entries = bases.flatMap((base) =>
      ['HWUPKR0MPOU8FGXBT394', 'INR2EJN1ERAN0W5ZP974'].map((id, index) => ({
        rowNumber: index + 1,
        rowCount: 1,
        rowKey: null,
        name: 'Acme',
        status: 'inconclusive',
        confidence: 40,
        found: null,
        reason: 'Two companies have this name.',
        source: base + id,
      })),
    )
    const { page } = await look({ ...firstRun, review: { rowCount: entries.length, entries } })
    const shown = await page.locator('#review-table a').allInnerTexts()
    expect(new Set(shown).size).toBe(entries.length)
    for (const text of await page.locator('#review-table tbody td:last-child').allInnerTexts())
      expect(text).toContain('Two companies have this name.')
  })

  test('an alarm is told once', async () => {
    const message = 'rows<5: the output has 2 rows'
    const alarms = [{ condition: 'rows<5', found: 2, message }]
    const { page } = await look({ ...firstRun, run: sampleRun(1, { alarms }) })
    const text = await page.locator('body').innerText()
    expect(text.split('rows<5')).toHaveLength(2)
    expect(await page.locator('.lead').innerText()).toContain('One ALARM, see below.')
  })

  test('a script or a picture that got into it would not be run or loaded', async () => {
    const { page, complaints } = await look(sampleReport())
    expect(await breakIn(page)).not.toContain('has run')
    await expect
      .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length)
      .toBe(2)
  })

  test('the tab key reaches everything that can be opened, followed or scrolled, in the order of the page', async () => {
    const { page } = await look(sampleReport({ changeCount: 6, rowCount: 400 }))
    await openAllDetails(page)
    const count = await countReachable(page)
    expect(count).toBeGreaterThan(40)
    const order: number[] = []
    for (let index = 0; index < count; index++) {
      await page.keyboard.press('Tab')
      order.push(await focusedIndex(page))
    }
    expect(order).toEqual(Array.from({ length: count }, (_, index) => index))
  })

  test('a table that is closed is opened by keyboard', async () => {
    const { page } = await look(sampleReport())
    const table = page.locator('#confidence-table')
    expect(await table.isVisible()).toBe(false)
    await page.focus('#confidence-data > summary')
    await page.keyboard.press('Enter')
    expect(await table.isVisible()).toBe(true)
  })

  test('every link of the contents leads to a heading, and no id stands twice', async () => {
    const { page } = await look(sampleReport())
    expect(await followLinks(page)).toMatchObject({ lost: [], broken: [], repeated: [], navCount: 8 })
  })

  test('words of files are shown as they are, what turns or drives others as an escape', async () => {
    const { page } = await look(sampleReport({ words: hostile }))
    await openAllDetails(page)
    const text = (await page.locator('body').textContent()) ?? ''
    expect(text).toContain('<script>alert(1)</script>')
    expect(text).toContain('nul\\u0000nul')
    expect(text).toContain('\\u202egnp.exe')
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })
})
