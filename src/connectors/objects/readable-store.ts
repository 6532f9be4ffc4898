import type { StoreReply } from './http-client.js'
import { readInfo, type ObjectInfo, type ResumePoint } from './object-store.js'
import { StoreFailure, type Patience, type StoreClient } from './store-client.js'
import { explainFailure, type Operation } from './store-errors.js'

/** Objects that can be read. */
export abstract class ReadableStore {
  readonly canList: boolean = false

  constructor(
    readonly client: StoreClient,
    protected readonly use: 'input' | 'output',
  ) {}

  /** Returns the address of an object, for messages. */
  abstract buildLabel(key: string): string

  /** Yields keys, sorted; nothing if the store has no lists. */
  abstract list(prefix: string, countMax?: number): AsyncIterable<string>

  /** Sends a request for an object. Throws StoreFailure for statuses that are not expected. */
  protected abstract open(
    method: 'GET' | 'HEAD',
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply>

  /** Whether a failure means that the object does not exist. */
  protected abstract isMissing(failure: StoreFailure): boolean

  /** Null if the object does not exist. Throws ACCESS_DENIED and INPUT_NOT_FOUND for the container. */
  async head(key: string): Promise<ObjectInfo | null> {
    let reply: StoreReply | null
    try {
      reply = await this.open('HEAD', key, {}, [200])
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      // Replies to HEAD have no text with the reason, and some servers refuse it.
      reply = await this.#get(key, { range: 'bytes=0-0' }, [200, 206, 416])
    }
    reply?.discard()
    return reply === null ? null : readInfo(reply)
  }

  /** Returns a reply with status 200, 206, 412 or 416, whose body is not read yet; null if the object does not exist. */
  get(key: string, resume: ResumePoint | null, patience: Patience): Promise<StoreReply | null> {
    const headers: Record<string, string> =
      resume === null ? {} : { range: `bytes=${resume.byteCount}-`, 'if-match': resume.etag }
    return this.#get(key, headers, [200, 206, 412, 416], patience)
  }

  /** Runs an action and explains a StoreFailure that it throws. `key` is null for requests to the bucket. */
  protected async explain<Result>(
    operation: Operation,
    key: string | null,
    action: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      const label = key === null ? this.client.service.label : this.buildLabel(key)
      throw explainFailure(error, this.client, { operation, label, use: this.use })
    }
  }

  #get(
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply | null> {
    return this.explain('read', key, async () => {
      try {
        return await this.open('GET', key, headers, expected, patience)
      } catch (error) {
        if (error instanceof StoreFailure && this.isMissing(error)) return null
        throw error
      }
    })
  }
}
