import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { reportColumns, type ColumnReport } from '../pipeline/input/column-report.js'
import { UserError } from '../core/errors.js'
import { createConnectors } from '../connectors/connectors.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { readEmbeddedScope } from './embedded-scope.js'
import type { CheckpointReader, KeyedLookup, LookupId } from '../pipeline/checkpoint/checkpoint.js'
import { fetchKnown, findLookupIds, buildStageLookup } from '../pipeline/checkpoint/lookup-key.js'
import { DecidedLookups } from '../pipeline/decisions/decided-lookups.js'
import { getDecisionService } from '../pipeline/answers/decision.js'
import { hasDecisions, isCheckpointAt } from '../pipeline/checkpoint/paths.js'
import type { RunReview } from '../pipeline/decisions/review-store.js'
import type { StandingDecisions } from '../pipeline/decisions/decision-sync.js'
import { createEarlierNames, chooseColumns, sampleColumns } from '../pipeline/input/column-choice.js'
import { ingest } from '../pipeline/input/ingest.js'
import { openInput, type Input, type InputOptions } from '../pipeline/input/input.js'
import type { RowIndex } from '../pipeline/input/row-index.js'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { withCleanup, type CloseLater } from '../platform/close-stack.js'
import { FirstAnswers, placeLookups, toRegistryRule } from '../pipeline/scheduler/first-answers.js'
import type { LookupRule } from '../pipeline/input/detect-columns.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'

export interface Inspection {
  input: Input
  /** Scope of the answers, like that of a connection. */
  scope: string
  columns: ColumnReport
  /** Note about earlier runs with other columns, or `null`. */
  columnNote: string | null
  /** Why the input may be read wrongly; also in the notes of the input and the rows. */
  doubts: readonly string[]
  /** Notes about the copy of a table, about invalid identifiers and about rows without a name. */
  rowNotes: readonly string[]
  index: RowIndex
  /** The lookups that an own registry answers; `null` without one, and before its first run. */
  first: FirstAnswers | null
  /** Reviewers' decisions about the lookups. */
  decided: DecidedLookups
  /** `null` without a checkpoint. */
  reader: CheckpointReader | null
  /** File that is read; a copy if the checkpoint is on a server. */
  checkpointPath: string
  /** Problem that would stop a run with this checkpoint, or `null`. */
  problem: UserError | null
  /** Decisions and candidates of a checkpoint on a server; `null` for a file. */
  review: RunReview | null
}

export interface InspectionDeps {
  settings: Settings
  stdin: NodeJS.ReadableStream
  signal: AbortSignal
  /** Source of the password of a checkpoint on a server; defaults to `process.env`. */
  environment?: Environment
  /** Lets an own registry answer; otherwise, its answers of earlier runs are read. */
  askFirst?: AskFirst | null
  /** Called with each batch of lookups of the service and their ids, in the same order. */
  onBatch?: (
    lookups: readonly KeyedLookup[],
    ids: readonly LookupId[],
    reader: CheckpointReader | null,
    decided: DecidedLookups,
  ) => void
}

/** An input whose lookups an own registry answers. */
interface AskedFirst {
  readonly settings: Settings
  readonly environment: Environment
  readonly input: Input
  readonly rule: LookupRule
  readonly scope: string
  readonly decided: DecidedLookups
  readonly service: () => CheckpointReader | null
  readonly signal: AbortSignal
}

export type AskFirst = (asked: AskedFirst, closeLater: CloseLater) => Promise<FirstAnswers | null>

/**
 * Reads the input and its answers in the checkpoint. Changes nothing: no lock, no network, no new checkpoint. Calls `use`
 * with the result, and closes it afterwards.
 */
