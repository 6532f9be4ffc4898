import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import { withTimeout } from '../../platform/clock.js'
import type { ConnectorOptions } from '../connector.js'
import { ConnectionFault, type HttpClient, type StoreRequest, type StorePlatform } from './http-client.js'

/** The means to find credentials. */
export interface CredentialContext {
  readonly http: HttpClient
  readonly options: ConnectorOptions
  readonly platform: StorePlatform
}

/** Requests credentials. Throws ConnectionFault, and ACCESS_DENIED if the source refuses; `name` is for messages. */
export async function requestCredentials(
  { http, options, platform }: CredentialContext,
  request: StoreRequest,
  name: string,
): Promise<string> {
  const { signal } = options
  const reply = await withTimeout(
    {
      clock: platform.clock,
      msMax: platform.limits.metadataMsMax,
      signals: signal === undefined ? [] : [signal],
    },
    async (limit) => {
      try {
        const { status, ...rest } = await http.exchange(request, limit)
        return { status, text: await http.readText({ status, ...rest }) }
      } catch (error) {
        signal?.throwIfAborted()
        throw error instanceof ConnectionFault ? error : new ConnectionFault(`no answer came from ${name}`)
      }
    },
  )
  if (reply.status === 200) return reply.text
  if (reply.status === 429 || reply.status >= 500) {
    throw new ConnectionFault(`${name} answered with status ${reply.status}`)
  }
  throw new UserError('ACCESS_DENIED', `${name} refused to give credentials (status ${reply.status})`, {
    hint: 'check the role and its trust policy',
  })
}

/** Parses a JSON object; empty for other text. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns the content of a file with a token. Throws CREDENTIALS_MISSING, which names the setting. */
export function readTokenFile(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new UserError('CREDENTIALS_MISSING', `the file in ${setting} cannot be read`, {
      hint: 'check the path and its permissions',
      cause,
    })
  }
}

/** Returns a path in the home folder. */
export const findHomePath = (environment: ConnectorOptions['environment'], ...names: string[]): string =>
  join(environment['HOME'] ?? environment['USERPROFILE'] ?? homedir(), ...names)

/** Returns the value of a variable; null if it is missing or empty. */
export function readVariable(environment: ConnectorOptions['environment'], name: string): string | null {
  const value = environment[name]?.trim() ?? ''
  return value === '' ? null : value
}

interface Expiring {
  /** Unix time in milliseconds; null: does not expire. */
  readonly expiresAtMs: number | null
}

/** Credentials that are loaded when they are needed, and renewed before they expire. */
export class RenewedValue<Value extends Expiring> {
  #value: Value | null = null
  #loading: Promise<Value> | null = null

  constructor(
    private readonly load: () => Promise<Value>,
    private readonly platform: StorePlatform,
  ) {}

  async get(): Promise<Value> {
    const { clock, limits } = this.platform
    const value = this.#value
    if (value === null) return this.#load()
    const restMs = (value.expiresAtMs ?? Infinity) - clock.nowMs()
    if (restMs > limits.renewBeforeMs) return value
    try {
      return await this.#load()
    } catch (error) {
      // The old ones are used as long as they are valid.
      if (restMs > 0) return value
      throw error
    }
  }

  /** Loads again; returns whether that may help. */
  async renew(): Promise<boolean> {
    if (this.#value?.expiresAtMs === null) return false
    await this.#load()
    return true
  }

  async #load(): Promise<Value> {
    this.#loading ??= this.load().finally(() => {
      this.#loading = null
    })
    this.#value = await this.#loading
    return this.#value
  }
}

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** Unix time in milliseconds; null: they do not expire. */
  readonly expiresAtMs: number | null
}

/** Returns null if a part is missing. */
export const toAwsCredentials = (
  accessKeyId: string | null | undefined,
  secretAccessKey: string | null | undefined,
  sessionToken: string | null = null,
  expiresAtMs: number | null = null,
): AwsCredentials | null =>
  accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } : null
