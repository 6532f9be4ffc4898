import { systemClock, type Clock } from '../../platform/clock.js'
import { systemRandom, type Random } from '../../platform/random.js'

const mebibyte = 2 ** 20

/** Bounds of requests to object stores. Times are in milliseconds, sizes in bytes. */
export const storeLimits = {
  connectMsMax: 10_000,
  /** Longest silence while a reply is awaited or read, and while a body is sent. */
  silenceMsMax: 30_000,
  /** The same between the last byte of a body and the reply: a store joins the parts of a large upload meanwhile. */
  joiningMsMax: 300_000,
  /** Longest time of retries without progress, for a store that answered before. */
  patienceMs: 300_000,
  /** The same for a store that never answered: its name or address may be wrong. */
  firstPatienceMs: 30_000,
  /** The same for requests that remove what a failed upload left. */
  cleanupPatienceMs: 10_000,
  backoffMsMin: 500,
  backoffMsMax: 30_000,
  retryAfterMsMax: 120_000,
  /** The user is notified once retries take longer. */
  noticeAfterMs: 3_000,
  /** Time limit of a request for credentials to the machine or container. */
  metadataMsMax: 3_000,
  /** Credentials are renewed this long before they expire. */
  renewBeforeMs: 300_000,
  clockSkewMsMax: 300_000,
  /** Size of replies other than objects. */
  textBytesMax: 16 * mebibyte,
  partBytesMin: 8 * mebibyte,
  partsMax: 10_000,
  /** Parts of an upload, or objects of a pattern. */
  transfersInFlight: 4,
  uploadRestartsMax: 3,
  objectsMax: 10_000,
  redirectsMax: 5,
}
export type StoreLimits = typeof storeLimits

/** Time, randomness and limits as arguments. */
export interface StorePlatform {
  readonly clock: Clock
  readonly random: Random
  readonly limits: StoreLimits
}

export const systemPlatform: StorePlatform = { clock: systemClock, random: systemRandom, limits: storeLimits }
