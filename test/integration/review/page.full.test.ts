import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EnrichConfig } from '../../../src/index.js'
import type { ReviewServer } from '../../../src/review/server/review-server.js'
import { startService } from '../../../src/service/service.js'
import { findBrowser, openBrowser } from '../../support/browser.js'
import { fakeKnowledge } from '../../support/fake-knowledge.js'
import { keys } from '../../support/keys.js'
import {
  breakIn,
  findBarriers,
  findBlankScrolls,
  findCoveredText,
  openAllDetails,
} from '../../support/page-checks.js'
import type { Row } from '../../support/registry.js'
import { findSideways, openReview, pressUntilSaid, shownCounts, shownRow } from '../../support/review-page.js'
import { decided, writeDecisions } from '../../support/decisions.js'
import {
  acceptFirst,
  ambiguousRows,
  inventedNames,
  openOnes,
  reviewPlaces,
  type ReviewPlace,
} from '../../support/review-place.js'
import { servePage } from '../../support/review-served.js'
import { interceptRequests, type Visit, type VisitOptions } from '../../support/visited-page.js'

const browserPath = findBrowser()
const createPlace = reviewPlaces()
const names = inventedNames(8)

let browser: Browser
const visits: Visit[] = []
const servers: (ReviewServer & { bugs: readonly unknown[] })[] = []

afterEach(async () => {
  for (const { page } of visits.splice(0)) await page.close()
  for (const server of servers.splice(0)) {
    await server.close()
    expect(server.bugs).toEqual([])
  }
})

async function serve(place: ReviewPlace, more: EnrichConfig = {}): Promise<ReviewServer> {
  const server = await servePage(await place.open(more))
  servers.push(server)
  return server
}

async function look(place: ReviewPlace, options: VisitOptions = {}, more: EnrichConfig = {}): Promise<Visit> {
  const visit = await openReview(browser, (await serve(place, more)).url, options)
  visits.push(visit)
  return visit
}

/** A run over names each of which two companies bear, and which are alike but for that. */
async function answered(
  inputs: readonly (readonly [string, string])[] = names.map((name) => [name, ''] as const),
  rows?: readonly Row[],
): Promise<ReviewPlace> {
  const place = createPlace(rows)
  place.writeInput(inputs)
  await place.run()
  return place
}

const verdictsOf = (place: ReviewPlace) =>
  place.decisions().map(({ name, verdict, entity_name }) => [name, verdict === 'none' ? 'none' : entity_name])

