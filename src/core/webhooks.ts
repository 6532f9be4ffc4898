import { runObjectLenient, type RunObjectLenient } from '../contract/result.js'
import { isDeeperThan, at, toText } from './json.js'
import { type StageKind, isUsableRunId } from './lookup-state.js'
import { decodeJson } from './http-exchange.js'
import { UserError } from './errors.js'

/** Limits of signatures (interface: "Signature"; Standard Webhooks). */
const signatureLimits = {
  keyBytesMin: 24,
  keyBytesMax: 64,
  secretsMax: 10,
  idCharsMax: 200,
  headerCharsMax: 4_096,
  toleranceMs: 300_000,
} as const

/** HMAC with SHA-256: 32 bytes. */
export type HmacSha256 = (key: Uint8Array, message: Uint8Array) => Uint8Array

/** Signing keys that logs, errors and JSON do not reveal. */
export class WebhookKeys {
  readonly #keys: readonly Uint8Array[]

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  get count(): number {
    return this.#keys.length
  }

  /** Returns the base64 signature of each key. */
  sign(message: Uint8Array, hmacSha256: HmacSha256): string[] {
    return this.#keys.map((key) => encodeBase64(hmacSha256(key, message)))
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }
}

/**
 * Parses one secret, or several separated by spaces while an old one is still valid (interface: "Signature"). Each is
 * `whsec_` and base64 of 24 to 64 bytes. Throws WEBHOOK_SECRET_INVALID with a message that never repeats the text, so
 * that an empty or wrong key is never used for verification.
 */
export function parseWebhookSecrets(text: string): WebhookKeys {
  const secrets = text.split(/\s+/).filter((part) => part !== '')
  if (secrets.length === 0) throw createSecretError('the webhook secret is empty')
  if (secrets.length > signatureLimits.secretsMax) {
    throw createSecretError(`there are more than ${signatureLimits.secretsMax} webhook secrets`)
  }
  return new WebhookKeys(
    secrets.map((secret) => {
      if (!secret.startsWith('whsec_')) throw createSecretError('a webhook secret does not begin with whsec_')
      const key = decodeBase64(secret.slice('whsec_'.length))
      if (key === null) throw createSecretError('a webhook secret is not base64 after its whsec_')
      if (key.length < signatureLimits.keyBytesMin || key.length > signatureLimits.keyBytesMax) {
        throw createSecretError(
          `a webhook secret has ${key.length} bytes: ${signatureLimits.keyBytesMin} to ${signatureLimits.keyBytesMax} are needed`,
        )
      }
      return key
    }),
  )
}

function createSecretError(message: string): UserError {
  return new UserError('WEBHOOK_SECRET_INVALID', message, {
    hint: "copy the whole secret from the service's settings into ENRICH_WEBHOOK_SECRET; separate several with spaces",
  })
}

/** Signs a delivery: an entry per key, over `<id>.<timestamp>.<body>` (interface: "Signature"). */
export function signDelivery(
  delivery: { readonly eventId: string; readonly timestampSeconds: number; readonly body: Uint8Array },
  keys: WebhookKeys,
  hmacSha256: HmacSha256,
): string {
  const message = buildSignedBytes(delivery.eventId, String(delivery.timestampSeconds), delivery.body)
  return keys
    .sign(message, hmacSha256)
    .map((signature) => `v1,${signature}`)
    .join(' ')
}

/** A received request. Each header has all its values: a repeated header has two. */
export interface SignedDelivery {
  id: readonly string[] | undefined
  timestamp: readonly string[] | undefined
  signature: readonly string[] | undefined
  /** Raw bytes. */
  body: Uint8Array
}

/**
 * - `genuine`: one of the keys signed these bytes recently.
 * - `unsigned`: there is no signature.
 * - `malformed`: the headers are not valid.
 * - `stale`: the timestamp is too far from now; the signature was not checked.
 * - `forged`: no signature matches one of the keys.
 */
export type SignatureVerdict =
  { kind: 'genuine'; eventId: string } | { kind: 'unsigned' | 'malformed' | 'stale' | 'forged' }

/** Judges the headers before the body is read; null if the signature must be verified. */
export function judgeSignatureHeaders(
  delivery: Omit<SignedDelivery, 'body'>,
  nowMs: number,
): Exclude<SignatureVerdict, { kind: 'genuine' }> | null {
  if (delivery.signature === undefined || delivery.signature.every((value) => value.trim() === '')) {
    return { kind: 'unsigned' }
  }
  const id = getSingle(delivery.id)
  const timestamp = getSingle(delivery.timestamp)
  const signature = getSingle(delivery.signature)
  // A dot in the id would be ambiguous: another id and timestamp would have the same signature.
  if (id === null || !/^[\x21-\x2d\x2f-\x7e]+$/.test(id) || id.length > signatureLimits.idCharsMax) {
    return { kind: 'malformed' }
  }
  if (timestamp === null || !/^[0-9]{1,12}$/.test(timestamp)) return { kind: 'malformed' }
  if (signature === null || signature.length > signatureLimits.headerCharsMax) return { kind: 'malformed' }
  if (Math.abs(nowMs - Number(timestamp) * 1000) > signatureLimits.toleranceMs) return { kind: 'stale' }
  return null
}

