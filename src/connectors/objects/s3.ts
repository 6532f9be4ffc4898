import type { Connector } from '../connector.js'
import { signForAmazon } from './amazon-signature.js'
import { isRegion, type AwsAccess, readAwsAccess } from './aws-access.js'
import { createBucketConnector } from './bucket-connector.js'
import type { StoreRequest } from './http-client.js'
import { encodeText } from './object-address.js'
import { readS3Failure, S3Store } from './s3-store.js'
import { type StoreFailure, type StoreService, StoreClient } from './store-client.js'
import { type StorePlatform, systemPlatform } from './store-platform.js'

/** Signs requests to a bucket. URLs of requests are relative to the bucket, and start with a slash. */
export class S3Service implements StoreService {
  readonly label: string
  #region: string | null = null

  constructor(
    private readonly bucket: string,
    private readonly access: AwsAccess,
    private readonly platform: StorePlatform,
  ) {
    this.label = `s3://${bucket}`
  }

  async sign(request: StoreRequest): Promise<StoreRequest> {
    const { access } = this
    const region = this.#region ?? access.region
    const credentials = await access.credentials.get()
    const nowMs = this.platform.clock.nowMs()
    const url = this.#buildUrl(request.url, region)
    return signForAmazon({ ...request, url }, credentials, { region, service: 's3', nowMs })
  }

  readonly readFailure = readS3Failure

  async adapt({ code, region }: StoreFailure): Promise<boolean> {
    if (this.#region === null && region !== null && region !== this.access.region && isRegion(region)) {
      this.#region = region
      return true
    }
    return code === 'ExpiredToken' && (await this.access.credentials.renew())
  }

  #buildUrl(path: string, region: string): string {
    const { bucket } = this
    const { endpoint } = this.access
    const name = encodeText(bucket)
    // The list of a bucket has no slash before its query.
    const rest = path.replace(/^\/\?/, '?')
    if (endpoint !== null) return `${endpoint}/${name}${rest}`
    const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
    // The certificate of Amazon covers one label in front of its name.
    return /^[a-z0-9][a-z0-9-]*$/.test(bucket)
      ? `https://${bucket}.${host}${path}`
      : `https://${host}/${name}${rest}`
  }
}

/** Creates the connector for Amazon S3 and compatible stores. `platform` is for tests. */
export function createS3Connector(platform: StorePlatform = systemPlatform): Connector {
  return createBucketConnector('s3', platform, ([bucket = ''], context, use) => {
    const service = new S3Service(bucket, readAwsAccess(context), platform)
    return new S3Store(new StoreClient(service, context), use)
  })
}
