import { userInfo } from 'node:os'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { isAddress } from '../connectors/connectors.js'
import { createNoCheckpointError, UserError } from '../core/errors.js'
import { getDecisionService, type Candidate, type CandidateSource } from '../core/decisions.js'
import type { Clock } from '../platform/clock.js'
import { withReview, type ReviewSession } from '../review/review.js'
import { connectTo } from './enrich.js'
import { inspectInput, readEmbeddedScope } from './inspect-input.js'
import type { RowInspection, LookupId } from '../pipeline/inspect-rows.js'
import type { Connection } from '../pipeline/run.js'
import { openReviewBackend } from '../pipeline/open-review-backend.js'

type RowIndex = RowInspection['index']

export interface ReviewRequest {
  readonly settings: Settings
  readonly environment: Environment
  readonly stdin: NodeJS.ReadableStream
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Returns the command of a run with these lookups; `null`: of a first run. */
  readonly formatRunCommand: (found: ReviewedRows | null) => string | Promise<string>
  /** Called with errors of background work. */
  readonly onTrouble: (error: unknown) => void
}

type ReviewedRows = Pick<RowInspection, 'scope' | 'columns'>

export interface OpenReview {
  readonly session: ReviewSession
  /** The command of the run that applies the decisions. */
  readonly runCommand: string
  /** The service as decisions name it: `embedded`, or the base URL of a hosted one. */
  readonly service: string
  readonly input: Pick<RowInspection, 'input' | 'columns' | 'notes' | 'store'>
}

/**
 * Opens the review of an input from the answers in the checkpoint, without a lock. The service is called only for
 * candidates. Calls `use` with the session, and closes it afterwards. Throws CHECKPOINT_NOT_FOUND,
 * REVIEW_NOTHING_ANSWERED, and errors of the input and the session.
 */
export function reviewFile<Result>(
  request: ReviewRequest,
  use: (opened: OpenReview) => Promise<Result>,
): Promise<Result> {
  const { stdin, signal, environment } = request
  // The first decision creates the file.
  const settings = {
    ...request.settings,
    decisions: { ...request.settings.decisions, isNamed: false },
  }
  return inspectInput({ settings, stdin, signal, environment }, (found) =>
    runReview(found, { ...request, settings }, use),
  )
}

async function runReview<Result>(
  found: RowInspection,
  request: ReviewRequest,
  use: (opened: OpenReview) => Promise<Result>,
): Promise<Result> {
  const { settings, environment, stdin, signal, clock, onTrouble } = request
  const { path: checkpointPath } = found.store
  const { baseUrl, registryPath } = settings.service
  const { reader } = found
  const runCommand = await request.formatRunCommand(reader === null ? null : found)
  if (reader === null) throw createNoCheckpointError(settings.checkpoint.path, runCommand)
  const service = getDecisionService(baseUrl)
  const backend = await openReviewBackend({
    path: settings.checkpoint.path,
    checkpointPath,
    decisionsPath: settings.decisions.path,
    environment,
    clock,
  })
  const source = createLateCandidates(() => connectTo(settings, environment, () => undefined))
  try {
    const scope = baseUrl ?? (await readEmbeddedScope(registryPath))
    const contradicted = new Map<LookupId, Candidate | null>()
    return await withReview(
      {
        index: showContradictions(found, contradicted),
        inspectAgain: isRead(settings)
          ? () =>
              inspectInput({ settings, stdin, signal, environment }, (again) =>
                Promise.resolve(showContradictions(again, contradicted)),
              )
          : null,
        reader,
        checkpointPath,
        backend,
        decisionsPath: settings.decisions.path,
        service,
        clock,
        signal,
      },
      {
        doubt: { threshold: settings.review.threshold, isEmbedded: baseUrl === null, contradicted },
        candidates: { source, scope },
        reviewer: settings.review.reviewer ?? findSystemUser(environment),
        onTrouble,
      },
      (session) => {
        assertAnswered(session, runCommand)
        return use({ session, runCommand, service, input: found })
      },
    )
  } finally {
    await source.close()
    await backend.close()
  }
}

/**
 * Returns the lookups of the rows. Where the service contradicts the own registry, the row shows the service's lookup,
 * so that a decision about it replaces both answers. Notes the registry's company for each of them.
 */
function showContradictions(
  { index, first }: RowInspection,
  contradicted: Map<LookupId, Candidate | null>,
): RowIndex {
  if (first === null) return index
  const shown = first.checkSample().listContradicted()
  for (const { serviceId, company } of shown) contradicted.set(serviceId, company)
  index.replace(new Map(shown.map(({ id, serviceId }) => [id, serviceId])))
  return index
}

/** Whether the input can be read again at no cost: not standard input, a table or an object. */
const isRead = ({ input: { paths = ['-'] } }: Settings): boolean =>
  !paths.some((path) => path === '-' || isAddress(path))

/** Throws REVIEW_NOTHING_ANSWERED, unless a run is active or there are decisions to show. */
function assertAnswered(session: ReviewSession, runCommand: string): void {
  const { lookupCount, unansweredCount, decidedCount } = session.getCounts()
  if (lookupCount > unansweredCount || decidedCount > 0 || session.isRunGoingOn) return
  throw new UserError('REVIEW_NOTHING_ANSWERED', 'no lookup of the input has an answer yet', {
    hint: `repeat the options of the run here (columns, --country, service, registry), or run first: ${runCommand}`,
  })
}

/** In a container, the user id may have no name. */
function findSystemUser(environment: Environment): string {
  try {
    return userInfo().username
  } catch {
    return environment['USER'] ?? environment['USERNAME'] ?? 'unknown'
  }
}

interface LazyCandidateSource extends CandidateSource {
  close(): Promise<void>
}

/** Candidates of a service connected at the first request; stored ones need none. Failures are retried. */
function createLateCandidates(
  connect: () => Promise<Pick<Connection, 'candidates' | 'close'>>,
): LazyCandidateSource {
  let connecting: ReturnType<typeof connect> | null = null
  const source = async (): Promise<CandidateSource> => {
    connecting ??= connect()
    try {
      return (await connecting).candidates
    } catch (error) {
      connecting = null
      throw error
    }
  }
  return {
    isEager: false,
    findCandidates: async (asked, signal) => (await source()).findCandidates(asked, signal),
    search: async (text, countryCode, signal) => (await source()).search(text, countryCode, signal),
    company: async (entityId, signal) => (await source()).company(entityId, signal),
    close: async () => {
      const connected = await connecting?.catch(() => null)
      await connected?.close()
    },
  }
}
