import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { reportColumns, type ColumnReport } from '../pipeline/lookups/column-report.js'
import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { embeddedScopeOf } from './embedded-scope.js'
import type { CheckpointReader, KeyedLookup, LookupId } from '../pipeline/checkpoint/checkpoint.js'
import { fetchKnown, idsOf, stageLookup } from '../pipeline/checkpoint/lookup-key.js'
import { DecidedLookups } from '../pipeline/decided-lookups.js'
import { decisionService } from '../pipeline/lookups/decision.js'
import { isAnythingDecided, isAnythingAt } from '../pipeline/checkpoint/paths.js'
import type { RunReview } from '../pipeline/decisions/review-mirror.js'
import type { StandingDecisions } from '../pipeline/decisions/decisions-book.js'
import { earlierNamesIn, chooseColumns, sampleColumns } from '../pipeline/column-choice.js'
import { ingest } from '../pipeline/ingest.js'
import { openInput, type Input, type InputOptions } from '../pipeline/input/input.js'
import type { RowIndex } from '../pipeline/input/row-index.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { closingAfter } from '../platform/close-stack.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'

export interface Inspection {
  input: Input
  /** Whose answers are looked at, as a connection has it. */
  scope: string
  columns: ColumnReport
  /** What has to be known of earlier runs with other columns. */
  columnNote: string | null
  /** Of identifiers that are none, and rows that ask without a name. */
  rowNotes: readonly string[]
  index: RowIndex
  /** What people decided of its lookups. */
  decided: DecidedLookups
  /** Null where there is no checkpoint yet. */
  reader: CheckpointReader | null
  /** The file that is read, which is a copy where the checkpoint is on a server. */
  checkpointPath: string
  /** Why a run with this checkpoint would stop; null where it would not. */
  problem: UserError | null
  /** Where the checkpoint is on a server, what people decided, and candidates. */
  review: RunReview | null
}

export interface InspectionDeps {
  settings: Settings
  stdin: NodeJS.ReadableStream
  signal: AbortSignal
  /** Where a password of a checkpoint on a server is looked for; `process.env` if left out. */
  environment?: Environment
  /** Called with each batch of lookups, which say whether they are decided, and the ids they have, in order. */
  onBatch?: (
    lookups: readonly KeyedLookup[],
    ids: readonly LookupId[],
    reader: CheckpointReader | null,
    decided: DecidedLookups,
  ) => void
}

/**
 * Reads the input and what is known of it, and changes nothing: no lock, no network, no new checkpoint.
 * `use` is given what was found, which is closed afterwards.
 */
export async function inspectInput<Result>(
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { path } = deps.settings.checkpoint
  if (isPostgresUrl(path)) return inspectShared(path, deps, use)
  if (!isAnythingAt(path)) return inspectWith(null, deps, use)
  const { peekAtCheckpoint, blamingDamage, problemOf } = await loadCheckpoints()
  return blamingDamage(path, () =>
    inspectWith(
      {
        path,
        peek: (scope) => peekAtCheckpoint(path, scope),
        problem: (isBilled) => problemOf(path, isBilled),
      },
      deps,
      use,
    ),
  )
}

/** Loaded where there is something to look at: a quarter of what a plan would take to start. */
async function loadCheckpoints() {
  const { peekAtCheckpoint } = await import('../pipeline/checkpoint/sqlite/reader.js')
  const { blamingDamage, problemOf } = await import('../pipeline/checkpoint/sqlite/verify.js')
  return { peekAtCheckpoint, blamingDamage, problemOf }
}

/** What is known there of the input's lookups is copied here while they are read. */
async function inspectShared<Result>(
  url: string,
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { lookAtShared } = await import('../pipeline/checkpoint/postgres/local-copy.js')
  const { lookAtReview } = await import('../pipeline/decisions/postgres/shared-review.js')
  const { environment = process.env } = deps
  return closingAfter(async (closeLater) => {
    const place = { url, folder: tmpdir(), clock: systemClock, random: systemRandom, environment }
    const look = await lookAtShared(place, closeLater)
    if (look === null) return inspectWith(null, deps, use)
    const { decisions } = deps.settings
    const review = await lookAtReview(look, { ...place, decisionsPath: decisions.path }, closeLater)
    return inspectWith({ ...look, review, problem: () => look.problem }, deps, use)
  })
}

/** What is known of earlier runs, wherever it is kept. */
interface Known {
  readonly path: string
  readonly review?: RunReview | null
  peek(scope: string): CheckpointReader | null
  problem(isBilled: boolean): UserError | null
}

