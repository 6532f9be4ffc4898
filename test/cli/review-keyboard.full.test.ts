import { copyFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findBrowser, openMortalBrowser } from '../support/browser.js'
import { createPlace, fixture, type CliPlace } from '../support/cli.js'
import { openReview, pressUntilSaid, shownCounts, shownRow, startReview } from '../support/review-page.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const browserPath = findBrowser()

/** What a reviewer saw that was decided, by name and place; the same as in the decisions file. */
type Verdicts = Map<string, string>

const keyOf = (name: string, place: string | null) => `${name}|${place ?? ''}`

function decisionsIn(place: CliPlace): Verdicts {
  const rows = rowsOfCsv(place.read('enrich.decisions.csv'))
  return new Map(
    rows.map((row) => [
      keyOf(row['name'] ?? '', row['location'] ?? null),
      row['verdict'] === 'none' ? 'none' : (row['entity_name'] ?? ''),
    ]),
  )
}

/** Settles rows as people do: the likeliest where there is one, else none of these; a row skipped now and then. */
async function settle(page: Page, count: number, verdicts: Verdicts): Promise<void> {
  for (let done = 0; done < count; done++) {
    if (done % 7 === 3) await pressUntilSaid(page, 's')
    const { name, place, marked } = await shownRow(page)
    expect(marked).toBe(name)
    const canAccept = (await page.locator('.card:not(.barred) .accept').count()) > 0
    const words = await pressUntilSaid(page, canAccept && done % 3 !== 2 ? '1' : 'n')
    expect(words).toMatch(/^(Accepted|None of these)/)
    const [, company] = /^Accepted (.*), for [\d,]+ rows?\. /.exec(words) ?? []
    verdicts.set(keyOf(name, place), company ?? 'none')
  }
}

describe.runIf(browserPath !== null)('a real list, reviewed by keyboard alone', () => {
  test('forty doubtful rows are settled; server and browser are killed in the middle, nothing decided is lost, and the next run has all of it and bills nothing', async () => {
    const place = createPlace()
    copyFileSync(fixture('companies.csv'), place.path('companies.csv'))
    const files = ['companies.csv', '-o', 'out.csv']
    expect((await place.run(files)).code).toBe(0)
    const verdicts: Verdicts = new Map()

    const first = await startReview(place, ['companies.csv', '--reviewer', 'Ana'])
    const one = await openMortalBrowser(browserPath ?? '')
    const { page } = await openReview(one.browser, first.url)
    const before = await shownCounts(page)
    expect(before.open).toBeGreaterThanOrEqual(40)
    await settle(page, 20, verdicts)
    // The last key is pressed, and nobody lives to see what comes of it.
    await page.keyboard.press('n')
    first.running.child.kill('SIGKILL')
    one.kill()
    await first.running.ended

    const kept = decisionsIn(place)
    for (const [key, verdict] of verdicts) expect([key, kept.get(key)]).toEqual([key, verdict])
    const second = await startReview(place, ['companies.csv', '--reviewer', 'Ana'])
    const two = await openMortalBrowser(browserPath ?? '')
    const again = await openReview(two.browser, second.url)
    const { decided, open } = await shownCounts(again.page)
    expect(decided - 20).toBeOneOf([0, 1])
    expect(decided + open).toBe(before.open)
    await settle(again.page, 40 - decided, verdicts)
    expect(await shownCounts(again.page)).toEqual({ open: before.open - 40, decided: 40 })
    expect(again.complaints).toEqual([])
    second.running.child.kill('SIGKILL')
    two.kill()
    await second.running.ended

    const standing = decisionsIn(place)
    expect(standing.size).toBe(40)
    const { stdout } = await place.run([...files, '--json'])
    expect(eventOf(stdout, 'planned')['plan']).toMatchObject({ submit: 0, poll: 0, decided: 40 })
    expect(eventOf(stdout, 'finished')['summary']).toMatchObject({ billedCount: 0, decidedCount: 40 })
    const decidedRows = rowsOfCsv(place.read('out.csv')).filter((row) => row['enrich_decision'] !== '')
    const written = rowsOfCsv(place.read('enrich.decisions.csv'))
    const idsOf = (rows: readonly Record<string, string>[], column: string) =>
      new Set(rows.map((row) => row[column]).filter((id) => id !== ''))
    expect(new Set(decidedRows.map((row) => row['enrich_decided_by']))).toEqual(new Set(['Ana']))
    expect(
      idsOf(
        decidedRows.filter((row) => row['enrich_decision'] === 'accepted'),
        'enrich_entity_id',
      ),
    ).toEqual(idsOf(written, 'entity_id'))
    for (const row of decidedRows)
      expect(row['enrich_status']).toBe(row['enrich_decision'] === 'none' ? 'no_match' : 'matched')
  }, 240_000)
})

function eventOf(stdout: string, type: string): Record<string, unknown> {
  const events = readJsonLines(stdout)
  return events.find((event) => event['type'] === type) ?? {}
}
