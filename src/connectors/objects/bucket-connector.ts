import type { Connector, ConnectorOptions } from '../connector.js'
import type { CredentialContext } from './credential-request.js'
import { HttpClient } from './http-client.js'
import { createAddressError, parseObjectAddress } from './object-address.js'
import { ObjectSource } from './object-source.js'
import type { BucketStore } from './bucket-store.js'
import { assertReplaces, ObjectTarget } from './object-target.js'
import type { StorePlatform } from './store-platform.js'

type Use = 'input' | 'output'

/** Builds the store of the containers of an address. */
export type BuildStore = (containers: readonly string[], context: CredentialContext, use: Use) => BucketStore

/** Creates the connector of a store that has buckets. */
export function createBucketConnector(
  scheme: 's3' | 'gs' | 'az',
  platform: StorePlatform,
  buildStore: BuildStore,
): Connector {
  const open = (containers: readonly string[], options: ConnectorOptions, use: Use) => {
    const http = new HttpClient(options.environment, platform)
    return buildStore(containers, { http, options, platform }, use)
  }
  return {
    openSource: (address, options) => {
      const { containers, key } = parseObjectAddress(address, scheme)
      return new ObjectSource(open(containers, options, 'input'), key)
    },
    openTarget: (address, options) => {
      assertReplaces(options)
      const { containers, key } = parseObjectAddress(address, scheme)
      if (key.endsWith('/')) throw createAddressError(scheme, 'the address of the output ends with /')
      return new ObjectTarget(open(containers, options, 'output'), key)
    },
  }
}