/** `earlier` is null where there is no checkpoint. */
async function inspectWith<Result>(
  earlier: Known | null,
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { settings } = deps
  const input = await openInput(inputOptions(settings, deps.stdin))
  try {
    const samples = await sampleColumns(input)
    const { baseUrl, registryPath } = settings.service
    const scope = baseUrl ?? (await embeddedScopeOf(registryPath))
    const reader = earlier?.peek(scope) ?? null
    try {
      const asked = settings.input.columns
      const { identifierUse } = settings
      const choice = await chooseColumns({
        input,
        asked,
        identifierUse,
        samples,
        reader,
        signal: deps.signal,
      })
      const { rule, note } = choice
      const standing = await standingDecisions(settings, earlier?.path ?? settings.checkpoint.path)
      const decided = new DecidedLookups(standing.byLookup)
      if (reader !== null) await fetchRecords(reader, standing)
      const unknownIds = new UnknownIds()
      const { index, identifierCounts } = await ingest({
        input,
        rule,
        dedupe: settings.input.dedupe,
        place: async (asked) => {
          const lookups = decided.marked(asked)
          if (reader !== null) await fetchKnown(reader, lookups)
          const known = reader === null ? lookups.map(() => 0) : idsOf(reader, lookups)
          const ids = known.map((id, at) => unknownIds.idOf(id, lookups[at]))
          decided.note(lookups, ids)
          deps.onBatch?.(lookups, ids, reader, decided)
          return ids
        },
        earlier: earlierNamesIn(reader),
        spool: null,
        signal: deps.signal,
      })
      const report = reportColumns(input.columns, rule, samples, input.nested)
      const problem = earlier?.problem(baseUrl !== null) ?? null
      return await use({
        input,
        scope,
        columns: report,
        columnNote: note,
        rowNotes: [...identifierCounts.notes(baseUrl !== null), ...standing.notices],
        index,
        decided,
        reader,
        checkpointPath: earlier?.path ?? settings.checkpoint.path,
        problem,
        review: earlier?.review ?? null,
      })
    } finally {
      reader?.close()
    }
  } finally {
    await input.close()
  }
}

/** Loaded where there may be any: a plan without decisions starts without it. */
async function standingDecisions(
  { decisions, service }: Settings,
  checkpointPath: string,
): Promise<StandingDecisions> {
  if (!decisions.isNamed && !isAnythingDecided(decisions.path, checkpointPath))
    return { byLookup: new Map(), notices: [] }
  const { readStandingDecisions } = await import('../pipeline/decisions/decisions-book.js')
  return readStandingDecisions({
    ...decisions,
    checkpointPath,
    service: decisionService(service.baseUrl),
  })
}

/** The records of companies that were decided for, wherever the checkpoint is. */
async function fetchRecords(reader: CheckpointReader, { byLookup }: StandingDecisions): Promise<void> {
  const companies = new Set([...byLookup.values()].flatMap(({ entityId }) => entityId ?? []))
  await fetchKnown(
    reader,
    [...companies].map((entityId) => stageLookup('entity', entityId)),
  )
}

/** Ids that no checkpoint has, for lookups that were decided and never asked: what was decided of them is known. */
class UnknownIds {
  readonly #ids = new Map<string, LookupId>()

  /** That of the checkpoint, if there is one; 0 where nothing is known of a lookup. */
  idOf(known: LookupId, lookup: KeyedLookup | undefined): LookupId {
    if (known !== 0 || lookup?.isDecided !== true) return known
    const key = Buffer.from(lookup.key).toString('hex')
    const id = this.#ids.get(key) ?? highestUnknownId - this.#ids.size
    this.#ids.set(key, id)
    return id
  }
}

/** Far above those of lookups, and below those of rows that ask for nothing. */
const highestUnknownId = 0xf000_0000

/** Where the rows come from. Throws USAGE_INVALID when no input is named. */
export function inputOptions(settings: Settings, stdin?: NodeJS.ReadableStream): InputOptions {
  const { paths, format, delimiter, encoding, sheet, limit } = settings.input
  if (paths === undefined) {
    throw new UserError('USAGE_INVALID', 'no input is named', {
      hint: 'name the file with the company names: enrich companies.csv -o out.parquet; or set input.paths in the config',
    })
  }
  return {
    paths,
    format,
    delimiter,
    encoding,
    sheet: sheet === '' ? undefined : sheet,
    rowsMax: limit,
    spoolFolder: isPostgresUrl(settings.checkpoint.path) ? tmpdir() : dirname(settings.checkpoint.path),
    stdin,
  }
}
