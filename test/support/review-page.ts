import type { Browser, Page } from 'playwright-core'
import type { CliOptions, CliPlace, RunningCli } from './cli.js'
import { visit, type Visit, type VisitOptions } from './visited-page.js'

export interface ServedReview {
  readonly running: RunningCli
  /** As printed. It admits only the first browser that opens it. */
  readonly url: string
}

/** `enrich review`, up to where its page can be opened. */
export async function startReview(
  place: CliPlace,
  args: readonly string[],
  options?: CliOptions,
): Promise<ServedReview> {
  const running = place.start(['review', ...args], options)
  const [, url = ''] = await running.sees(/Review at (\S+)/)
  return { running, url }
}

/** The page, once a row or the reason for none is on it. */
export async function openReview(browser: Browser, url: string, options?: VisitOptions): Promise<Visit> {
  const seen = await visit(browser, url, { width: 1440, ...options })
  await rowShown(seen.page)
  return seen
}

/** Until the row that is looked at has its candidates, or there is no row. */
export async function rowShown(page: Page): Promise<void> {
  await page.locator('#asked-name:not(:text-is("Loading…"))').waitFor()
  await page.locator('#candidates:not([aria-busy])').waitFor({ state: 'attached' })
}

export interface ShownRow {
  readonly name: string
  readonly place: string | null
  /** In the list on the left; null where none is marked. */
  readonly marked: string | null
  readonly candidates: readonly string[]
}

/** What a reviewer sees of the row that is looked at. */
export async function shownRow(page: Page): Promise<ShownRow> {
  const textOf = async (selector: string) => {
    const [text] = await page.locator(selector).allInnerTexts()
    return text ?? null
  }
  return {
    name: (await textOf('#asked-name')) ?? '',
    place: await textOf('#asked-place'),
    marked: await textOf('[role=option][aria-selected=true] .row-name'),
    candidates: await page.locator('.card h3').allInnerTexts(),
  }
}

const said = (page: Page): Promise<string> => page.locator('#said').innerText()

/** Presses keys, and waits until the page has said what was done. Returns what it said. */
export async function pressUntilSaid(page: Page, ...keys: readonly string[]): Promise<string> {
  const before = await said(page)
  for (const key of keys) await page.keyboard.press(key)
  for (let looks = 0; looks < 2_000; looks++) {
    const now = await said(page)
    if (now !== before) {
      await rowShown(page)
      return now
    }
    await page.waitForTimeout(10)
  }
  throw new Error(`the page said nothing after ${keys.join(', ')}; before that it had said: ${before}`)
}

/** Of the header: `12 open, 3 decided`. */
export async function shownCounts(page: Page): Promise<{ open: number; decided: number }> {
  const text = await page.locator('#progress-words').innerText()
  const [open = NaN, decided = NaN] = (text.match(/\d[\d,]*/g) ?? []).map((number) =>
    Number(number.replaceAll(',', '')),
  )
  return { open, decided }
}

export interface ListView {
  /** Rows in the page. */
  readonly rowCount: number
  /** Of these, rows that are seen, with text in them. */
  readonly seen: readonly string[]
  /** Pixels of the list, as it is seen, on which no row is. */
  readonly blankPx: number
  /** Whether the row that is looked at is seen whole. */
  readonly isMarkedSeen: boolean
}

/** What stands in the list to the eye: boxes that overlap what is seen of it, and what is found at points of it. */
export const listView = (page: Page) =>
  page.evaluate<ListView>(`(() => {
    const box = document.getElementById('list').getBoundingClientRect()
    const rows = [...document.querySelectorAll('#list-rows > [role=option]')]
    const isSeen = (row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return bottom > box.top + 1 && top < box.bottom - 1
    }
    let blankPx = 0
    for (let y = box.top + 2; y < box.bottom - 2; y += 4)
      if (['', '…', undefined].includes(document.elementFromPoint(box.left + 40, y)?.closest('[role=option]')?.innerText.trim())) blankPx += 4
    const marked = rows.find((row) => row.getAttribute('aria-selected') === 'true')?.getBoundingClientRect()
    return {
      rowCount: rows.length,
      seen: rows.filter(isSeen).map((row) => row.querySelector('.row-name')?.innerText ?? ''),
      blankPx,
      isMarkedSeen: marked !== undefined && marked.top >= box.top - 1 && marked.bottom <= box.bottom + 1,
    }
  })()`)

/** Parts that can be scrolled sideways, and so hide something on a narrow page. */
export const findSideways = (page: Page) =>
  page.evaluate<
    string[]
  >(`[document.documentElement, ...document.querySelectorAll('main, .pane, #row, #list, #decided, dialog[open], .alike, .top, .actions')]
    .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
    .map(({ id, className, tagName }) => id || className || tagName)`)