export async function inspectInput<Result>(
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { path } = deps.settings.checkpoint
  if (isPostgresUrl(path)) return inspectShared(path, deps, use)
  if (!isCheckpointAt(path)) return inspectWith(null, deps, use)
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

/** Imported only if there is a checkpoint, because it takes a quarter of the start-up time of a plan. */
async function loadCheckpoints() {
  const { peekAtCheckpoint } = await import('../pipeline/checkpoint/sqlite/reader.js')
  const { diagnoseDamage, findProblem } = await import('../pipeline/checkpoint/sqlite/verify.js')
  return { peekAtCheckpoint, blamingDamage: diagnoseDamage, problemOf: findProblem }
}

/** Copies the lookups of the input from the server to a local file while the input is read. */
async function inspectShared<Result>(
  url: string,
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { openSharedView } = await import('../pipeline/checkpoint/postgres/local-copy.js')
  const { lookAtReview } = await import('../pipeline/decisions/shared-review.js')
  const { environment = process.env } = deps
  return withCleanup(async (closeLater) => {
    const place = { url, folder: tmpdir(), clock: systemClock, random: systemRandom, environment }
    const look = await openSharedView(place, closeLater)
    if (look === null) return inspectWith(null, deps, use)
    const { decisions } = deps.settings
    const review = await lookAtReview(look, { ...place, decisionsPath: decisions.path }, closeLater)
    return inspectWith({ ...look, review, problem: () => look.problem }, deps, use)
  })
}

/** Data of earlier runs, from a file or a server. */
interface EarlierRuns {
  readonly path: string
  readonly review?: RunReview | null
  peek(scope: string): CheckpointReader | null
  problem(isBilled: boolean): UserError | null
}

/** `earlier` is `null` without a checkpoint. */
async function inspectWith<Result>(
  earlier: EarlierRuns | null,
  deps: InspectionDeps,
  use: (found: Inspection) => Promise<Result>,
): Promise<Result> {
  const { settings } = deps
  const notes: string[] = []
  const { environment = process.env, signal } = deps
  const connectors = createConnectors({ environment, signal, notice: (text) => notes.push(text) })
  return withCleanup(async (closeLater) => {
    const input = await openInput(buildInputOptions(settings), { connectors, stdin: deps.stdin })
    closeLater(() => input.close())
    const samples = await sampleColumns(input)
    const { baseUrl, registryPath } = settings.service
    const scope = baseUrl ?? (await readEmbeddedScope(registryPath))
    const reader = earlier?.peek(scope) ?? null
    closeLater(() => reader?.close())
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
    const standing = await loadStandingDecisions(settings, earlier?.path ?? settings.checkpoint.path)
    const decided = new DecidedLookups(standing.byLookup)
    if (reader !== null) await fetchRecords(reader, standing)
    const first = await openFirst(deps, earlier, { input, rule, scope, decided }, closeLater)
    const fetchStages = await createStageFetcher(settings, decided)
    const unknownIds = new TemporaryIds()
    const { index, identifierCounts } = await ingest({
      input,
      rule,
      registryRule: first === null ? null : toRegistryRule(rule),
      dedupe: settings.input.dedupe,
      place: async (asked, ofRegistry) => {
        const ids = await placeLookups(decided.markDecided(asked), ofRegistry, first, async (lookups) => {
          if (reader !== null) await fetchKnown(reader, lookups)
          const known = reader === null ? lookups.map(() => 0) : findLookupIds(reader, lookups)
          const ids = known.map((id, at) => unknownIds.getId(id, lookups[at]))
          decided.note(lookups, ids)
          await fetchStages(reader, ids)
          deps.onBatch?.(lookups, ids, reader, decided)
          return ids
        })
        await fetchStages(
          first?.reader ?? null,
          ids.filter((id) => first?.isSettled(id)),
        )
        return ids
      },
      earlier: createEarlierNames(reader),
      spool: null,
      signal: deps.signal,
    })
    const report = reportColumns(input.columns, rule, samples, input.layout.nested)
    const problem = earlier?.problem(baseUrl !== null) ?? null
    return await use({
      input,
      scope,
      columns: report,
      columnNote: note,
      doubts: [...input.listDoubts(), ...identifierCounts.listDoubts()],
      rowNotes: [...notes, ...identifierCounts.listNotes(baseUrl !== null), ...standing.notices],
      index,
      first,
      decided,
      reader,
      checkpointPath: earlier?.path ?? settings.checkpoint.path,
      problem,
      review: earlier?.review ?? null,
    })
  })
}

/** The answers of the own registry: those of earlier runs, or new ones. `null` without such a registry. */
async function openFirst(
  { settings, environment = process.env, signal, askFirst = null }: InspectionDeps,
  earlier: EarlierRuns | null,
  asked: Pick<AskedFirst, 'input' | 'rule' | 'scope' | 'decided'>,
  closeLater: CloseLater,
): Promise<FirstAnswers | null> {
  const { first } = settings
  if (first === null) return null
  const peek = (scope: string) => earlier?.peek(scope) ?? null
  const service = () => peek(asked.scope)
  if (askFirst !== null) {
    const answers = await askFirst({ ...asked, settings, environment, signal, service }, closeLater)
    closeLater(() => answers?.close())
    return answers
  }
  const registryScope = await readEmbeddedScope(first.registryPath)
  const answers = new FirstAnswers({
    rule: first,
    elapsedMs: 0,
    registry: peek(registryScope),
    service: service(),
    decided: asked.decided,
    policy: {
      nowMs: systemClock.nowMs(),
      maxAgeMs: settings.checkpoint.maxAgeMs,
      onLost: settings.onLost,
    },
    scopes: { registry: registryScope, service: asked.scope },
  })
  closeLater(() => {
    answers.close()
  })
  return answers
}

/** Answers of stages are fetched only if the checkpoint is on a server. */
async function createStageFetcher(
  { checkpoint, stages }: Settings,
  decided: DecidedLookups,
): Promise<(reader: CheckpointReader | null, ids: readonly LookupId[]) => Promise<void>> {
  if (!isPostgresUrl(checkpoint.path) || stages.asked.length === 0) return () => Promise.resolve()
  const { fetchStageAnswers } = await import('../pipeline/answers/stage-answers.js')
  return async (reader, ids) => {
    if (reader !== null) await fetchStageAnswers(reader, ids, stages.asked, (id) => decided.findById(id))
  }
}

/** Imported only if there may be decisions. */
async function loadStandingDecisions(
  { decisions, service }: Settings,
  checkpointPath: string,
): Promise<StandingDecisions> {
  if (!decisions.isNamed && !hasDecisions(decisions.path, checkpointPath))
    return { byLookup: new Map(), notices: [] }
  const { readStandingDecisions } = await import('../pipeline/decisions/decision-sync.js')
  return readStandingDecisions({
    ...decisions,
    checkpointPath,
    service: getDecisionService(service.baseUrl),
  })
}

/** Loads the records of decided companies into the reader. */
async function fetchRecords(reader: CheckpointReader, { byLookup }: StandingDecisions): Promise<void> {
  const companies = new Set([...byLookup.values()].flatMap(({ entityId }) => entityId ?? []))
  await fetchKnown(
    reader,
    [...companies].map((entityId) => buildStageLookup('entity', entityId)),
  )
}

/** Assigns temporary ids to decided lookups that the checkpoint does not have. */
class TemporaryIds {
  readonly #ids = new Map<string, LookupId>()

  /** Returns the id in the checkpoint, otherwise a temporary one for a decided lookup, otherwise 0. */
  getId(known: LookupId, lookup: KeyedLookup | undefined): LookupId {
    if (known !== 0 || lookup?.isDecided !== true) return known
    const key = Buffer.from(lookup.key).toString('hex')
    const id = this.#ids.get(key) ?? highestUnknownId - this.#ids.size
    this.#ids.set(key, id)
    return id
  }
}

/** Above the ids of lookups, and below those of rows without a lookup. */
const highestUnknownId = 0xf000_0000

/** Builds the options of the input. Throws USAGE_INVALID without an input. */
export function buildInputOptions(settings: Settings): InputOptions {
  const { paths, format, delimiter, encoding, sheet, header, limit, query } = settings.input
  if (paths === undefined) {
    throw new UserError('USAGE_INVALID', 'there is no input', {
      hint: 'name the file with the company names: enrich companies.csv -o out.parquet; or set input.paths in the config',
    })
  }
  return {
    paths,
    format,
    delimiter,
    encoding,
    sheet: sheet === '' ? undefined : sheet,
    hasHeader: header,
    rowsMax: limit,
    spoolFolder: chooseSpoolFolder(settings),
    queryPath: query === '' ? undefined : query,
  }
}

/** Folder for local copies of inputs and outputs: that of the checkpoint, which can be written. */
export const chooseSpoolFolder = ({ checkpoint: { path } }: Settings): string =>
  isPostgresUrl(path) ? tmpdir() : dirname(path)
