import { stat } from 'node:fs/promises'
import { UserError } from '../../core/errors.js'
import type { Connector, ConnectorOptions, Place, Target, TargetOptions } from '../connector.js'
import type { CredentialContext } from './credential-request.js'
import { HttpClient, type StorePlatform } from './http-client.js'
import { createAddressError, parseObjectAddress, trialPrefix } from './object-address.js'
import { ObjectSource } from './object-source.js'
import type { BucketStore } from './readable-store.js'
import { FileSlice, UploadGone, type Upload } from './object-store.js'

type Use = 'input' | 'output'

/** Builds the store of the containers of an address. */
export type BuildStore = (containers: readonly string[], context: CredentialContext, use: Use) => BucketStore

export function createBucketConnector(
  scheme: 's3' | 'gs' | 'az',
  platform: StorePlatform,
  buildStore: BuildStore,
): Connector {
  const open = (containers: readonly string[], options: ConnectorOptions, use: Use) => {
    const http = new HttpClient(options.environment, platform)
    return buildStore(containers, { http, options, platform }, use)
  }
  return {
    openSource: (address, options) => {
      const { containers, key } = parseObjectAddress(address, scheme)
      return new ObjectSource(open(containers, options, 'input'), key)
    },
    openTarget: (address, options) => {
      assertReplaces(options)
      const { containers, key } = parseObjectAddress(address, scheme)
      if (key.endsWith('/')) throw createAddressError(scheme, 'the address of the output ends with /')
      return new ObjectTarget(open(containers, options, 'output'), key)
    },
  }
}

/** Throws USAGE_INVALID: objects cannot be appended to. */
function assertReplaces({ mode }: TargetOptions): void {
  if (mode === 'replace') return
  throw new UserError('USAGE_INVALID', `--mode ${mode} needs a table, and the output is an object`, {
    hint: 'remove --mode: an object is always replaced',
  })
}

/** An object that is replaced as a whole. */
class ObjectTarget implements Target {
  constructor(
    private readonly store: BucketStore,
    private readonly key: string,
  ) {}

  async listPlaces(): Promise<readonly Place[]> {
    const { store, key } = this
    try {
      return store.listPlaces(key, await store.head(key))
    } catch (error) {
      // Writing does not need the right to read.
      if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
      return store.listPlaces(key, null)
    }
  }

  async tryWriting(samplePath: string): Promise<void> {
    const { store, key } = this
    // Always the same name, so that the next trial removes what a killed one left.
    const slash = key.lastIndexOf('/') + 1
    const trialKey = `${key.slice(0, slash)}${trialPrefix}${key.slice(slash)}`
    await store.removeUnfinished(key)
    await store.removeUnfinished(trialKey)
    const { size } = await stat(samplePath)
    await store.put(trialKey, new FileSlice(samplePath, 0, size))
    await this.#remove(trialKey)
    const upload = await store.startUpload(trialKey)
    await this.#abort(upload)
  }

  async publish(path: string): Promise<void> {
    const { store, key } = this
    const { limits } = store.client.platform
    await store.removeUnfinished(key)
    const { size } = await stat(path)
    if (size <= limits.partBytesMin) {
      await store.put(key, new FileSlice(path, 0, size))
      return
    }
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#upload(path, size)
        return
      } catch (error) {
        if (!(error instanceof UploadGone)) throw error
        if (attempt > limits.uploadRestartsMax) {
          throw new UserError(
            'OUTPUT_UNWRITABLE',
            `other processes kept removing the upload to ${store.buildLabel(key)}`,
            { hint: 'let only one run write to this address', cause: error },
          )
        }
      }
    }
  }

  async close(): Promise<void> {
    await this.store.client.close()
  }

  async #upload(path: string, byteCount: number): Promise<void> {
    const { store, key } = this
    const { limits } = store.client.platform
    const partBytes = Math.max(limits.partBytesMin, Math.ceil(byteCount / limits.partsMax))
    const partCount = Math.ceil(byteCount / partBytes)
    const upload = await store.startUpload(key)
    const tags: string[] = []
    let startedCount = 0
    const sendParts = async () => {
      for (let index = startedCount++; index < partCount; index = startedCount++) {
        const start = index * partBytes
        const slice = new FileSlice(path, start, Math.min(partBytes, byteCount - start))
        tags[index] = await upload.put(index + 1, slice)
      }
    }
    const workers = Array.from({ length: limits.transfersInFlight }, sendParts)
    try {
      await Promise.all(workers)
      await upload.complete(tags, byteCount)
    } catch (error) {
      // No further parts are started. Those in flight fail once the upload is aborted, but one of them may still be stored.
      startedCount = partCount
      await this.#abort(upload)
      await Promise.allSettled(workers)
      await this.#abort(upload)
      throw error
    }
  }

  /** A failure is reported only: the reason why the upload failed is more important. */
  async #abort(upload: Upload): Promise<void> {
    try {
      await upload.abort()
    } catch {
      this.store.client.options.notice(
        `an unfinished upload to ${this.store.buildLabel(this.key)} could not be removed; the next run tries again`,
      )
    }
  }

  async #remove(key: string): Promise<void> {
    try {
      await this.store.remove(key)
    } catch (error) {
      if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
      this.store.client.options.notice(
        `the credentials may write and not delete: ${this.store.buildLabel(key)} is left from the trial; delete it`,
      )
    }
  }
}
