import {
  isAddress,
  readScheme,
  type Scheme,
  insideFile,
  type Connector,
  type ConnectorOptions,
  type Environment,
  type Place,
  type Source,
  type Target,
  type TargetOptions,
} from './connector.js'
import type { StoreReply, StoreRequest } from './objects/http-client.js'

export { findDatabaseFile, isAddress } from './connector.js'
export { createNulError, type Place, type RemovedColumns, type Target, type WriteMode } from './connector.js'

/** Loads a connector with its libraries only if it is needed. A further one is a row here and in `address.ts`. */
const loaders: Readonly<Record<Scheme, () => Promise<Connector>>> = {
  postgres: () => import('./databases/postgres.js'),
  postgresql: () => import('./databases/postgres.js'),
  sqlite: () => import('./databases/sqlite.js'),
  duckdb: () => import('./databases/duckdb.js'),
  s3: async () => (await import('./objects/s3.js')).createS3Connector(),
  gs: async () => (await import('./objects/google.js')).createGoogleConnector(),
  az: async () => (await import('./objects/azure.js')).createAzureConnector(),
  https: async () => (await import('./objects/https.js')).createHttpsConnector(),
}

/** Addresses of these schemes name tables of these databases. Their local copies are Parquet files. */
const databases: Readonly<Partial<Record<Scheme, string>>> = {
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  sqlite: 'SQLite',
  duckdb: 'DuckDB',
}

/** Opens sources and targets with the credentials of one environment. */
export interface Connectors {
  openSource(address: string, query: string | null): Promise<Source>
  openTarget(address: string, options: Omit<TargetOptions, keyof ConnectorOptions>): Promise<Target>
}

/**
 * Opens tables and objects by their addresses: a source is copied to files that inputs read, a target publishes a file.
 * The signal stops the reading of sources. An output is published even after an interruption, like a file.
 *
 *     const source = await createConnectors(options).openSource('postgres://host/db#companies', null)
 */
export const createConnectors = ({ signal, ...options }: ConnectorOptions): Connectors => ({
  openSource: async (address, query) =>
    (await load(address)).openSource(address, { ...options, signal, query }),
  openTarget: async (address, own) => (await load(address)).openTarget(address, { ...options, ...own }),
})

export const noConnectors: Connectors = {
  openSource: () => Promise.reject(new Error('no access to tables and objects')),
  openTarget: () => Promise.reject(new Error('no access to tables and objects')),
}

/** Sends single requests to web servers: no redirects, no retries. Proxies and `SSL_CERT_FILE` apply. */
export interface WebClient {
  /** Throws errors that `explain` knows, and the reason of the signal. */
  exchange(request: WebRequest, signal?: AbortSignal): Promise<StoreReply>
  /** Returns the text of a reply of at most 16 MiB. */
  readText(reply: StoreReply): Promise<string>
  /** Explains a failure of the network; `null` for another error. */
  explain(error: unknown): { reason: string; hint: string | null; isPermanent: boolean } | null
  close(): Promise<void>
}

type WebRequest = Pick<StoreRequest, 'method' | 'url' | 'headers'>
export type WebReply = StoreReply

/** Opens a client for files on web servers that are no inputs, such as those of registers. */
export async function openWebClient(environment: Environment): Promise<WebClient> {
  const { ConnectionFault, HttpClient, systemPlatform } = await import('./objects/http-client.js')
  const http = new HttpClient(environment, systemPlatform)
  return {
    exchange: (request, signal) => http.exchange(request, signal),
    readText: (reply) => http.readText(reply),
    explain: (error) =>
      error instanceof ConnectionFault
        ? { reason: error.message, hint: error.hint, isPermanent: error.isPermanent }
        : null,
    close: () => http.close(),
  }
}

function load(address: string): Promise<Connector> {
  const scheme = readScheme(address)
  if (scheme === null) throw new Error('the text is not an address')
  return loaders[scheme]()
}

/** Returns the kind of database of a table's address; `null` for paths and objects. */
export const getDatabaseName = (path: string): string | null => databases[readScheme(path) ?? 's3'] ?? null

/** Whether a path is the address of a table. */
export const isTableAddress = (path: string): boolean => getDatabaseName(path) !== null

/** Returns an address unchanged, and a path in its absolute form. */
export const toAbsolute = (path: string, resolve: (path: string) => string): string =>
  isAddress(path) ? path : resolve(path)

/** Whether two places share rows: they are the same, or a table and its file. */
export function isSamePlace(ones: readonly Place[], others: readonly Place[]): boolean {
  const isIn = (one: Place, other: Place) => one === other || one.startsWith(other + insideFile)
  return ones.some((one) => others.some((other) => isIn(one, other) || isIn(other, one)))
}
