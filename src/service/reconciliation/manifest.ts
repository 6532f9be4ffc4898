import { apiKeyHeader } from '../../contract/limits.js'
import { limits } from '../limits.js'
import { organization, type ReconciliationType } from './types.js'

interface SuggestService {
  readonly service_url: string
  readonly service_path: string
}

/** v0.2, "Service Manifest". */
export interface Manifest {
  readonly versions: readonly string[]
  readonly name: string
  readonly identifierSpace: string
  readonly schemaSpace: string
  readonly serviceVersion: string
  readonly defaultTypes: readonly ReconciliationType[]
  readonly view: { readonly url: string }
  readonly preview: { readonly url: string; readonly width: number; readonly height: number }
  readonly suggest: Readonly<Record<'entity' | 'property' | 'type', SuggestService>>
  readonly extend: { readonly propose_properties: SuggestService; readonly property_settings: readonly [] }
  readonly batchSize: number
  readonly authentication?: { readonly type: 'apiKey'; readonly name: string; readonly in: 'header' }
}

/** Where the parts of the service are. */
export const reconciliationPaths = {
  endpoint: '/reconcile',
  entity: '/reconcile/suggest/entity',
  property: '/reconcile/suggest/property',
  type: '/reconcile/suggest/type',
  propose: '/reconcile/extend/propose',
  preview: '/reconcile/preview',
  view: '/reconcile/view',
} as const

/** In pixels, of the frame that a client shows a preview in. */
export const previewSize = { width: 420, height: 260 } as const

/**
 * Ids of companies are made of the registers' own keys: two services that hold a company give it the same id,
 * wherever they are, so this names no address.
 */
const identifierSpace = 'urn:enrich:entity:'
const schemaSpace = 'https://schema.org/Organization'

export interface ManifestFacts {
  /** Where the client asked: what the addresses in the manifest begin with. */
  readonly origin: string
  readonly version: string
  readonly needsKey: boolean
}

export function manifestOf({ origin, version, needsKey }: ManifestFacts): Manifest {
  const paths = reconciliationPaths
  const at = (path: string): SuggestService => ({ service_url: origin, service_path: path })
  return {
    versions: ['0.2'],
    name: 'Companies (enrich)',
    identifierSpace,
    schemaSpace,
    serviceVersion: version,
    defaultTypes: [organization],
    view: { url: `${origin}${paths.view}?id={{id}}` },
    preview: { url: `${origin}${paths.preview}?id={{id}}`, ...previewSize },
    suggest: { entity: at(paths.entity), property: at(paths.property), type: at(paths.type) },
    extend: { propose_properties: at(paths.propose), property_settings: [] },
    batchSize: limits.reconciliation.batchQueriesMax,
    ...(needsKey ? { authentication: { type: 'apiKey', name: apiKeyHeader, in: 'header' } } : {}),
  }
}
