import { UserError } from '../../core/errors.js'
import type { Place } from '../connector.js'
import type { StoreReply, StoreRequest } from './http-client.js'
import {
  isCompressedOnTheWay,
  readInfo,
  type FileSlice,
  type ListedObject,
  type ObjectInfo,
  type ResumePoint,
  type Upload,
} from './object-store.js'
import { parseXml, type XmlElement } from '../../platform/xml.js'
import { StoreFailure, type Patience, type StoreClient } from './store-client.js'
import { encodeKey, encodeQuery, listObjectPlaces } from './object-address.js'

export abstract class ReadableStore {
  readonly canList: boolean = false

  constructor(
    readonly client: StoreClient,
    protected readonly use: 'input' | 'output',
  ) {}

  /** Returns the address of an object, for messages. */
  abstract buildLabel(key: string): string

  /** Returns the places of an object; `info` is `null` if it does not exist, or is unknown. */
  listPlaces(key: string, info: ObjectInfo | null): readonly Place[] {
    return listObjectPlaces(this.client.service.buildUrl(toPath(key)), info)
  }

  /** Yields objects, sorted by key; nothing if the store has no lists. */
  abstract list(prefix: string, countMax?: number): AsyncIterable<ListedObject>

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
    if (reply === null) return null
    const info = readInfo(reply)
    // Some web servers answer HEAD with length 0, or as if they would compress.
    const isUnsure =
      !this.canList && (info.byteCount === 0 || isCompressedOnTheWay(reply, this.buildLabel(key)))
    return isUnsure ? { ...info, byteCount: null } : info
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

type Operation = 'read' | 'list' | 'write' | 'delete'

interface FailureContext {
  readonly operation: Operation
  /** Address in messages. */
  readonly label: string
  readonly use: 'input' | 'output'
}

const deniedCodes = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'])
const missingContainerCodes = new Set(['NoSuchBucket', 'ContainerNotFound', 'ContainerBeingDeleted'])

const isContainerMissing = ({ status, code }: StoreFailure): boolean =>
  status === 404 && missingContainerCodes.has(code ?? '')

/** Returns the error for a refusal. */
function explainFailure(failure: StoreFailure, client: StoreClient, context: FailureContext): UserError {
  const { operation, label, use } = context
  const { status, code } = failure
  const { label: container } = client.service
  const create = (errorCode: UserError['code'], message: string, hint: string) =>
    new UserError(errorCode, message, { hint, cause: failure })
  if (status === 401 || status === 403 || deniedCodes.has(code ?? '')) {
    return (
      findClockError(failure, client) ??
      create(
        'ACCESS_DENIED',
        `${container} refused to ${operation} ${label === container ? 'it' : label} (${failure.message})`,
        deniedHints[code ?? ''] ??
          `give these credentials the right to ${operation} there; some stores also answer so if the name does not exist`,
      )
    )
  }
  if (isContainerMissing(failure)) {
    return create(
      use === 'input' ? 'INPUT_NOT_FOUND' : 'OUTPUT_UNWRITABLE',
      `${container} does not exist (${failure.message})`,
      'check the name, the account and the endpoint',
    )
  }
  if (use === 'input' && status === 404) {
    return create('INPUT_NOT_FOUND', `${label} does not exist`, 'check the address; names are case-sensitive')
  }
  return create(
    'STORE_REFUSED',
    `${container} cannot ${operation} ${label === container ? 'it' : label} (${failure.message})`,
    refusalHints[findRefusal(failure)],
  )
}

const refusalHints = {
  changed:
    'another process changed the object meanwhile, or the store has a condition for it: let only one run write there, then run the same command again',
  moved:
    'the bucket is in another region, or was created a moment ago: set AWS_REGION or the endpoint to those of the bucket, or wait some minutes',
  damaged:
    'the store received other bytes or tags than were sent: check proxies on the way, then run the same command again',
  locked: 'the object has a lease, a lock or a retention period: end it, or use another name',
  archived: 'the object is archived: restore it first',
  full: 'the store or the account has no space left: free some, or raise its quota',
  large: 'the store does not take a part or an object of this size: write Parquet or a compressed file',
  encrypted: 'the key that encrypts the bucket cannot be used: check it, and the rights to use it',
  unsupported:
    'the store does not offer this operation: check the endpoint, and that it is compatible with S3',
  other:
    'check the address, the endpoint and the settings of the bucket; the store names the error in brackets',
} as const

const refusalsByCode: Readonly<Record<string, keyof typeof refusalHints>> = {
  PreconditionFailed: 'changed',
  ConditionNotMet: 'changed',
  TargetConditionNotMet: 'changed',
  NoSuchUpload: 'changed',
  TemporaryRedirect: 'moved',
  PermanentRedirect: 'moved',
  Redirect: 'moved',
  AuthorizationHeaderMalformed: 'moved',
  IllegalLocationConstraintException: 'moved',
  InvalidPart: 'damaged',
  InvalidPartOrder: 'damaged',
  InvalidBlockId: 'damaged',
  InvalidBlockList: 'damaged',
  BadDigest: 'damaged',
  InvalidDigest: 'damaged',
  IncompleteBody: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  Md5Mismatch: 'damaged',
  InvalidMd5: 'damaged',
  EntityTooSmall: 'damaged',
  LeaseIdMissing: 'locked',
  LeaseIdMismatchWithBlobOperation: 'locked',
  BlobImmutableDueToPolicy: 'locked',
  InvalidObjectState: 'archived',
  BlobArchived: 'archived',
  QuotaExceeded: 'full',
  InsufficientStorage: 'full',
  XMinioStorageFull: 'full',
  EntityTooLarge: 'large',
  MaxMessageLengthExceeded: 'large',
  RequestBodyTooLarge: 'large',
  BlockCountExceedsLimit: 'large',
  NotImplemented: 'unsupported',
  MethodNotAllowed: 'unsupported',
  UnsupportedOperation: 'unsupported',
  InvalidBlobType: 'unsupported',
}

const refusalsByStatus: Readonly<Record<number, keyof typeof refusalHints>> = {
  405: 'unsupported',
  409: 'changed',
  412: 'changed',
  413: 'large',
  501: 'unsupported',
  507: 'full',
}

/** The code of the store says more than the status. */
function findRefusal({ code, status }: StoreFailure): keyof typeof refusalHints {
  if (code?.startsWith('KMS') === true) return 'encrypted'
  const byCode = Object.hasOwn(refusalsByCode, code ?? '') ? refusalsByCode[code ?? ''] : undefined
  return byCode ?? refusalsByStatus[status] ?? (status >= 300 && status < 400 ? 'moved' : 'other')
}

const deniedHints: Readonly<Record<string, string>> = {
  ExpiredToken: 'the credentials have expired: renew them',
  InvalidObjectState: 'the object is archived: restore it first',
  InvalidAccessKeyId: 'the store does not know this access key: check the credentials and the endpoint',
  InvalidToken: 'the session token is wrong: copy all three values of the credentials again',
  SignatureDoesNotMatch: 'the secret key does not belong to the access key: copy it again',
  AuthenticationFailed: 'the key or the SAS token is wrong or has expired: copy it again',
}

/** A refusal by a store whose clock differs much from ours. */
function findClockError(failure: StoreFailure, { service, platform }: StoreClient): UserError | null {
  const nowMs = platform.clock.nowMs()
  const theirMs = failure.dateMs
  if (Number.isNaN(theirMs) || Math.abs(theirMs - nowMs) <= platform.limits.clockSkewMsMax) return null
  const show = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
  return new UserError(
    'CLOCK_WRONG',
    `the clock of this machine shows ${show(nowMs)}, and the clock of ${service.label} shows ${show(theirMs)}`,
    { hint: 'set the clock of this machine, for example by NTP', cause: failure },
  )
}

/** The reply is not that of a store. */
export function createUnexpectedError({ service }: StoreClient, use: 'input' | 'output'): UserError {
  return new UserError(
    use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE',
    `${service.label} answered with something else than a store`,
    { hint: 'check the endpoint: it may lead to a proxy or a web page' },
  )
}

/** A store with buckets. URLs are relative to the bucket, and start with a slash. */
export abstract class BucketStore extends ReadableStore {
  override readonly canList = true

