import { diagnoseDamage, openForRun, type ServerDatabase } from './checkpoint/open.js'
import type { Checkpoint, Inbox } from './checkpoint/checkpoint.js'
import type { SharedReviewDeps } from './decisions/shared-review.js'
import { type Clock, WakeSignal } from '../platform/clock.js'
import { withCleanup, type CloseLater } from '../platform/close-stack.js'
import {
  type RunBackend,
  warn,
  type Connection,
  type RunContext,
  type RunServices,
  type RunOrder,
  type WebhookOptions,
} from './order.js'
import { openReviewStore, type ReviewStore } from './decisions/review-store.js'
import { nameJob, type Input } from './input/input.js'

/**
 * Opens the backend of a run for `work`, and closes what `work` registers, then the backend. An unexpected error of
 * `work` is explained by damage of the checkpoint, if there is any. Throws CHECKPOINT_*.
 */
export function withBackend<Result>(
  order: RunOrder,
  services: RunServices,
  work: (context: RunContext, closeLater: CloseLater) => Promise<Result>,
): Promise<Result> {
  return withCleanup(async (closeBackendLater) => {
    const backend = await openBackend(order, services, closeBackendLater)
    return diagnoseDamage(backend.path, () =>
      withCleanup((closeLater) => work({ order, services, backend }, closeLater)),
    )
  })
}

/** Opens the backend; `closeLater` closes it. Throws CHECKPOINT_*. */
export async function openBackend(
  { source, store }: RunOrder,
  services: RunServices,
  closeLater: CloseLater,
): Promise<RunBackend> {
  const { clock, random, interrupt: signal, access = { environment: {}, apiKey: () => null } } = services
  const deps = {
    access,
    folder: source.input.spoolFolder,
    clock,
    random,
    acceptRollback: store.acceptRollback ?? false,
    part: source.part?.partition ?? null,
    notice: (text: string) => {
      warn(services, text)
    },
    signal,
  }
  const { server, ...run } = await openForRun(store.sharedUrl ?? store.checkpoint.path, deps, closeLater)
  const reviewed = { checkpointPath: run.path, decisionsPath: store.decisions?.path ?? '', clock, random }
  const review = await openReview(server, reviewed, closeLater)
  const backend = { ...run, ...review, parts: server }
  return services.wrapBackend?.(backend) ?? backend
}

/** Decisions and candidates: on the server, or in the review store next to a file, which is created on first use. */
async function openReview(
  database: ServerDatabase | null,
  deps: Omit<SharedReviewDeps, 'database'>,
  closeLater: CloseLater,
): Promise<Pick<RunBackend, 'openCandidates' | 'review'>> {
  if (database === null) {
    let store: ReviewStore | null = null
    closeLater(() => store?.close())
    return { openCandidates: () => (store ??= openReviewStore(deps.checkpointPath)).candidates, review: null }
  }
  const { openSharedReview } = await import('./decisions/shared-review.js')
  const review = openSharedReview({ ...deps, database })
  closeLater(() => {
    review.close()
  })
  return { openCandidates: () => review.candidates, review }
}

/** Opens the checkpoint for the lookups of a service; `retried`: statuses that a retry submits again. Throws CHECKPOINT_*. */
export async function openServiceCheckpoint(
  { order, services, backend }: RunContext,
  input: Input,
  { scope, service }: Pick<Connection, 'scope' | 'service'>,
  retried: readonly string[] = [],
): Promise<Checkpoint> {
  return backend.openCheckpoint({
    path: backend.path,
    scope,
    job: nameJob(input, order.reporting.history.job),
    retried,
    acceptRollback: order.store.acceptRollback ?? false,
    isBilled: service === 'hosted',
    notice: (text) => {
      services.observe({ type: 'notice', text })
    },
    nowMs: services.clock.nowMs(),
    random: services.random,
  })
}

export interface OpenWebhooks {
  url: string | null
  inbox: Inbox
  /** Rings when this process has received a delivery. */
  received: WakeSignal
  close(): Promise<void>
}

/** Loaded on demand: a run without its own receiver starts faster. */
const loadReceiver = () => import('./receiver.js')

/**
 * Opens the inbox of a checkpoint, and starts the receiver if this process has one. Returns `null` if no deliveries are
 * expected or waiting. Throws LISTEN_FAILED, CHECKPOINT_*.
 */
export async function openWebhooks(
  { url, receiver }: WebhookOptions,
  place: RunBackend['inbox'],
  clock: Clock,
): Promise<OpenWebhooks | null> {
  if (url === null && !(await place.exists())) return null
  const received = new WakeSignal(clock)
  const inbox = await place.open(received.ring)
  try {
    const path = url === null ? null : new URL(url).pathname
    const running =
      receiver === null
        ? null
        : await (await loadReceiver()).startReceiver({ ...receiver, path, inbox, clock })
    return {
      url,
      inbox,
      received,
      close: async () => {
        await running?.close()
        await inbox.close()
      },
    }
  } catch (error) {
    await inbox.close()
    throw error
  }
}
