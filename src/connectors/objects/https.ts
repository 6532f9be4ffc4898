import type { Connector } from '../connector.js'
import { HttpClient } from './http-client.js'
import { HttpsService, HttpsStore } from './https-store.js'
import { assertWithoutSecret, createAddressError } from './object-address.js'
import { ObjectSource } from './object-source.js'
import { StoreClient } from './store-client.js'
import { systemPlatform, type StorePlatform } from './store-platform.js'

/** Files on web servers, as input. `platform` is for tests. */
export function createHttpsConnector(platform: StorePlatform): Connector {
  return {
    fileFormat: null,
    openSource: (address, options) => {
      assertWithoutSecret(address, 'https')
      if (!URL.canParse(address)) throw createAddressError('https', 'the address is not a valid URL')
      const url = new URL(address)
      url.hash = ''
      const service = new HttpsService(url, options)
      const http = new HttpClient(options.environment, platform)
      const client = new StoreClient(service, { http, options, platform })
      return new ObjectSource(new HttpsStore(client, service, url), url.pathname)
    },
    openTarget: () => {
      throw createAddressError('s3', 'an https address can be an input only')
    },
  }
}

export const httpsConnector = createHttpsConnector(systemPlatform)
