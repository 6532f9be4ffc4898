import { isAddress, readScheme, type Scheme } from './address.js'
import type { Connector, ConnectorOptions, Source, Target, WriteMode } from './connector.js'

export { isAddress } from './address.js'
export type { Target, WriteMode } from './connector.js'

interface Kind {
  /** Whether addresses name tables. Their local copies are Parquet files. */
  readonly isTable: boolean
  /** Loads the connector with its libraries only if it is needed. */
  readonly load: () => Promise<Connector>
}

const postgres: Kind = {
  isTable: true,
  load: async () => (await import('./databases/postgres.js')).postgresConnector,
}

/** A further source or target is one file, and a row here and in `address.ts`. */
const kinds: Readonly<Record<Scheme, Kind>> = {
  postgres,
  postgresql: postgres,
  sqlite: { isTable: true, load: async () => (await import('./databases/sqlite.js')).sqliteConnector },
  duckdb: { isTable: true, load: async () => (await import('./databases/duckdb.js')).duckDbConnector },
  s3: { isTable: false, load: async () => (await import('./objects/s3.js')).s3Connector },
  gs: { isTable: false, load: async () => (await import('./objects/google.js')).googleConnector },
  az: { isTable: false, load: async () => (await import('./objects/azure.js')).azureConnector },
  https: { isTable: false, load: async () => (await import('./objects/https.js')).httpsConnector },
}

/** Opens sources and targets with the credentials of one environment. */
export interface Connectors {
  openSource(address: string, query: string | null): Promise<Source>
  openTarget(address: string, mode: WriteMode, keyColumn: string | null): Promise<Target>
}

/** The signal stops the reading of sources. An output is published even after an interruption, like a file. */
export const createConnectors = ({ signal, ...options }: ConnectorOptions): Connectors => ({
  openSource: async (address, query) =>
    (await load(address)).openSource(address, { ...options, signal, query }),
  openTarget: async (address, mode, keyColumn) =>
    (await load(address)).openTarget(address, { ...options, mode, keyColumn }),
})

/** Without access to tables and objects. */
export const noConnectors: Connectors = {
  openSource: () => Promise.reject(new Error('no access to tables and objects')),
  openTarget: () => Promise.reject(new Error('no access to tables and objects')),
}

function load(address: string): Promise<Connector> {
  const scheme = readScheme(address)
  if (scheme === null) throw new Error('the text is not an address')
  return kinds[scheme].load()
}

/** Whether a path is the address of a table. */
export function isTableAddress(path: string): boolean {
  const scheme = readScheme(path)
  return scheme !== null && kinds[scheme].isTable
}

/** Returns an address unchanged, and a path in its absolute form. */
export const toAbsolute = (path: string, resolve: (path: string) => string): string =>
  isAddress(path) ? path : resolve(path)
