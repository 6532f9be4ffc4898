import type { Connector, ConnectorOptions } from '../connector.js'
import { readAwsAccess } from './aws-access.js'
import { HttpClient } from './http-client.js'
import { createAddressError, parseObjectAddress } from './object-address.js'
import { ObjectSource } from './object-source.js'
import { assertReplaces, ObjectTarget } from './object-target.js'
import { S3Service } from './s3-service.js'
import { S3Store } from './s3-store.js'
import { StoreClient } from './store-client.js'
import { systemPlatform, type StorePlatform } from './store-platform.js'

/** Amazon S3 and compatible stores. `platform` is for tests. */
export function createS3Connector(platform: StorePlatform): Connector {
  const openStore = (bucket: string, options: ConnectorOptions, use: 'input' | 'output') => {
    const http = new HttpClient(options.environment, platform)
    const access = readAwsAccess({ http, options, platform })
    const service = new S3Service(bucket, access, platform)
    return new S3Store(new StoreClient(service, options, platform, http), use)
  }
  return {
    fileFormat: null,
    openSource: (address, options) => {
      const { containers, key } = parseObjectAddress(address, 's3')
      return new ObjectSource(openStore(containers[0] ?? '', options, 'input'), key)
    },
    openTarget: (address, options) => {
      assertReplaces(options)
      const { containers, key } = parseObjectAddress(address, 's3')
      if (key.endsWith('/')) throw createAddressError('s3', 'the address of the output ends with /')
      return new ObjectTarget(openStore(containers[0] ?? '', options, 'output'), key)
    },
  }
}

export const s3Connector = createS3Connector(systemPlatform)
