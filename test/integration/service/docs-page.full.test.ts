import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../src/contract/routes.js'
import { findBrowser, openBrowser } from '../../support/browser.js'
import {
  breakIn,
  findBarriers,
  findBlankScrolls,
  findCoveredText,
  findTooWide,
  followLinks,
  openAllDetails,
  topOf,
} from '../../support/page-checks.js'
import { startTestService, type TestService } from '../../support/test-service.js'

const browserPath = findBrowser()

let it: TestService
let browser: Browser
let page: Page
let complaints: string[]
/** The page in a window of this width; whatever goes wrong on it, or leaves for elsewhere, is noted. */
async function visit(path: string, width = 1400, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
  complaints = []
  page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('request', (request) => {
    // The URL of a `blob:` has the origin of its page.
    if (new URL(request.url()).origin !== it.service.url && !request.url().startsWith('data:')) {
      complaints.push(`left for ${request.url()}`)
    }
  })
  await page.goto(it.service.url + path)
}

const windows = [320, 400, 768, 1280, 1920].map((width, index) => ({
  width,
  scheme: index % 2 === 0 ? ('light' as const) : ('dark' as const),
}))

describe.runIf(browserPath !== null)('/docs', () => {
  beforeAll(async () => {
    it = await startTestService({ version: '9.8.7' })
    browser = await openBrowser(browserPath ?? '')
  })
  afterEach(() => page.close())
  afterAll(() => browser.close())

  test.each(windows)(
    'fits $width pixels, $scheme, and requests nothing of another host',
    async ({ width, scheme }) => {
      await visit('/docs', width, scheme)
      await openAllDetails(page)
      expect(await findTooWide(page)).toEqual({ page: 0, parts: [] })
      expect(await findBlankScrolls(page)).toEqual([])
      expect(await findCoveredText(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test.each(['light', 'dark'] as const)('has no barriers, %s', async (scheme) => {
    await visit('/docs', 1400, scheme)
    await openAllDetails(page)
    expect(await findBarriers(page)).toEqual([])
  })

  test('every link of the contents leads to a heading, and every other link within the page to a place of it', async () => {
    await visit('/docs')
    const found = await followLinks(page)
    expect(found).toMatchObject({ lost: [], broken: [], repeated: [], navCount: 6, innerCount: 6 })
  })

  test('a link of the contents takes its reader there', async () => {
    await visit('/docs')
    await page.click('nav a[href="#limits"]')
    await expect.poll(() => topOf(page, 'webhooks')).toBeLessThan(0)
  })

  test('a sample is shown in the language that is chosen', async () => {
    await visit('/docs', 360)
    const python = page.getByText('hmac.compare_digest')
    expect(await python.isVisible()).toBe(false)
    await page.click('label[for="verify-2"]')
    expect(await python.isVisible()).toBe(true)
    expect(await page.getByText('timingSafeEqual(given').isVisible()).toBe(false)
  })

  test('a button at each block copies its code', async () => {
    await visit('/docs')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('.copyable', { hasText: 'until answer=' })
    await block.getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => block.getByRole('button').textContent()).toBe('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('until answer=$(curl')
  })

  test('runs no script and loads no picture, even if one got into it', async () => {
    await visit('/docs')
    expect(await breakIn(page)).not.toContain('has run')
    await expect
      .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length)
      .toBe(2)
  })

  test('/ leads a browser there', async () => {
    await visit('/')
    expect(page.url()).toBe(`${it.service.url}/docs`)
    expect(await page.title()).toContain('Company entity resolution')
    expect(complaints).toEqual([])
  })
})

describe.runIf(browserPath !== null)('/docs/reference', () => {
  beforeAll(async () => {
    it = await startTestService({ version: '9.8.7' })
    browser = await openBrowser(browserPath ?? '')
  })
  afterEach(() => page.close())
  afterAll(() => browser.close())

  const showRoute = async (name: string, width = 1400) => {
    await visit(`/docs/reference#operation/${name}`, width)
    await page.locator(`[id="operation/${name}"]`).waitFor()
  }

  test.each([400, 800, 1400])(
    'shows every route with its examples in %i pixels, and requests nothing of another host',
    async (width) => {
      await showRoute('pollRun', width)
      for (const name of Object.keys(routes))
        expect(await page.locator(`[id="operation/${name}"]`).count(), name).toBe(1)
      const text = await page.locator('[id="operation/pollRun"]').innerText()
      for (const part of ['run_id', '/v3/runs/{run_id}', '"row-17"', 'Accepted, or still running'])
        expect(text).toContain(part)
      await expect.poll(() => topOf(page, 'operation/pollRun')).toBeLessThan(100)
      expect((await findTooWide(page)).page).toBe(0)
      expect(complaints).toEqual([])
    },
  )

  test.each([400, 1400])('has no barriers in %i pixels, with fields and contents opened', async (width) => {
    await showRoute('kickoffRun', width)
    for (const button of await page.locator('[id="operation/kickoffRun"] button[aria-expanded=false]').all())
      await button.click()
    expect(await findBarriers(page)).toEqual([])
  })

  test('a search finds a route', async () => {
    await showRoute('pollRun')
    await page.fill('input[type=text]', 'hierarchy')
    await page.locator('[data-role="search:results"] li').first().waitFor()
    expect(complaints).toEqual([])
  })

  test('runs no script and loads no picture, even if one got into it', async () => {
    await showRoute('pollRun')
    expect(await breakIn(page)).not.toContain('has run')
    await expect
      .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length)
      .toBe(2)
  })

  test('leads to the guide, and the guide to a route', async () => {
    await showRoute('pollRun')
    await page.click('header a')
    expect(page.url()).toBe(`${it.service.url}/docs`)
    await page.click('a[href="docs/reference#operation/kickoffRun"]')
    await page.locator('[id="operation/kickoffRun"]').waitFor()
  })
})
