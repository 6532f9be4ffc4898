const dayMs = 86_400_000

/** All limits of the receiver and its inbox. */
export const receiverLimits = {
  /** The interface limits deliveries to 1 MB, in either reading of it, and truncates longer ones. */
  bodyBytesMax: 2 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  /** How much of a request refused early is still read, so that its sender receives the response. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 2_000 },
  /** Total size of all bodies being read; above it, the response is 503, and the service retries. */
  bodiesBytesMax: 64 * 1024 * 1024,
  connectionsMax: 1_024,
  /** The service waits 15 s for a response. */
  headersMsMax: 10_000,
  requestMsMax: 14_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  closeGraceMs: 2_000,

  /** How often a run checks for deliveries received by another process. */
  lookMs: 250,
  /** The same for an inbox on a server. */
  sharedLookMs: 1_000,
  /** Deliveries read into memory at once. */
  takeCountMax: 32,
  /** How long the id of a taken delivery is kept; the service repeats deliveries within seven minutes. */
  takenKeptMs: 7 * dayMs,
  /** How long unclaimed and quarantined deliveries are kept. */
  unsettledKeptMs: 90 * dayMs,
} as const
