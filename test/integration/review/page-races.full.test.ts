import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../../support/browser.js'
import { openReview, pressUntilSaid, rowShown, shownRow } from '../../support/review-page.js'
import { ambiguousRows, inventedNames, noneOf, openOnes, reviewPlaces } from '../../support/review-place.js'
import { servePage } from '../../support/review-served.js'
import { interceptRequests } from '../../support/visited-page.js'

const browserPath = findBrowser()
const createPlace = reviewPlaces()
const names = inventedNames(4)

let browser: Browser

async function answered() {
  const place = createPlace(ambiguousRows(names))
  place.writeInput(names.map((name) => [name, '']))
  await place.run()
  return place
}

describe.runIf(browserPath !== null)('what comes too late', () => {
  beforeAll(async () => {
    browser = await openBrowser(browserPath ?? '')
  })
  afterAll(() => browser.close())

  test('a verdict in place of one that was taken back meanwhile is not said to be written, and the row stays', async () => {
    const place = await answered()
    const ben = (await place.open({ review: { reviewer: 'Ben' } })).session
    const [row] = ben.readPage(openOnes).rows
    const { decisions } = await ben.decide([noneOf(row?.lookup ?? '')])
    const { page } = await openReview(browser, (await servePage(await place.open())).url)
    await page.locator('#views button', { hasText: 'All' }).click()
    await page.locator('.notice.settled').waitFor()
    const { name } = await shownRow(page)
    await interceptRequests(page, '**/api/queue*', (route) => route.abort())
    await ben.undo(decisions.map(({ sequence }) => sequence))
    expect(await pressUntilSaid(page, '1')).toContain('Your verdict was not recorded')
    expect(await page.locator('.conflict').innerText()).toContain('The displayed decision was undone')
    expect((await shownRow(page)).name).toBe(name)
    expect(place.decisions()).toEqual([])
    await page.unroute('**/api/queue*')
    expect(await pressUntilSaid(page, '1')).toContain('Accepted')
    expect(place.decisions()).toMatchObject([{ name, verdict: 'accepted' }])
  }, 60_000)

  test('what an earlier search finds does not take the place of what a later one found', async () => {
    const place = await answered()
    const { page } = await openReview(browser, (await servePage(await place.open())).url)
    let letGo: () => void = () => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await interceptRequests(page, `**/api/search*text=${names[2]?.split(' ')[0] ?? ''}*`, async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('/')
    await page.keyboard.type(`${names[2] ?? ''} LLP`)
    await page.keyboard.press('Enter')
    await page.locator('#search-text').fill(`${names[3] ?? ''} LLP`)
    await page.keyboard.press('Enter')
    await page.getByText('Found for').waitFor()
    const before = await shownRow(page)
    expect(before.candidates[0]).toBe(`${names[3] ?? ''} LLP`)
    const late = page.waitForResponse(/api\/search/)
    letGo()
    await (await late).finished()
    await page.waitForTimeout(200)
    await rowShown(page)
    expect(await shownRow(page)).toEqual(before)
  }, 60_000)
})