const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement === document.body ? 'body' : document.activeElement.id || document.activeElement.className`,
  )

describe.runIf(browserPath !== null)('the review page', () => {
  beforeAll(async () => {
    browser = await openBrowser(browserPath ?? '')
  })
  afterAll(() => browser.close())

  test('shows what an assistant proposed, by the name of the company, and confirms it as the reviewer', async () => {
    const place = await answered()
    const { session } = await place.open()
    const { lookup, entityId } = await acceptFirst(session, session.readPage(openOnes).rows[0]?.lookup ?? '')
    const [candidate] = (await session.readDetail(lookup)).candidates
    writeDecisions(place.path('enrich.decisions.proposed.csv'), [
      decided('Acme', '', {
        lookup,
        entityId,
        entityName: 'Another name',
        decidedBy: 'assistant: helper',
        decidedAtMs: Date.now(),
        note: 'same town',
        service: 'embedded',
      }),
    ])
    const { page } = await look(place)
    expect(await page.locator('[role=option][aria-selected=true]').innerText()).toContain('proposed')
    const notice = page.locator('.notice', { hasText: 'Proposed by an assistant' })
    expect(await notice.innerText()).toMatch(
      new RegExp(`Accepted: ${candidate?.legalName ?? ''} by assistant: helper, .* “same town”`),
    )
    expect(await findBarriers(page)).toEqual([])
    await notice.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('.decision-name').first().waitFor()
    expect(place.decisions()).toMatchObject([
      {
        lookup,
        verdict: 'accepted',
        entity_id: entityId,
        entity_name: candidate?.legalName,
        decided_by: 'ada',
      },
    ])
  })

  describe('is for everybody', () => {
    // Colours are those of a scheme at every width, and places those of a width in both. Roles and names are those of
    // the page: barriers are looked for once in each scheme, on the narrowest page and on one with all its panes.
    test.each([
      { width: 320, scheme: 'dark', looksForBarriers: true },
      { width: 768, scheme: 'dark', looksForBarriers: false },
      { width: 1280, scheme: 'light', looksForBarriers: true },
      { width: 2560, scheme: 'dark', looksForBarriers: false },
    ] as const)(
      'fits $width pixels, $scheme, in each of its states; looks for barriers: $looksForBarriers',
      async ({ width, scheme, looksForBarriers }) => {
        const place = await answered([
          ...names.map((name) => [name, ''] as const),
          [names[0] ?? '', 'York'],
          [
            `${'A very long name of a company '.repeat(6)}Limited`,
            'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
          ],
        ])
        const { page, complaints } = await look(place, { width, scheme })
        const check = async (state: string) => {
          expect([state, await findSideways(page)]).toEqual([state, []])
          if (looksForBarriers) expect([state, await findBarriers(page)]).toEqual([state, []])
          expect([state, await findCoveredText(page)]).toEqual([state, []])
          // So low that every box scrolls.
          await page.setViewportSize({ width, height: 360 })
          expect([state, await findBlankScrolls(page)]).toEqual([state, []])
          await page.setViewportSize({ width, height: 900 })
        }
        await check('a row')
        await page.keyboard.press('?')
        await page.locator('#help[open]').waitFor()
        await check('help')
        await page.keyboard.press('Escape')
        await page.keyboard.press('/')
        await page.keyboard.press('Enter')
        await page.getByText('Found for').waitFor()
        await check('a search')
        await page.keyboard.press('Escape')
        await page.keyboard.press('g')
        await page.locator('#group[open]').waitFor()
        await check('a group')
        await page.keyboard.press('Escape')
        await pressUntilSaid(page, 'n')
        await pressUntilSaid(page, '1')
        await page.keyboard.press('End')
        await page.locator('#asked-name', { hasText: 'A very long name' }).waitFor()
        await check('a long name')
        await openAllDetails(page)
        await check('open details')
        for (const pane of ['queue', 'decided']) {
          const button = page.locator(`[data-shows=${pane}]`)
          if (await button.isVisible()) await button.click()
          await check(pane)
        }
        expect(complaints).toEqual([])
      },
      60_000,
    )

    test('what is selected is said to be: roles, names, and the option that the list points to', async () => {
      const { page } = await look(await answered())
      const { name } = await shownRow(page)
      const list = page.getByRole('listbox', { name: 'Lookups' })
      await list.focus()
      await page.keyboard.press('ArrowDown')
      const id = (await list.getAttribute('aria-activedescendant')) ?? ''
      const option = page.locator(`#${id}`)
      expect(await option.getAttribute('aria-selected')).toBe('true')
      expect(await option.getAttribute('aria-posinset')).toBe('2')
      expect(await option.getAttribute('aria-setsize')).toBe(String(names.length))
      expect((await shownRow(page)).name).not.toBe(name)
      const [first] = (await shownRow(page)).candidates
      await page.getByRole('button', { name: `1 Accept ${first ?? ''}` }).waitFor()
      expect(await focused(page)).toBe('list')
    })

    test('all of it is reached by Tab, and what is done by a button leaves the focus at the next row', async () => {
      const { page } = await look(await answered())
      const reached = new Set<string>()
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        reached.add(await focused(page))
      }
      for (const part of ['filter-text', 'sort', 'list', 'accept']) expect([...reached]).toContain(part)
      await page.locator('.accept').first().focus()
      await pressUntilSaid(page, 'Enter')
      expect(await focused(page)).toBe('asked-name')
    })
  })

  describe('settles rows', () => {
    test('a candidate, none of them, a row skipped, a note, and the last of it undone', async () => {
      const place = await answered()
      const { page, complaints } = await look(place)
      const [one, two, three] = names
      const [first] = (await shownRow(page)).candidates
      expect(await pressUntilSaid(page, '1')).toBe(
        `Accepted ${first ?? ''}, for 1 row. Next: ${two ?? ''}, inconclusive.`,
      )
      await pressUntilSaid(page, 's')
      expect((await shownRow(page)).name).toBe(three)
      await page.keyboard.press('m')
      await page.keyboard.type('n1, asked by phone')
      await page.keyboard.press('Escape')
      await pressUntilSaid(page, 'n')
      expect(verdictsOf(place)).toEqual([
        [one, first],
        [three, 'none'],
      ])
      expect(place.decisions()[1]?.['note']).toBe('n1, asked by phone')
      expect(await page.locator('.decision-name').allInnerTexts()).toEqual([three, one])
      expect(await page.locator('.decision-note').innerText()).toContain('asked by phone')
      await pressUntilSaid(page, 'u')
      expect((await shownRow(page)).name).toBe(three)
      expect(verdictsOf(place)).toEqual([[one, first]])
      await expect.poll(() => shownCounts(page)).toEqual({ open: names.length - 1, decided: 1 })
      await page.locator('.undo').click()
      await page.locator('#asked-name', { hasText: one ?? '' }).waitFor()
      expect(verdictsOf(place)).toEqual([])
      expect(complaints).toEqual([])
    })

    test('a key that does nothing says why, to the eye too, until the next key', async () => {
      const place = await answered()
      const { page } = await look(place)
      const hint = page.locator('#hint')
      expect(await hint.isVisible()).toBe(false)
      await page.keyboard.press('9')
      await hint.filter({ hasText: 'There is no candidate 9: this lookup has candidates 1 to 2.' }).waitFor()
      await page.keyboard.press('g')
      await hint.filter({ hasText: 'No group: no other open lookup has the same name.' }).waitFor()
      await page.keyboard.press('u')
      await hint.filter({ hasText: 'This session has no decision to undo.' }).waitFor()
      expect(await page.locator('#said').innerText()).toContain('no decision to undo')
      expect(place.decisions()).toEqual([])
      await pressUntilSaid(page, 's')
      expect(await hint.isVisible()).toBe(false)
    })

    test('evidence is three lines, and the whole of it is behind a disclosure that stays as it was left', async () => {
      const inputs = names.slice(0, 2).map((name) => [name, 'York'] as const)
      const { page } = await look(await answered(inputs))
      const card = page.locator('.card').first()
      expect(await card.locator('.short b').allInnerTexts()).toEqual(['Name', 'Place', 'Against'])
      const table = card.locator('.evidence-table .weighed')
      expect(await table.isVisible()).toBe(false)
      await card.locator('.evidence-table summary').click()
      expect(await table.isVisible()).toBe(true)
      await page.locator('h1').click()
      await pressUntilSaid(page, 's')
      expect(await table.isVisible()).toBe(true)
    })

    test('a link searches the web for the name and the place in a new tab, and sends nothing before it is clicked', async () => {
      const { page, complaints } = await look(await answered([['Müller & Söhne "<b>', 'Köln']]))
      const link = page.getByRole('link', { name: 'Search the web' })
      const href = new URL((await link.getAttribute('href')) ?? '')
      expect([href.origin, href.searchParams.get('q')]).toEqual([
        'https://duckduckgo.com',
        'Müller & Söhne "<b> Köln',
      ])
      expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
        '_blank',
        'noreferrer noopener',
      ])
      // `complaints` has requests that leave for elsewhere.
      expect(complaints).toEqual([])
    })

    test('at the end of the queue it begins again with what was skipped', async () => {
      const { page } = await look(await answered())
      await page.keyboard.press('End')
      await page.locator('#asked-name', { hasText: names.at(-1) ?? '' }).waitFor()
      expect(await pressUntilSaid(page, 'n')).toContain(`From the first lookup again: ${names[0] ?? ''}`)
    })

    test('a letter that is typed, a key with a modifier and a key held down decide nothing', async () => {
      const place = await answered()
      const { page } = await look(place)
      await page.locator('#filter-text').focus()
      await page.keyboard.type('n1su')
      await page.keyboard.press('Escape')
      await page.locator('#filter-text').fill('')
      await page.locator('.card').first().waitFor()
      await page.locator('#sort').focus()
      await page.keyboard.type('n1')
      await page.locator('h1').click()
      for (const key of ['Control+1', 'Alt+n', 'Meta+1', 'Shift+N']) await page.keyboard.press(key)
      await page.keyboard.down('n')
      for (let held = 0; held < 5; held++) await page.keyboard.down('n')
      await page.keyboard.up('n')
      await page.locator('.decision').waitFor()
      await page.waitForTimeout(200)
      expect(place.decisions()).toHaveLength(1)
    })

    test('the next row is not shown before the server has said that the verdict is durable, and a key pressed meanwhile decides nothing', async () => {
      const place = await answered()
      const { page } = await look(place)
      let letGo = (): void => undefined
      const held = new Promise<void>((resolve) => (letGo = resolve))
      let sentCount = 0
      await interceptRequests(page, '**/api/decisions', async (route) => {
        sentCount++
        await held
        await route.continue()
      })
      const { name } = await shownRow(page)
      await page.keyboard.press('1')
      await page.keyboard.press('1')
      await page.keyboard.press('n')
      await page.waitForTimeout(300)
      expect((await shownRow(page)).name).toBe(name)
      expect(place.decisions()).toEqual([])
      letGo()
      await page.locator('.decision').waitFor()
      expect((await shownRow(page)).name).toBe(names[1])
      expect([sentCount, place.decisions().length]).toEqual([1, 1])
    })

    test('the same name: shown with who would be settled, some left out, settled and undone as one', async () => {
      const alike = ['', 'York', 'Hull', 'Bath'].map((city) => [names[0] ?? '', city] as const)
      const place = await answered([...alike, [names[1] ?? '', '']])
      const { page } = await look(place)
      const [first] = (await shownRow(page)).candidates
      await page.keyboard.press('g')
      const dialog = page.locator('#group[open]')
      await dialog.waitFor()
      expect(await dialog.locator('.alike li').count()).toBe(4)
      await page.keyboard.press('Escape')
      expect(await page.locator('#group[open]').count()).toBe(0)
      expect(place.decisions()).toEqual([])
      await page.keyboard.press('g')
      await dialog.waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Space')
      const words = await pressUntilSaid(page, 'Enter')
      expect(words).toContain('for 3 rows.')
      expect(verdictsOf(place)).toEqual([1, 2, 3].map(() => [names[0], first]))
      expect(await shownCounts(page)).toEqual({ open: 2, decided: 3 })
      await pressUntilSaid(page, 'u')
      expect(place.decisions()).toEqual([])
      // Said once it is durable; the counts follow with the queue.
      await expect.poll(() => shownCounts(page)).toEqual({ open: 5, decided: 0 })
    })

    test('what a search finds is accepted by its number', async () => {
      const place = await answered()
      const { page } = await look(place)
      await page.keyboard.press('/')
      await page.keyboard.type(`${names[5] ?? ''} LLP`)
      await page.keyboard.press('Enter')
      await page.getByText('Found for').waitFor()
      const [found] = (await shownRow(page)).candidates
      expect(found).toBe(`${names[5] ?? ''} LLP`)
      await pressUntilSaid(page, '1')
      expect(verdictsOf(place)).toEqual([[names[0], found]])
      expect(await page.locator('#search').isVisible()).toBe(false)
    })
  })

  test('The second reviewer of a row sees the decision of the first, and overwrites nothing unseen', async () => {
    const place = await answered()
    const ana = await look(place, {}, { review: { reviewer: 'Ana' } })
    const ben = await look(place, {}, { review: { reviewer: 'Ben' } })
    await interceptRequests(ben.page, '**/api/queue*', (route) => route.abort())
    const [first] = (await shownRow(ana.page)).candidates
    await pressUntilSaid(ana.page, '1')
    expect(await pressUntilSaid(ben.page, 'n')).toContain('Another reviewer was faster')
    await ben.page.locator('.conflict', { hasText: `Accepted: ${first ?? ''}, by Ana` }).waitFor()
    expect(verdictsOf(place)).toEqual([[names[0], first]])
    await ben.page.unroute('**/api/queue*')
    // He looks at her verdict now: his next one is meant to replace it.
    await pressUntilSaid(ben.page, 'n')
    expect(verdictsOf(place)).toEqual([[names[0], 'none']])
    await pressUntilSaid(ben.page, '2')
    await ana.page.locator('.decision-who', { hasText: 'Ben' }).first().waitFor()
    await ana.page.locator('.notice', { hasText: 'by Ben' }).waitFor()
    expect(await shownCounts(ana.page)).toEqual({ open: names.length - 2, decided: 2 })
  })

  describe('says how it stands', () => {
    test('nothing is doubtful, all is settled, filters leave none', async () => {
      const place = await answered([[`${names[0] ?? ''} LLP`, 'Leeds']])
      const { page } = await look(place)
      expect(await page.locator('.nothing').innerText()).toContain('No doubtful answers')
      const other = await answered([[names[0] ?? '', '']])
      const { page: second } = await look(other)
      await pressUntilSaid(second, 'n')
      expect(await second.locator('.nothing').innerText()).toContain('All decided')
      await second.locator('#filter-text').fill('zzz')
      await second.getByText('No lookup matches').waitFor()
      expect(await findBarriers(second)).toEqual([])
      await second.getByRole('button', { name: 'Show all open lookups' }).click()
      await second.getByText('All decided').waitFor()
    })

    test('the server is gone: nothing is lost, the page says how to continue, and comes back by itself', async () => {
      const place = await answered()
      const { page } = await look(place)
      await pressUntilSaid(page, '1')
      await interceptRequests(page, '**/api/**', (route) => route.abort())
      await page.keyboard.press('n')
      const banner = page.getByRole('alert')
      await banner.getByText('The review server does not respond.').waitFor()
      expect(await banner.innerText()).toContain('No decision is lost')
      expect(await banner.innerText()).toContain('enrich review companies.csv')
      expect((await shownRow(page)).name).toBe(names[1])
      expect(await findBarriers(page)).toEqual([])
      await page.unroute('**/api/**')
      await banner.waitFor({ state: 'hidden' })
      await pressUntilSaid(page, 'n')
      expect(place.decisions()).toHaveLength(2)
    })

    test('a session that is over says so, and does not ask for ever', async () => {
      const place = await answered()
      const { page } = await look(place)
      const port = Number(new URL(servers[0]?.url ?? '').port)
      await servers[0]?.close()
      servers.push(await servePage(await place.open(), port))
      await page.getByRole('alert').getByText('This session has ended.').waitFor()
      let askedCount = 0
      page.on('request', () => askedCount++)
      await page.waitForTimeout(3_000)
      expect(askedCount).toBe(0)
    })

    test('missing candidates are reported, and the row can be settled without them', async () => {
      const service = await startService({
        knowledge: fakeKnowledge({ answers: {}, entities: [] }),
        dataFolder: null,
        listen: { host: '127.0.0.1', port: 0 },
        accounts: [{ name: 'alice', apiKey: keys.alice }],
        rateLimits: 'none',
        researchMs: { min: 0, max: 0 },
      })
      const hosted: EnrichConfig = {
        service: { baseUrl: service.url },
        polling: { firstAfterSeconds: 0, intervalSeconds: 0.05 },
      }
      const environment = { ENRICH_API_KEY: keys.alice }
      const place = createPlace()
      place.writeInput([['Nobody Knows This One', '']])
      await place.run(hosted, { environment })
      await service.close()
      const server = await servePage(await place.open(hosted, environment))
      servers.push(server)
      const visit = await openReview(browser, server.url)
      visits.push(visit)
      await visit.page.locator('.notice', { hasText: 'The candidates could not be loaded' }).waitFor()
      expect(await findBarriers(visit.page)).toEqual([])
      await pressUntilSaid(visit.page, 'n')
      expect(verdictsOf(place)).toEqual([['Nobody Knows This One', 'none']])
    })

    test('rows that come while one looks move nothing that is looked at', async () => {
      const many = inventedNames(60)
      const place = createPlace(ambiguousRows(many))
      // Those that come later stand for more rows, so they come before the others.
      place.writeInput([...many.slice(20), ...many.slice(20), ...many.slice(0, 20)].map((name) => [name, '']))
      place.writeInput(
        many.slice(0, 20).map((name) => [name, '']),
        'first.csv',
      )
      await place.run({
        input: { paths: [place.path('first.csv')] },
        output: { path: place.path('first-out.csv') },
      })
      const { page } = await look(place)
      for (let presses = 0; presses < 5; presses++) await page.keyboard.press('j')
      const before = await shownRow(page)
      const topOf = () =>
        page.evaluate<number>(`document.querySelector('[aria-selected=true]').getBoundingClientRect().top`)
      const top = await topOf()
      await place.run()
      await page.getByText('60 open').waitFor({ timeout: 30_000 })
      expect(await shownRow(page)).toEqual(before)
      expect(await topOf()).toBeCloseTo(top, 0)
      expect(await page.locator('[aria-selected=true]').getAttribute('aria-posinset')).toBe('46')
    }, 60_000)
  })

  describe('takes any words', () => {
    const strange = [
      '<img src=x onerror=alert(1)>',
      '<script>document.title = "gone"</script> & "Sons"',
      'בנק הפועלים',
      'شركة الاختبار',
      '山田電機株式会社',
      '\u202egnp.exe',
      `Z${'\u0301\u0327\u0489'.repeat(60)}algo`,
      '${7*7} {{7*7}}',
      'javascript:alert(1)',
    ]

    test('names with HTML, from right to left, Japanese, and such as would turn their neighbours round, in the input and in the register', async () => {
      const place = await answered(
        strange.map((name) => [`${name} Widgets`, '<b>York</b>']),
        ambiguousRows(strange.map((name) => `${name} Widgets`)).map((row) => ({
          ...row,
          other_names: '<u>other</u>|\u202eother',
          source_url: 'javascript:alert(2)',
        })),
      )
      const { page, complaints } = await look(place, { width: 1280 })
      const title = await page.title()
      for (let seen = 0; seen < strange.length; seen++) {
        const { name } = await shownRow(page)
        expect(name).not.toBe('')
        expect(name).not.toContain('\u202e')
        if (seen > 0) await page.keyboard.press('j')
        await page.locator('#candidates:not([aria-busy])').waitFor()
      }
      await page.locator('#filter-text').fill('onerror')
      await page.locator('#asked-name', { hasText: '<img src=x onerror=alert(1)> Widgets' }).waitFor()
      await pressUntilSaid(page, 'Escape', 'n')
      expect(await page.locator('img, script:not([src]), b > b, #asked script').count()).toBe(0)
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
      expect(await findSideways(page)).toEqual([])
      expect(await page.title()).toBe(title)
      expect(complaints).toEqual([])
      await expect(breakIn(page)).rejects.toThrow('TrustedScript')
    })
  })
})
