import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { afterEach } from 'vitest'
import { reviewFile, type OpenReview } from '../../src/app/open-review.js'
import { parseConfig } from '../../src/config/file-config.js'
import { resolveSettings } from '../../src/config/settings.js'
import { enrich, type EnrichConfig, type EnrichOptions, type RunSummary } from '../../src/index.js'
import { systemClock } from '../../src/platform/clock.js'
import { openRegistry } from '../../src/registry/registry.js'
import type { Choice, QueueWindow, ReviewSession } from '../../src/review/session.js'
import { addRows, type Row } from './registry.js'

/** A review that is open until it is closed, or the test ends. */
export interface OpenedReview extends OpenReview {
  /** What went wrong while nobody asked. */
  readonly troubles: readonly unknown[]
  close(): Promise<void>
}

/** A folder with an input and a registry, runs of the real pipeline over them, and reviews of what it answered. */
export interface ReviewPlace {
  readonly folder: string
  path(name: string): string
  writeInput(rows: readonly (readonly [name: string, city: string])[], name?: string): void
  /** What every run and review of this place has in common. */
  config(more?: EnrichConfig): EnrichConfig
  run(more?: EnrichConfig, options?: EnrichOptions): Promise<RunSummary>
  open(more?: EnrichConfig, environment?: Readonly<Record<string, string>>): Promise<OpenedReview>
  /** The lines of the decisions file; none where there is no file. */
  decisions(): Record<string, string>[]
  readOutput(name?: string): Record<string, string>[]
}

/** Two companies of each name, so that the name alone leaves open which is meant. */
export function ambiguousRows(names: readonly string[]): Row[] {
  return names.flatMap((name, at) => [
    {
      id: `limited-${at}`,
      name: `${name} Limited`,
      city: 'London',
      country: 'GB',
      jurisdiction: 'gb',
      registration_id: String(1_000_000 + at),
      registration_authority: 'RA000585',
      status: 'Active',
    },
    {
      id: `llp-${at}`,
      name: `${name} LLP`,
      city: 'Leeds',
      country: 'GB',
      jurisdiction: 'gb',
      registration_id: `OC${300_000 + at}`,
      registration_authority: 'RA000585',
      status: 'Active',
    },
  ])
}

const syllables = 'bal cor den fir gan hol jur kem lin mor nab pel rud tor vex wim'.split(' ')
/** Words that no registry knows, each unlike the others. */
const wordOf = (number: number): string =>
  [number % 16, (number >> 4) % 16, (number >> 8) % 16].map((at) => syllables[at] ?? '').join('')
export const inventedNames = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const word = wordOf(at * 7 + 3)
    return `${word.charAt(0).toUpperCase()}${word.slice(1)} Widgets`
  })

/** To be called once, at the top of a file: places are gone, and their reviews closed, when a test ends. */
export function reviewPlaces(): (rows?: readonly Row[]) => ReviewPlace {
  const endings: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end()
  })
  return (rows = ambiguousRows(inventedNames(12))) => {
    const folder = mkdtempSync(join(tmpdir(), 'enrich-review-'))
    endings.push(() => {
      rmSync(folder, { recursive: true, force: true })
    })
    const registry = openRegistry(join(folder, 'registry.sqlite'))
    addRows(registry, rows)
    registry.close()
    return createPlace(folder, (end) => endings.push(end))
  }
}

function createPlace(folder: string, atEnd: (end: () => Promise<void>) => void): ReviewPlace {
  const path = (name: string) => join(folder, name)
  const config = ({ input, output, checkpoint, ...more }: EnrichConfig = {}): EnrichConfig => ({
    decisions: { path: path('enrich.decisions.csv') },
    review: { reviewer: 'ada' },
    service: { registry: path('registry.sqlite'), matchers: 0 },
    ...more,
    input: { paths: [path('companies.csv')], ...input },
    output: { path: path('out.csv'), ...output },
    checkpoint: { path: path('checkpoint.sqlite'), ...checkpoint },
  })
  const read = (name: string): Record<string, string>[] => parse(readFileSync(path(name)), { columns: true })
  return {
    folder,
    path,
    config,
    writeInput: (rows, name = 'companies.csv') => {
      writeFileSync(path(name), stringify([['company_name', 'city'], ...rows.map((row) => [...row])]))
    },
    // A run honours a file that is named, and before the first decision there is none.
    run: (more = {}, options = {}) => {
      const { decisions, ...rest } = config(more)
      const named = hasFile(path('enrich.decisions.csv')) && decisions !== undefined ? { decisions } : {}
      return enrich({ ...rest, ...named }, { environment: {}, ...options }).summary
    },
    open: (more = {}, environment = {}) => openReview(config(more), environment, atEnd),
    decisions: () => (hasFile(path('enrich.decisions.csv')) ? read('enrich.decisions.csv') : []),
    readOutput: (name = 'out.csv') => read(name),
  }
}

function hasFile(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}

async function openReview(
  config: EnrichConfig,
  environment: Readonly<Record<string, string>>,
  atEnd: (end: () => Promise<void>) => void,
): Promise<OpenedReview> {
  const settings = resolveSettings(parseConfig(config, 'the config'), environment)
  const troubles: unknown[] = []
  const request = {
    settings,
    environment,
    clock: systemClock,
    stdin: new PassThrough(),
    formatRunCommand: () => 'enrich companies.csv -o out.parquet',
    signal: new AbortController().signal,
    onTrouble: (error: unknown) => troubles.push(error),
  }
  let letGo = (): void => undefined
  const closing = new Promise<void>((resolve) => (letGo = resolve))
  let ended: Promise<void> = Promise.resolve()
  const opened = await new Promise<OpenReview>((resolve, reject) => {
    ended = reviewFile(request, (review) => {
      resolve(review)
      return closing
    })
    ended.catch(reject)
  })
  const close = async () => {
    letGo()
    await ended
  }
  atEnd(close)
  return { ...opened, troubles, close }
}

export const everything: QueueWindow = {
  view: 'all',
  statuses: [],
  text: '',
  sort: 'input',
  from: 0,
  count: 500,
  find: [],
}

export const openOnes: QueueWindow = { ...everything, view: 'open' }

/** Accepts the first candidate of a lookup, as its reviewer sees it. */
export async function acceptFirst(session: ReviewSession, lookup: string): Promise<Choice> {
  const { row, candidates } = await session.readDetail(lookup)
  return {
    lookup,
    seen: row.decision?.sequence ?? 0,
    verdict: 'accepted',
    note: null,
    entityId: candidates[0]?.entityId ?? null,
  }
}

export const noneOf = (lookup: string, seen = 0): Choice => ({
  lookup,
  seen,
  verdict: 'none',
  entityId: null,
  note: null,
})
