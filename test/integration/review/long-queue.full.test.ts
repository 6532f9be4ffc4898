import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../../support/browser.js'
import { listView, openReview, pressUntilSaid, shownCounts, shownRow } from '../../support/review-page.js'
import { ambiguousRows, inventedNames, reviewPlaces } from '../../support/review-place.js'
import { servePage } from '../../support/review-served.js'
import { interceptRequests } from '../../support/visited-page.js'

const browserPath = findBrowser()
const createPlace = reviewPlaces()
const rowCount = 4_000

let browser: Browser

/** Until rows that had to be asked for are there; then the whole of what is seen is covered by rows. */
async function expectCovered(page: Page): Promise<readonly string[]> {
  for (let looks = 0; looks < 100 && (await listView(page)).blankPx > 0; looks++)
    await page.waitForTimeout(50)
  const { seen, blankPx, rowCount: inPage } = await listView(page)
  expect(blankPx).toBe(0)
  expect(inPage).toBeLessThan(45)
  expect(seen.length).toBeGreaterThan(8)
  expect(seen.every((name) => name !== '')).toBe(true)
  return seen
}

const nameOf = (index: number) => `Nobody Knows This ${String(index + 1).padStart(5, '0')}`

describe.runIf(browserPath !== null)('thousands of doubtful lookups', () => {
  beforeAll(async () => {
    browser = await openBrowser(browserPath ?? '')
  })
  afterAll(() => browser.close())

  test('rows are seen wherever one jumps, scrolls or is led to, and few of them are in the page', async () => {
    const place = createPlace(ambiguousRows(inventedNames(4)))
    place.writeInput(Array.from({ length: rowCount }, (_, index) => [nameOf(index), '']))
    await place.run()
    const { page, complaints } = await openReview(browser, (await servePage(await place.open())).url)
    expect(await shownCounts(page)).toEqual({ open: rowCount, decided: 0 })
    expect((await expectCovered(page))[0]).toBe(nameOf(0))

    const goTo = async (key: string, index: number) => {
      await page.keyboard.press(key)
      await page.locator('#asked-name', { hasText: nameOf(index) }).waitFor()
      await expectCovered(page)
      expect((await listView(page)).isMarkedSeen).toBe(true)
      expect(await shownRow(page)).toMatchObject({ name: nameOf(index), marked: nameOf(index) })
    }
    await goTo('End', rowCount - 1)
    await goTo('k', rowCount - 2)
    await goTo('PageUp', rowCount - 12)
    await goTo('Home', 0)
    await goTo('PageDown', 10)

    await page.mouse.move(200, 600)
    for (const deltaY of [3_000, 40_000, 180_000, -90_000, 350_000, -480_000, 7]) {
      await page.mouse.wheel(0, deltaY)
      await page.waitForTimeout(100)
      await expectCovered(page)
    }
    for (const share of [0.5, 0.123, 0.999, 1, 0]) {
      await page.evaluate(
        `(() => { const list = document.getElementById('list'); list.scrollTop = list.scrollHeight * ${share} })()`,
      )
      await page.waitForTimeout(50)
      const seen = await expectCovered(page)
      const at = Number(seen[0]?.slice(-5)) / rowCount
      expect(Math.abs(at - Math.min(share, 1 - 15 / rowCount))).toBeLessThan(20 / rowCount)
    }

    // Away from the row that is looked at, a verdict leads back to the one after it.
    await page.evaluate(`document.getElementById('list').scrollTop = 200000`)
    await pressUntilSaid(page, 'n')
    expect(await shownRow(page)).toMatchObject({ name: nameOf(11), marked: nameOf(11) })
    expect((await listView(page)).isMarkedSeen).toBe(true)
    for (let settled = 0; settled < 30; settled++) await pressUntilSaid(page, 'n')
    expect((await shownRow(page)).name).toBe(nameOf(41))
    await expectCovered(page)
    expect(await shownCounts(page)).toEqual({ open: rowCount - 31, decided: 31 })

    await page.locator('#filter-text').fill('0399')
    await page.locator('#queue-count', { hasText: '11 lookups' }).waitFor()
    expect((await listView(page)).seen).toContain(nameOf(3_989))
    expect(complaints).toEqual([])
  }, 180_000)

  test('what is taken back is shown with its candidates once that is durable, and nothing more is waited for', async () => {
    const names = inventedNames(4)
    const place = createPlace(ambiguousRows(names))
    place.writeInput(names.map((name) => [name, '']))
    await place.run()
    const { page, complaints } = await openReview(browser, (await servePage(await place.open())).url)
    const { name, candidates } = await shownRow(page)
    expect(candidates.length).toBe(2)
    await pressUntilSaid(page, '1')
    expect((await shownRow(page)).name).not.toBe(name)
    await interceptRequests(page, /\/api\/(?:queue|lookups)/, () => undefined)
    await page.keyboard.press('u')
    await page.locator('#asked-name', { hasText: name }).waitFor({ timeout: 5_000 })
    expect(await shownRow(page)).toMatchObject({ name, candidates })
    expect(place.decisions()).toEqual([])
    expect(complaints).toEqual([])
  }, 60_000)
})
