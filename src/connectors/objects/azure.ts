import { createHmac, randomBytes } from 'node:crypto'
import { UserError } from '../../core/errors.js'
import type { Connector } from '../connector.js'
import { createBucketConnector } from './bucket-connector.js'
import { readVariable, type CredentialContext } from './credential-request.js'
import {
  type RequestBody,
  type StoreReply,
  type StoreRequest,
  systemPlatform,
  type StorePlatform,
} from './http-client.js'
import { encodeText, parseEndpoint } from './object-address.js'
import { readS3Failure, toErrorCode } from './s3-store.js'
import { StoreClient, StoreFailure, type FailureFacts, type StoreService } from './store-client.js'
import { BucketStore, toPath } from './readable-store.js'
import {
  findContentType,
  toBody,
  toListedInfo,
  UploadGone,
  type FileSlice,
  type ListedObject,
  type Upload,
} from './object-store.js'
import { findChild, findText } from '../../platform/xml.js'

/** A SAS token is a query; a shared key signs each request. */
type AzureCredentials =
  { readonly kind: 'sas'; readonly query: string } | { readonly kind: 'key'; readonly key: string }

/** Signs requests to a container of Azure Blob Storage. URLs are relative to the container, and start with a slash. */
export class AzureService implements StoreService {
  readonly label: string
  readonly #endpoint: string
  #credentials: AzureCredentials | null = null

  constructor(
    private readonly account: string,
    private readonly container: string,
    private readonly context: CredentialContext,
  ) {
    this.label = `az://${account}/${container}`
    this.#endpoint = readEndpoint(context, account)
  }

  buildUrl(path: string): string {
    return `${this.#endpoint}/${encodeText(this.container)}${path.replace(/^\/\?/, '?')}`
  }

