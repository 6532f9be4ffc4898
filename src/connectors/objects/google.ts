import { UserError } from '../../core/errors.js'
import { toInteger, toText } from '../../core/json.js'
import type { Connector } from '../connector.js'
import { signForAmazon } from './amazon-access.js'
import { createBucketConnector } from './bucket-connector.js'
import {
  parseRecord,
  readVariable,
  requestCredentials,
  type CredentialContext,
  RenewedValue,
} from './credential-request.js'
import { ConnectionFault, type StoreRequest, systemPlatform, type StorePlatform } from './http-client.js'
import { encodeText, parseEndpoint } from './object-address.js'
import { readS3Failure, S3Store } from './s3-store.js'
import { type StoreFailure, type StoreService, StoreClient } from './store-client.js'

type GoogleCredentials = { readonly expiresAtMs: number | null } & (
  | { readonly kind: 'hmac'; readonly accessKeyId: string; readonly secretAccessKey: string }
  | { readonly kind: 'token'; readonly token: string }
)

/** Signs requests to a bucket of Google Cloud Storage, by its interface that is compatible with S3. */
class GoogleService implements StoreService {
  readonly label: string
  readonly #endpoint: string
  readonly #credentials: RenewedValue<GoogleCredentials>

  constructor(
    private readonly bucket: string,
    private readonly context: CredentialContext,
  ) {
    this.label = `gs://${bucket}`
    const emulator = readVariable(context.options.environment, 'STORAGE_EMULATOR_HOST')
    this.#endpoint =
      emulator === null
        ? 'https://storage.googleapis.com'
        : parseEndpoint(/^https?:/.test(emulator) ? emulator : `http://${emulator}`, 'STORAGE_EMULATOR_HOST')
    this.#credentials = new RenewedValue(() => loadCredentials(context), context.platform)
  }

  readonly readFailure = readS3Failure

  buildUrl(path: string): string {
    return `${this.#endpoint}/${encodeText(this.bucket)}${path.replace(/^\/\?/, '?')}`
  }

  async sign(request: StoreRequest): Promise<StoreRequest> {
    const credentials = await this.#credentials.get()
    const url = this.buildUrl(request.url)
    if (credentials.kind === 'hmac') {
      const scope = { region: 'auto', service: 's3', nowMs: this.context.platform.clock.nowMs() } as const
      return signForAmazon({ ...request, url }, { ...credentials, sessionToken: null }, scope)
    }
    const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith('x-amz-'))
    return {
      ...request,
      url,
      headers: { ...Object.fromEntries(headers), authorization: `Bearer ${credentials.token}` },
    }
  }

  async adapt({ status }: StoreFailure): Promise<boolean> {
    return status === 401 && (await this.#credentials.renew())
  }
}

async function loadCredentials(context: CredentialContext): Promise<GoogleCredentials> {
  const read = (name: string) => readVariable(context.options.environment, name)
  const [accessKeyId, secretAccessKey] = [read('GOOGLE_HMAC_KEY_ID'), read('GOOGLE_HMAC_SECRET')]
  if (accessKeyId !== null && secretAccessKey !== null) {
    return { kind: 'hmac', accessKeyId, secretAccessKey, expiresAtMs: null }
  }
  const token = read('GOOGLE_OAUTH_ACCESS_TOKEN')
  if (token !== null) return { kind: 'token', token, expiresAtMs: null }
  const found = await requestToken(context)
  if (found !== null) return found
  throw new UserError(
    'CREDENTIALS_MISSING',
    'no credentials for Google Cloud Storage: searched GOOGLE_HMAC_KEY_ID and GOOGLE_HMAC_SECRET, GOOGLE_OAUTH_ACCESS_TOKEN and the metadata server',
    {
      hint:
        read('GOOGLE_APPLICATION_CREDENTIALS') === null
          ? 'create an HMAC key and set both variables'
          : 'a file of GOOGLE_APPLICATION_CREDENTIALS is not supported: export GOOGLE_OAUTH_ACCESS_TOKEN=$(gcloud auth application-default print-access-token)',
    },
  )
}

/** Requests a token from the metadata server of Google; null if no token came. */
async function requestToken(context: CredentialContext): Promise<GoogleCredentials | null> {
  const { options, platform } = context
  const host = readVariable(options.environment, 'GCE_METADATA_HOST') ?? 'metadata.google.internal'
  const endpoint = parseEndpoint(`http://${host}`, 'GCE_METADATA_HOST', [
    'metadata.google.internal',
    '169.254.169.254',
  ])
  const path = '/computeMetadata/v1/instance/service-accounts/default/token'
  const headers = { 'metadata-flavor': 'Google' }
  let text: string
  try {
    text = await requestCredentials(
      context,
      { method: 'GET', url: endpoint + path, headers },
      'the metadata server',
    )
  } catch (error) {
    if (error instanceof ConnectionFault || error instanceof UserError) return null
    throw error
  }
  const reply = parseRecord(text)
  const [token, lifeSeconds] = [toText(reply['access_token']), toInteger(reply['expires_in'])]
  if (token === null || lifeSeconds === null) return null
  return { kind: 'token', token, expiresAtMs: platform.clock.nowMs() + lifeSeconds * 1_000 }
}

/** Creates the connector for Google Cloud Storage. `platform` is for tests. */
export function createGoogleConnector(platform: StorePlatform = systemPlatform): Connector {
  return createBucketConnector('gs', platform, ([bucket = ''], context, use) => {
    const client = new StoreClient(new GoogleService(bucket, context), context)
    // Otherwise Google decompresses objects that are stored with Content-Encoding: gzip.
    return new S3Store(client, use, { 'accept-encoding': 'gzip' })
  })
}