  constructor(
    client: StoreClient,
    use: 'input' | 'output',
    /** Headers of requests for objects. */
    private readonly readHeaders: Readonly<Record<string, string>> = {},
  ) {
    super(client, use)
  }

  abstract put(key: string, content: FileSlice): Promise<void>
  abstract startUpload(key: string): Promise<Upload>
  /** Removes the parts of unfinished uploads to this key. Does nothing if the store refuses to list them. */
  abstract removeUnfinished(key: string): Promise<void>

  buildLabel(key: string): string {
    return `${this.client.service.label}/${key}`
  }

  async remove(key: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const request = { method: 'DELETE', url: toPath(key, query), headers: {} } as const
    await this.explain('delete', key, () =>
      this.client.call(request, { expected: [200, 202, 204, 404], isCleanup: true }),
    )
  }

  protected open(
    method: 'GET' | 'HEAD',
    key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply> {
    const request = { method, url: toPath(key), headers: { ...this.readHeaders, ...headers } }
    return this.client.open(request, { expected, patience })
  }

  protected isMissing(failure: StoreFailure): boolean {
    return failure.status === 404 && !isContainerMissing(failure)
  }

  /** Reads a reply with this root element. `key` is null for requests to the bucket. */
  protected async readXml(
    operation: 'list' | 'write',
    key: string | null,
    name: string,
    request: Omit<StoreRequest, 'headers'> & Partial<StoreRequest>,
  ): Promise<XmlElement> {
    const { text } = await this.explain(operation, key, () =>
      this.client.call({ headers: {}, ...request }, { expected: [200] }),
    )
    const root = parseXml(text)
    if (root?.name !== name) throw createUnexpectedError(this.client, this.use)
    return root
  }

  /** Yields the pages of a list. `readNext` returns the parameters of the next page. */
  protected async *listPages(
    name: string,
    parameters: Readonly<Record<string, string>>,
    readNext: (page: XmlElement) => Readonly<Record<string, string>> | null,
  ): AsyncGenerator<XmlElement> {
    let position = ''
    for (let next: Readonly<Record<string, string>> | null = {}; next !== null;) {
      const url = `/?${encodeQuery({ ...parameters, ...next })}`
      const page = await this.readXml('list', null, name, { method: 'GET', url })
      yield page
      next = readNext(page)
      // A store that repeats a page would never end.
      if (JSON.stringify(next) === position) return
      position = JSON.stringify(next)
    }
  }
}

/** Returns the URL of an object, relative to the bucket. */
export function toPath(key: string, query: Readonly<Record<string, string>> = {}): string {
  return `/${encodeKey(key)}${Object.keys(query).length === 0 ? '' : `?${encodeQuery(query)}`}`
}
