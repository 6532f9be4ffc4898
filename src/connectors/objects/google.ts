import type { Connector } from '../connector.js'
import { createBucketConnector } from './bucket-connector.js'
import { GoogleService } from './google-service.js'
import { S3Store } from './s3-store.js'
import { StoreClient } from './store-client.js'
import { systemPlatform, type StorePlatform } from './store-platform.js'

/** Google Cloud Storage. `platform` is for tests. */
export function createGoogleConnector(platform: StorePlatform): Connector {
  return createBucketConnector('gs', platform, ([bucket = ''], context, use) => {
    const client = new StoreClient(new GoogleService(bucket, context), context)
    // Otherwise Google decompresses objects that are stored with Content-Encoding: gzip.
    return new S3Store(client, use, { 'accept-encoding': 'gzip' })
  })
}

export const googleConnector = createGoogleConnector(systemPlatform)
