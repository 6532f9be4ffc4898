import type { StoreReply } from './http-client.js'
import { encodeKey, encodeQuery } from './object-address.js'
import { buildRangeHeaders, readInfo, type ObjectInfo, type ResumePoint } from './object-store.js'
import { StoreFailure, type Patience, type StoreClient } from './store-client.js'
import { isContainerMissing, withExplanation, type Operation } from './store-errors.js'

/** Requests that all stores with buckets have in common. URLs are relative to the bucket, and start with a slash. */
export class BucketStore {
  constructor(
    readonly client: StoreClient,
    protected readonly use: 'input' | 'output',
    /** Headers of requests for content. */
    private readonly readHeaders: Readonly<Record<string, string>> = {},
  ) {}

  buildLabel(key: string): string {
    return `${this.client.service.label}/${key}`
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const request = { method: 'HEAD', url: toPath(key), headers: {} } as const
    try {
      return await this.client.send(request, { expected: [200] }, (reply) => {
        reply.discard()
        return Promise.resolve(readInfo(reply))
      })
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
    }
    // Replies to HEAD have no text with the reason, and some stores refuse it.
    const reply = await this.#open(key, { range: 'bytes=0-0' }, [200, 206, 416])
    reply?.discard()
    return reply === null ? null : readInfo(reply)
  }

  async get(key: string, resume: ResumePoint | null, patience: Patience): Promise<StoreReply | null> {
    const headers = { ...this.readHeaders, ...buildRangeHeaders(resume) }
    return this.#open(key, headers, [200, 206, 412, 416], patience)
  }

  async remove(key: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const request = { method: 'DELETE', url: toPath(key, query), headers: {} } as const
    await this.explain('delete', key, () =>
      this.client.call(request, { expected: [200, 202, 204, 404], isCleanup: true }),
    )
  }

  /** `key` is null for requests to the bucket. */
  protected explain<Result>(
    operation: Operation,
    key: string | null,
    action: () => Promise<Result>,
  ): Promise<Result> {
    const label = key === null ? this.client.service.label : this.buildLabel(key)
    return withExplanation(this.client, { operation, label, use: this.use }, action)
  }

  async #open(
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply | null> {
    return this.explain('read', key, async () => {
      try {
        const request = { method: 'GET', url: toPath(key), headers } as const
        return await this.client.open(request, { expected, patience })
      } catch (error) {
        if (error instanceof StoreFailure && error.status === 404 && !isContainerMissing(error)) return null
        throw error
      }
    })
  }
}

/** Returns the URL of an object, relative to the bucket. */
export function toPath(key: string, query: Readonly<Record<string, string>> = {}): string {
  return `/${encodeKey(key)}${Object.keys(query).length === 0 ? '' : `?${encodeQuery(query)}`}`
}
