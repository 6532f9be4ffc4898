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
import type { Checkpoint } from './checkpoint/checkpoint.js'
import { peekAtCheckpoint } from './checkpoint/sqlite/reader.js'
import { openCheckpoint } from './checkpoint/sqlite/sqlite-checkpoint.js'
import { diagnoseDamage } from './checkpoint/sqlite/verify.js'
import { openReviewStore, type ReviewStore } from './decisions/review-store.js'
import { createFileInbox, type Inbox, type InboxAccess } from './scheduler/inbox.js'
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
  order: RunOrder,
  services: RunServices,
  closeLater: CloseLater,
): Promise<RunBackend> {
  const { checkpoint, sharedUrl = null } = order.store
  const backend =
    sharedUrl === null
      ? createFileBackend(checkpoint.path, services.clock, closeLater)
      : await createServerBackend(sharedUrl, order, services, closeLater)
  return services.wrapBackend?.(backend) ?? backend
}

/** Opens the checkpoint for the lookups of a service. Throws CHECKPOINT_*. */
export async function openServiceCheckpoint(
  { order, services, backend }: RunContext,
  input: Input,
  { scope, service }: Pick<Connection, 'scope' | 'service'>,
): Promise<Checkpoint> {
  return backend.openCheckpoint({
    path: backend.path,
    scope,
    job: nameJob(input, order.reporting.history.job),
    acceptRollback: order.store.acceptRollback ?? false,
    isBilled: service === 'hosted',
    notice: (text) => {
      services.observe({ type: 'notice', text })
    },
    nowMs: services.clock.nowMs(),
    random: services.random,
  })
}

function createFileBackend(path: string, clock: Clock, closeLater: CloseLater): RunBackend {
  let store: ReviewStore | null = null
  closeLater(() => store?.close())
  return {
    path,
    openCheckpoint,
    peek: (scope) => peekAtCheckpoint(path, scope),
    inbox: createFileInbox(path, clock),
    openCandidates: () => (store ??= openReviewStore(path)),
    review: null,
    parts: null,
  }
}

/** A run reads local copies of the data on the server. */
async function createServerBackend(
  url: string,
  { source, store }: RunOrder,
  services: RunServices,
  closeLater: CloseLater,
): Promise<RunBackend> {
  // A run with a local checkpoint starts without loading PostgreSQL.
  const { joinSharedCheckpoint } = await import('./checkpoint/postgres/shared-run.js')
  const { createRunInbox } = await import('./scheduler/shared-inbox.js')
  const { SharedReview } = await import('./decisions/shared-review.js')
  const { clock, random, interrupt: signal, access = { environment: {}, apiKey: () => null } } = services
  const joining = {
    location: { url, ...access },
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
  const run = await joinSharedCheckpoint(joining, closeLater)
  const review = new SharedReview({
    database: run.database,
    checkpointPath: run.path,
    clock,
    random,
    decisionsPath: store.decisions?.path ?? '',
  })
  closeLater(() => {
    review.close()
  })
  return {
    path: run.path,
    openCheckpoint: (options) => run.openCheckpoint(options),
    peek: (scope) => run.peek(scope),
    inbox: createRunInbox({ ...run, owner: run.store }),
    openCandidates: () => review.runReview.candidates,
    review: review.runReview,
    parts: run.database,
  }
}

export interface OpenWebhooks {
  url: string | null
  inbox: Inbox
  /** Rings when this process has received a delivery. */
  received: WakeSignal
  close(): Promise<void>
}

/** Loaded on demand: a run without its own receiver starts faster. */
const loadReceiver = () => import('./scheduler/receiver.js')

/**
 * Opens the inbox of a checkpoint, and starts the receiver if this process has one. Returns `null` if no deliveries are
 * expected or waiting. Throws LISTEN_FAILED, CHECKPOINT_*.
 */
export async function openWebhooks(
  { url, receiver }: WebhookOptions,
  place: InboxAccess,
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
