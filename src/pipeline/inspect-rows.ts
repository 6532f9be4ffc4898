import { parsePlaceHeader } from '../core/header-words.js'
import { diagnoseDamage, openView } from './checkpoint/open.js'
import { tmpdir } from 'node:os'
import type { Connectors } from '../connectors/connectors.js'
import type { UserError } from '../core/errors.js'
import type { Clock, Random } from '../platform/clock.js'
import { withCleanup, type CloseLater } from '../platform/close-stack.js'
import { getDecisionService } from '../core/decisions.js'
import { type CheckpointReader, type KeyedLookup, buildStageLookup } from './checkpoint/lookup.js'
import type { LookupId } from '../core/lookup-identity.js'
import { readDecided, type DecidedLookups } from './decisions/decided-lookups.js'
import type { ReviewStore } from './decisions/review-store.js'
import {
  createRowReader,
  ingest,
  listLookupColumns,
  listRegisterCountries,
  noEarlierNames,
  type ColumnReport,
  InputColumns,
  type RowIndex,
} from './input/ingest.js'
import { openInput, type Input, type InputAccess } from './input/input.js'
import type { FirstRun } from './answer-first.js'
import type { RunOrder } from './order.js'
import { FirstAnswers, placeLookups, toRegistryRule } from './answers/first-answers.js'
import type { FirstRule } from './answers/first-rule.js'

export type { CheckpointReader } from './checkpoint/lookup.js'
export type { LookupId } from '../core/lookup-identity.js'
export type { ColumnReport, InputColumns } from './input/ingest.js'

/** An input, its rows, and their earlier answers and decisions. */
export interface RowInspection {
  input: Input
  /** Scope of the answers, like that of a connection. */
  scope: string
  columns: ColumnReport
  notes: {
    /** Note about earlier runs with other columns, or `null`. */
    columns: string | null
    /** Why the input may be read wrongly; also in the notes of the input and the rows. */
    doubts: readonly string[]
    /** Notes about invalid identifiers, about rows without a name, and about decisions. */
    rows: readonly string[]
  }
  index: RowIndex
  /** The lookups that an own registry answers; `null` without one, and before its first run. */
  first: FirstAnswers | null
  /** Reviewers' decisions about the lookups. */
  decided: DecidedLookups
  /** `null` without a checkpoint. */
  reader: CheckpointReader | null
  store: {
    /** File that is read; a copy if the checkpoint is on a server. */
    path: string
    /** Problem that would stop a run with this checkpoint, or `null`. */
    problem: UserError | null
    /** Decisions and candidates of a checkpoint on a server; `null` for a file. */
    review: ReviewStore | null
  }
}

/** The rows to inspect: the parts of a run's order that say how rows become lookups, and where their answers are. */
export interface RowsToInspect {
  readonly source: Pick<RunOrder['source'], 'input' | 'columns' | 'identifierUse' | 'dedupe'>
  readonly store: Required<Pick<RunOrder['store'], 'checkpoint' | 'sharedUrl' | 'decisions'>>
  readonly requests: Pick<RunOrder['requests'], 'stages' | 'onLost'> & { readonly first: FirstRule | null }
  /** Base URL of a hosted service; `null` for the embedded one. */
  readonly baseUrl: string | null
}

export interface InspectionServices {
  readonly connectors: Connectors
  readonly stdin: NodeJS.ReadableStream
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly random: Random
  /** Source of the password of a checkpoint on a server. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Reads the scope of the service, or that of the own registry, after the input was opened. */
  readonly readScope: (side: 'service' | 'registry') => Promise<string>
  /** Lets an own registry answer; `null`: its answers of earlier runs are read. */
  readonly askFirst: ((asked: FirstRun, closeLater: CloseLater) => Promise<FirstAnswers | null>) | null
  /** Called with each batch of lookups of the service and their ids, in the same order; optional. */
  readonly onBatch?: OnBatch | undefined
}

type OnBatch = (
  lookups: readonly KeyedLookup[],
  ids: readonly LookupId[],
  reader: CheckpointReader | null,
  decided: DecidedLookups,
) => void

interface InspectionDeps {
  readonly rows: RowsToInspect
  readonly services: InspectionServices
}

/**
 * Reads an input and its answers in the checkpoint. Changes nothing: no lock, no network, no new checkpoint. Calls `use`
 * with the result, and closes it afterwards. Throws INPUT_*, CHECKPOINT_*, DECISIONS_*, and the signal's reason.
 *
 * @example
 * await inspectRows(rows, services, async ({ index, reader }) => print(index.rowCount, reader?.readAnswers(ids)))
 */