  async sign(request: StoreRequest): Promise<StoreRequest> {
    this.#credentials ??= readCredentials(this.context, this.account)
    const url = this.buildUrl(request.url)
    const headers = {
      ...request.headers,
      'x-ms-version': '2021-12-02',
      'x-ms-date': new Date(this.context.platform.clock.nowMs()).toUTCString(),
    }
    if (this.#credentials.kind === 'sas') {
      const signedUrl = `${url}${url.includes('?') ? '&' : '?'}${this.#credentials.query}`
      return Promise.resolve({ ...request, url: signedUrl, headers })
    }
    const signature = computeSignature({ ...request, url, headers }, this.account, this.#credentials.key)
    const authorization = `SharedKey ${this.account}:${signature}`
    return Promise.resolve({ ...request, url, headers: { ...headers, authorization } })
  }

  readFailure(text: string, headers: StoreReply['headers']): FailureFacts {
    return { code: toErrorCode(headers['x-ms-error-code']) ?? readS3Failure(text).code }
  }
}

/** Returns the signature of a request with a shared key. */
function computeSignature(
  { method, url, headers, body }: StoreRequest,
  account: string,
  key: string,
): string {
  const { pathname, searchParams } = new URL(url)
  const signedHeaders = [
    'content-md5',
    'content-type',
    'date',
    'if-modified-since',
    'if-match',
    'if-none-match',
    'if-unmodified-since',
    'range',
  ]
  const ownHeaders = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .map((pair) => pair.join(':'))
  const parameters = [...searchParams].map(([name, value]) => `${name.toLowerCase()}:${value}`)
  const text = [
    method,
    // Content-Encoding and Content-Language.
    '',
    '',
    body === undefined || body.byteCount === 0 ? '' : String(body.byteCount),
    ...signedHeaders.map((name) => headers[name] ?? ''),
    ...ownHeaders.sort(),
    `/${account}${pathname}`,
    ...parameters.sort(),
  ].join('\n')
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
}

/** Reads the parts of a connection string; empty if it is not set. */
function readConnectionString({ options }: CredentialContext): ReadonlyMap<string, string> {
  const text = readVariable(options.environment, 'AZURE_STORAGE_CONNECTION_STRING') ?? ''
  const parts = [...text.matchAll(/([^=;]+)=([^;]*)/g)]
  return new Map(parts.map(([, name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]))
}

function readEndpoint(context: CredentialContext, account: string): string {
  const { environment } = context.options
  const setting = ['AZURE_STORAGE_BLOB_ENDPOINT', 'AZURE_STORAGE_ENDPOINT'].find(
    (name) => readVariable(environment, name) !== null,
  )
  if (setting !== undefined) return parseEndpoint(environment[setting]?.trim() ?? '', setting)
  const parts = readConnectionString(context)
  const endpoint = parts.get('blobendpoint')
  if (endpoint !== undefined) return parseEndpoint(endpoint, 'AZURE_STORAGE_CONNECTION_STRING')
  const suffix = parts.get('endpointsuffix') ?? 'core.windows.net'
  return parseEndpoint(`https://${account}.blob.${suffix}`, 'AZURE_STORAGE_CONNECTION_STRING')
}

function readCredentials(context: CredentialContext, account: string): AzureCredentials {
  const { environment } = context.options
  const parts = readConnectionString(context)
  const named = parts.get('accountname') ?? account
  if (named !== account) {
    throw new UserError(
      'CREDENTIALS_MISSING',
      `AZURE_STORAGE_CONNECTION_STRING is not for the account ${account}`,
      { hint: 'use the connection string of the account in the address' },
    )
  }
  const query = parts.get('sharedaccesssignature') ?? readVariable(environment, 'AZURE_STORAGE_SAS_TOKEN')
  const key = parts.get('accountkey') ?? readVariable(environment, 'AZURE_STORAGE_KEY')
  if (query !== null) return { kind: 'sas', query: query.replace(/^\?/, '') }
  if (key !== null) return { kind: 'key', key }
  throw new UserError(
    'CREDENTIALS_MISSING',
    'no credentials for Azure: searched AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_SAS_TOKEN and AZURE_STORAGE_KEY',
    { hint: 'set one of them' },
  )
}

/** Creates the connector for Azure Blob Storage. `platform` is for tests. */
export function createAzureConnector(platform: StorePlatform = systemPlatform): Connector {
  return createBucketConnector('az', platform, ([account = '', container = ''], context, use) => {
    const service = new AzureService(account, container, context)
    return new AzureStore(new StoreClient(service, context), use)
  })
}

class AzureStore extends BucketStore {
  async *list(prefix: string, countMax = 5_000): AsyncGenerator<ListedObject> {
    const parameters = { restype: 'container', comp: 'list', maxresults: String(countMax), prefix }
    for await (const page of this.listPages('EnumerationResults', parameters, (root) => {
      const marker = findText(root, 'NextMarker')
      return marker === null ? null : { marker }
    })) {
      for (const blob of findChild(page, 'Blobs')?.children ?? []) {
        const key = findText(blob, 'Name')
        if (blob.name !== 'Blob' || key === null) continue
        const isEncoded = findChild(blob, 'Name')?.attribute('Encoded') === 'true'
        const find = (name: string) => findText(blob, 'Properties', name)
        yield {
          key: isEncoded ? decodeURIComponent(key) : key,
          info: toListedInfo(find('Content-Length'), find('Etag')),
        }
      }
    }
  }

  async put(key: string, content: FileSlice): Promise<void> {
    const { md5 } = await content.digests
    const type = { 'content-type': findContentType(key), 'x-ms-blob-type': 'BlockBlob' }
    await this.#write(key, {}, { ...type, 'content-md5': md5 }, content)
  }

  /** Ids of blocks contain a random mark, so that runs at the same time do not mix theirs. */
  startUpload(key: string): Promise<Upload> {
    const mark = randomBytes(8).toString('hex')
    return Promise.resolve({
      put: async (partNumber, content) => {
        const id = Buffer.from(`${mark}-${String(partNumber).padStart(6, '0')}`).toString('base64')
        const { md5 } = await content.digests
        await this.#write(key, { comp: 'block', blockid: id }, { 'content-md5': md5 }, content)
        return id
      },
      // Repeating it has the same result.
      complete: async (ids) => {
        const list = ids.map((id) => `<Latest>${id}</Latest>`).join('')
        const body = toBody(`<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`)
        const type = findContentType(key)
        const headers = { 'content-type': 'application/xml', 'x-ms-blob-content-type': type }
        await this.#write(key, { comp: 'blocklist' }, headers, body)
      },
      // Azure has no such request: it removes blocks after a week, or when the blob is written.
      abort: () => Promise.resolve(),
    })
  }

  removeUnfinished(): Promise<void> {
    return Promise.resolve()
  }

  async #write(
    key: string,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    body: RequestBody,
  ): Promise<void> {
    await this.explain('write', key, async () => {
      try {
        await this.client.call({ method: 'PUT', url: toPath(key, query), headers, body }, { expected: [201] })
      } catch (error) {
        if (!(error instanceof StoreFailure && error.code === 'InvalidBlockList')) throw error
        throw new UploadGone('another process wrote the blob')
      }
    })
  }
}
