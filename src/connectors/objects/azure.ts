import type { Connector } from '../connector.js'
import { AzureService } from './azure-service.js'
import { AzureStore } from './azure-store.js'
import { createBucketConnector } from './bucket-connector.js'
import { StoreClient } from './store-client.js'
import { systemPlatform, type StorePlatform } from './store-platform.js'

/** Azure Blob Storage. `platform` is for tests. */
export function createAzureConnector(platform: StorePlatform): Connector {
  return createBucketConnector('az', platform, ([account = '', container = ''], context, use) => {
    const service = new AzureService(account, container, context)
    return new AzureStore(new StoreClient(service, context), use)
  })
}

export const azureConnector = createAzureConnector(systemPlatform)
