import type { Connector } from '../connector.js'
import { readAwsAccess } from './aws-access.js'
import { createBucketConnector } from './bucket-connector.js'
import { S3Service } from './s3-service.js'
import { S3Store } from './s3-store.js'
import { StoreClient } from './store-client.js'
import { systemPlatform, type StorePlatform } from './store-platform.js'

/** Amazon S3 and compatible stores. `platform` is for tests. */
export function createS3Connector(platform: StorePlatform): Connector {
  return createBucketConnector('s3', platform, ([bucket = ''], context, use) => {
    const service = new S3Service(bucket, readAwsAccess(context), platform)
    return new S3Store(new StoreClient(service, context), use)
  })
}

export const s3Connector = createS3Connector(systemPlatform)