export async function inspectRows<Result>(
  rows: RowsToInspect,
  services: InspectionServices,
  use: (found: RowInspection) => Promise<Result>,
): Promise<Result> {
  const deps = { rows, services }
  const { checkpoint, sharedUrl } = rows.store
  const inspect = () =>
    withCleanup(async (closeLater) => inspectWith(await openEarlier(deps, closeLater), deps, use))
  return sharedUrl === null ? diagnoseDamage(checkpoint.path, inspect) : inspect()
}

/** Opens the data of earlier runs; `null` without a checkpoint. */
async function openEarlier({ rows, services }: InspectionDeps, closeLater: CloseLater) {
  const { checkpoint, sharedUrl, decisions } = rows.store
  const { clock, random, environment } = services
  const system = { clock, random, environment, folder: tmpdir() }
  const view = await openView(sharedUrl ?? checkpoint.path, system, closeLater)
  if (view === null) return null
  if (view.server === null) return { ...view, review: null }
  const { openSharedReview } = await import('./decisions/shared-review.js')
  const { path: checkpointPath, server: database } = view
  const decisionsPath = decisions.path
  const review = openSharedReview({ database, checkpointPath, decisionsPath, clock, random })
  closeLater(() => {
    review.close()
  })
  await review.decisions.refresh()
  return { ...view, review }
}

/** Data of earlier runs, from a file or a server. */
type EarlierRuns = NonNullable<Awaited<ReturnType<typeof openEarlier>>>

/** `earlier` is `null` without a checkpoint. */
async function inspectWith<Result>(
  earlier: EarlierRuns | null,
  deps: InspectionDeps,
  use: (found: RowInspection) => Promise<Result>,
): Promise<Result> {
  const { rows, services } = deps
  const { source, store, baseUrl } = rows
  const { connectors, stdin, signal } = services
  return withCleanup(async (closeLater) => {
    const { input, columns: found } = await openColumns(source, { connectors, stdin }, closeLater)
    const scope = await services.readScope('service')
    const reader = earlier?.peek(scope) ?? null
    closeLater(() => reader?.close())
    const isBilled = baseUrl !== null
    const hasRegistry = !isBilled || rows.requests.first !== null
    const { rule, report, note } = await found.choose(reader, signal, isBilled, hasRegistry)
    const { decided, notices } = await readDecided({
      ...store.decisions,
      checkpointPath: earlier?.path ?? store.checkpoint.path,
      service: getDecisionService(baseUrl),
    })
    await reader?.fetch(decided.chosenIds.map((entityId) => buildStageLookup('entity', entityId)))
    const first = await openFirst(deps, earlier, { input, rule, scope, decided }, closeLater)
    const fetchStages = await createStageFetcher(rows, decided)
    const unknownIds = new TemporaryIds()
    const { index, identifierCounts } = await ingest({
      input,
      rule,
      registryRule: first === null ? null : toRegistryRule(rule),
      dedupe: source.dedupe,
      place: async (asked, ofRegistry) => {
        const ids = await placeLookups(decided.markDecided(asked), ofRegistry, first, async (lookups) => {
          await reader?.fetch(lookups)
          const known = reader?.find(lookups) ?? lookups.map(() => 0)
          const ids = known.map((id, at) => unknownIds.getId(id, lookups[at]))
          decided.note(lookups, ids)
          await fetchStages(reader, ids)
          services.onBatch?.(lookups, ids, reader, decided)
          return ids
        })
        await fetchStages(
          first?.reader ?? null,
          ids.filter((id) => first?.isSettled(id)),
        )
        return ids
      },
      earlier: baseUrl === null ? null : reader,
      spool: null,
      signal,
    })
    return await use({
      input,
      scope,
      columns: report,
      notes: {
        columns: note,
        doubts: [...input.listDoubts(), ...identifierCounts.listDoubts()],
        rows: [...identifierCounts.listNotes(baseUrl !== null), ...notices],
      },
      index,
      first,
      decided,
      reader,
      store: {
        path: earlier?.path ?? store.checkpoint.path,
        problem: earlier?.problem(baseUrl !== null) ?? null,
        review: earlier?.review ?? null,
      },
    })
  })
}

type InspectedSource = Pick<RunOrder['source'], 'input' | 'columns' | 'identifierUse'>

async function openColumns(
  { input: options, columns: asked, identifierUse }: InspectedSource,
  access: InputAccess,
  closeLater: CloseLater,
) {
  const input = await openInput(options, access)
  closeLater(() => input.close())
  return { input, columns: await InputColumns.read(input, { asked, identifierUse }) }
}