/**
 * Verifies a delivery (interface: "Signature"): HMAC-SHA256 over the raw bytes of `<id>.<timestamp>.<body>`. One
 * matching `v1` entry for any key is enough; other versions are ignored. The timestamp is that of the delivery, so a
 * late retry of an old event passes.
 */
export function verifyDelivery(
  delivery: SignedDelivery,
  keys: WebhookKeys,
  nowMs: number,
  hmacSha256: HmacSha256,
): SignatureVerdict {
  const refusal = judgeSignatureHeaders(delivery, nowMs)
  if (refusal !== null) return refusal
  const eventId = delivery.id?.[0] ?? ''
  const given = parseSignatures(delivery.signature?.[0] ?? '')
  const expected = keys.sign(
    buildSignedBytes(eventId, delivery.timestamp?.[0] ?? '', delivery.body),
    hmacSha256,
  )
  let isGenuine = false
  // All are compared, so that the elapsed time reveals nothing about them.
  for (const one of given) for (const other of expected) isGenuine = isSameText(one, other) || isGenuine
  return isGenuine ? { kind: 'genuine', eventId } : { kind: 'forged' }
}

const getSingle = (values: readonly string[] | undefined): string | null =>
  values?.length === 1 ? (values[0] ?? null) : null

function parseSignatures(header: string): string[] {
  return header.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [entry.slice('v1,'.length)] : []))
}

function buildSignedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

/** Compares two texts in constant time for equal lengths. */
function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  }
  return difference === 0
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** With padding (RFC 4648, section 4). */
function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second, third] = bytes.subarray(index, index + 3)
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    text += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63)
    text += second === undefined ? '=' : alphabet.charAt((bits >> 6) & 63)
    text += third === undefined ? '=' : alphabet.charAt(bits & 63)
  }
  return text
}

/** Decodes base64; null unless `encodeBase64` gives this text, apart from missing padding. */
function decodeBase64(text: string): Uint8Array | null {
  const digits = text.replace(/={1,2}$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let bitCount = 0
  let length = 0
  for (const character of digits) {
    const value = alphabet.indexOf(character)
    if (value < 0) return null
    bits = ((bits << 6) | value) & 0xffff
    bitCount += 6
    if (bitCount >= 8) {
      bitCount -= 8
      bytes[length++] = (bits >> bitCount) & 0xff
    }
  }
  const canonical = encodeBase64(bytes)
  return text === canonical || text === canonical.replace(/=+$/, '') ? bytes : null
}

/** Same limit as for answers to polls. */
const depthMax = 64

/**
 * Content of a delivery (interface: "Delivery request").
 * - `run`: a run, perhaps without its answer (`isTruncated`).
 * - `record`: an entity or a domain, by name; null if the event has none. `body` is what a read of it would return.
 * - `unreadable`: it names no run.
 */
export type WebhookEvent =
  | {
      readonly kind: 'run'
      readonly runId: string
      readonly customId: string | null
      readonly run: RunObjectLenient
      readonly isTruncated: boolean
    }
  | RecordEvent
  | { readonly kind: 'unreadable'; readonly reason: string }

interface RecordEvent {
  readonly kind: 'record'
  readonly record: StageKind
  readonly name: string | null
  readonly body: unknown
  readonly hasFailed: boolean
}

/** Parses the body of a delivery. Never throws. */
export function readWebhookEvent(body: Uint8Array): WebhookEvent {
  const event = parse(body)
  if (event === undefined) return { kind: 'unreadable', reason: 'the body is not JSON that can be read' }
  const record = readRecordEvent(event)
  if (record !== null) return record
  const parsed = runObjectLenient.safeParse(at(event, 'data', 'object'))
  if (!parsed.success || !isUsableRunId(parsed.data.run_id)) {
    return { kind: 'unreadable', reason: 'the event names no run' }
  }
  const run = parsed.data
  const isTruncated = at(event, 'data_truncated') === true
  return { kind: 'run', runId: run.run_id, customId: run.custom_id ?? null, run, isTruncated }
}

/** Events of records have a run id that no response contained (interface: "Event types"). */
function readRecordEvent(event: unknown): RecordEvent | null {
  const [, type, end] =
    /^(entity|domain_intelligence)\.(completed|failed)$/.exec(toText(at(event, 'type')) ?? '') ?? []
  if (type === undefined) return null
  const body = at(event, 'data', 'object', 'data')
  const hasFailed = end === 'failed'
  // The record of a merged id is that of the new id, and does not contain the id that was read.
  const isMerged = toText(at(body, 'status'))?.trim().toLowerCase() === 'merged'
  return type === 'entity'
    ? {
        kind: 'record',
        record: 'entity',
        name: isMerged ? null : toText(at(body, 'entity', 'id')),
        body,
        hasFailed,
      }
    : { kind: 'record', record: 'domain', name: toText(at(body, 'domain')), body, hasFailed }
}

function parse(body: Uint8Array): unknown {
  try {
    const text = decodeJson(body)
    return text === null || isDeeperThan(text, depthMax) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
