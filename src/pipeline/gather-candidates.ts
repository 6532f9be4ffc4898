import type { LookupId, CheckpointReader } from './checkpoint/checkpoint.js'
import { CandidateGatherer, findDoubtful } from './decisions/candidate-gatherer.js'
import type { OpenRun } from './deps.js'
import type { RecordedAnswer } from './scheduler/deps.js'
import type { RowIndex } from './input/row-index.js'
import { getDecisionService } from './lookups/decision.js'
import { doubtThresholdByDefault } from './lookups/lookup-state.js'
import type { Stop } from './figures/stop.js'
import type { RunReview } from './decisions/review-mirror.js'
import type { OutputColumn } from './answers/columns.js'
import type { ReviewColumnName } from './answers/column-kinds.js'

/** Called with each answered resolution. */
export type OnAnswered = (lookupId: LookupId, answer: RecordedAnswer) => void

/**
 * Runs `work` while gathering the candidates of its doubtful answers, if the service provides them during a run. When
 * all lookups are answered, it waits for the remaining candidates, but not after a stop. `known`: lookups answered by
 * an earlier run, which may have died before it gathered all candidates; `alsoKnown`: those that other processes may
 * have answered.
 */
export async function withCandidateGathering(
  { deps, backend, connection }: Pick<OpenRun, 'deps' | 'backend' | 'connection'>,
  known: Uint32Array,
  work: (onAnswered: OnAnswered | undefined) => Promise<Stop | null>,
  alsoKnown: () => Promise<Uint32Array>,
): Promise<Stop | null> {
  const { candidates: source, scope } = connection
  if (!source.isEager) return work(undefined)
  const { clock, observe, interrupt, requests } = deps
  const { doubtThreshold = doubtThresholdByDefault } = requests
  const stopping = new AbortController()
  const gatherer = new CandidateGatherer({
    source,
    scope,
    clock,
    threshold: doubtThreshold,
    editionScopes: `${getDecisionService(null)}:`,
    openStore: () => backend.openCandidates(),
    openReader: () => backend.peek(scope),
    stopSignal: AbortSignal.any([stopping.signal, interrupt]),
    onMissing: (text) => {
      observe({ type: 'notice', text, isWarning: true })
    },
  })
  const gathering = gatherer.run(known)
  try {
    const stop = await work((lookupId, answer) => {
      gatherer.onAnswer(lookupId, answer)
    })
    if (stop === null) {
      const also = await alsoKnown()
      if (also.length > 0) gatherer.recheck(also)
      gatherer.complete()
    } else stopping.abort()
    return stop
  } catch (error) {
    stopping.abort()
    throw error
  } finally {
    await gathering
  }
}

/** Returns the lookups of all rows, without duplicates. */
export function listLookups(index: RowIndex): Uint32Array {
  return index.getDistinct().ids.filter((id) => id !== 0 && index.getReason(id) === null)
}

interface BringCandidatesDeps {
  readonly review: RunReview
  /** Scope of the connection. */
  readonly scope: string
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  /** Keys of decided lookups, in hex. */
  readonly decided: readonly string[]
  readonly columns: readonly Pick<OutputColumn, 'name'>[]
  readonly doubtThreshold: number
}

/** Lookups processed at once. */
const lookupsAtOnce = 2_000

/** Copies the candidates that an output shows: of decided lookups, and of doubtful ones if their column is written. */
export async function copyCandidates(deps: BringCandidatesDeps): Promise<void> {
  const { review, scope, index, reader, decided, columns, doubtThreshold } = deps
  if (decided.length > 0) await review.loadCandidates(scope, decided)
  const isWritten = columns.some(({ name }) => name === ('candidates' satisfies ReviewColumnName))
  if (!isWritten || reader === null) return
  const ids = listLookups(index)
  for (let start = 0; start < ids.length; start += lookupsAtOnce) {
    const doubtful = findDoubtful([...ids.subarray(start, start + lookupsAtOnce)], reader, doubtThreshold)
    const keys = reader.readIdentities(doubtful).flatMap((identity) => identity?.key ?? [])
    if (keys.length > 0)
      await review.loadCandidates(
        scope,
        keys.map((key) => Buffer.from(key).toString('hex')),
      )
  }
}
