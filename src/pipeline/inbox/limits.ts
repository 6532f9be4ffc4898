const dayMs = 86_400_000

/** Every limit of the receiver and its inbox, in one place. */
export const receiverLimits = {
  /** The interface cuts deliveries off at 1 MB, in whichever reading of it, and truncates what is longer. */
  bodyBytesMax: 2 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  /** Of what is refused before it is read, as much is read and thrown away, so that its sender reads why. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 2_000 },
  /** Of all that are being read at one time; beyond it, the answer is 503, and the service tries again. */
  bodiesBytesMax: 64 * 1024 * 1024,
  connectionsMax: 1_024,
  /** The service waits 15 s for an answer. */
  headersMsMax: 10_000,
  requestMsMax: 14_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  closeGraceMs: 2_000,

  /** How often a run looks for what another process received. */
  lookMs: 250,
  /** The same, where it has to ask a server. */
  sharedLookMs: 1_000,
  /** Deliveries read into memory at a time. */
  takeCountMax: 32,
  /** A taken delivery is known by its id for so long; it is repeated within seven minutes. */
  takenKeptMs: 7 * dayMs,
  /** What nobody claimed, and what is in quarantine, is kept for so long. */
  unsettledKeptMs: 90 * dayMs,
} as const