/** Opens an input with the first cells of its columns for `use`; no checkpoint is read. Throws INPUT_*. */
export function inspectColumns<Result>(
  source: InspectedSource,
  access: InputAccess,
  use: (found: { readonly input: Input; readonly columns: InputColumns }) => Promise<Result>,
): Promise<Result> {
  return withCleanup(async (closeLater) => use(await openColumns(source, access, closeLater)))
}

/** A row as a run looks it up, without the form of its answers. */
interface PlacedRow {
  /** The name with the identifiers that are looked up; `null` for a row that is not looked up. */
  readonly name: string | null
  /** Cells of the location, in the order of the columns. */
  readonly location: readonly (string | null)[]
  /** Roles of these cells by their headers: `city`, `country`. */
  readonly parts: readonly (string | null)[]
  /** Countries of the filled columns of numbers that only one country has. */
  readonly numberCountries: readonly string[]
}

/** Countries whose states have codes of two letters, which tell the country. */
const withStateCodes: ReadonlySet<string> = new Set('AU BR CA US'.split(' '))

/** Reads the rows of an input by its detected columns. Throws INPUT_*. */
export async function* readPlacedRows(
  { input, columns: found }: { readonly input: Input; readonly columns: InputColumns },
  identifierUse: InspectedSource['identifierUse'],
): AsyncIterable<readonly PlacedRow[]> {
  const columns = found.detect()
  const lookupColumns = listLookupColumns(columns)
  const numbers = input.columns.flatMap((header) => {
    const countries = listRegisterCountries(header)
    return countries.length === 1 ? [{ header, country: countries[0] ?? '' }] : []
  })
  const readRows = createRowReader({ columns, identifierUse, readsNames: true }, noEarlierNames)
  const [from, to] = [columns.name === null ? 0 : 1, lookupColumns.length]
  const parts = columns.location.map((header) => parsePlaceHeader(header)?.part ?? null)
  const [only = '', another] = new Set(numbers.map(({ country }) => country))
  const isOfOne = only !== '' && another === undefined && !withStateCodes.has(only)
  const noCountry = isOfOne ? /^\s*(?:[A-Za-z]|[A-Z]{2})\s*$/ : /^\s*[A-Za-z]\s*$/
  for await (const rows of input.rows.keys([...lookupColumns, ...numbers.map(({ header }) => header)])) {
    const questions = await readRows(rows.map((row) => row.slice(0, to)))
    yield rows.map((row, at) => {
      const question = questions[at]
      return {
        name: question === undefined || question.kind === 'invalid' ? null : question.lookup.name,
        location: row.slice(from, from + parts.length).map((cell, at) => {
          // `B` is Belgium in a column of countries only, and `HN` Hanoi next to numbers of Vietnam.
          return parts[at] !== 'country' && noCountry.test(cell ?? '') ? null : cell
        }),
        parts,
        numberCountries: numbers.flatMap(({ country }, index) =>
          (row[to + index] ?? '').trim() === '' ? [] : [country],
        ),
      }
    })
  }
}

/** The answers of the own registry: those of earlier runs, or new ones. `null` without such a registry. */
async function openFirst(
  { rows, services }: InspectionDeps,
  earlier: EarlierRuns | null,
  asked: Omit<FirstRun, 'service'>,
  closeLater: CloseLater,
): Promise<FirstAnswers | null> {
  const { first, onLost } = rows.requests
  if (first === null) return null
  const { askFirst, clock } = services
  const peek = (scope: string) => earlier?.peek(scope) ?? null
  const service = () => peek(asked.scope)
  if (askFirst !== null) {
    const answers = await askFirst({ ...asked, service }, closeLater)
    closeLater(() => answers?.close())
    return answers
  }
  const registryScope = await services.readScope('registry')
  const answers = new FirstAnswers({
    rule: first,
    elapsedMs: 0,
    registry: peek(registryScope),
    service: service(),
    decided: asked.decided,
    policy: { nowMs: clock.nowMs(), maxAgeMs: rows.store.checkpoint.maxAgeMs, onLost },
    scopes: { registry: registryScope, service: asked.scope },
  })
  closeLater(() => {
    answers.close()
  })
  return answers
}

/** Answers of stages are fetched only if the checkpoint is on a server. */
async function createStageFetcher(
  { store, requests }: RowsToInspect,
  decided: DecidedLookups,
): Promise<(reader: CheckpointReader | null, ids: readonly LookupId[]) => Promise<void>> {
  const { asked } = requests.stages
  if (store.sharedUrl === null || asked.length === 0) return () => Promise.resolve()
  const { fetchStageAnswers } = await import('./answers/stage-answers.js')
  return async (reader, ids) => {
    if (reader !== null) await fetchStageAnswers(reader, ids, asked, (id) => decided.findById(id))
  }
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
