import type { StorePlatform } from './store-platform.js'

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
