import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type * as CopyStreams from 'pg-copy-streams'
import type { PostgresAddress } from '../../core/server-addresses.js'
import { buildClientConfig, loadDriver } from './connect.js'

/** A row with all values as text, in the server's format. */
type TextRow = Readonly<Record<string, string | null>>

interface ResultColumn {
  readonly name: string
  readonly typeId: number
  readonly typeModifier: number
}

/** One connection that copies tables. All methods throw the driver's errors. */
export interface PostgresSession {
  query(text: string, values?: readonly unknown[]): Promise<readonly TextRow[]>
  /** Returns the columns of a statement; the server refuses more than one. */
  describe(statement: string): Promise<readonly ResultColumn[]>
  /** Writes the data of `COPY … TO STDOUT` to a file. */
  copyOut(statement: string, path: string): Promise<void>
  /** Sends data to `COPY … FROM STDIN`. */
  copyIn(statement: string, texts: AsyncIterable<string>): Promise<void>
  /** Closes the connection; the server rolls back an open transaction. */
  close(): Promise<void>
}

const connectTimeoutMs = 10_000

/** Connects to a server. The signal ends the session on the server and the connection. */
export async function openSession(
  address: PostgresAddress,
  environment: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<PostgresSession> {
  const client = await connect(address, environment)
  let serverProcess: string | null = null
  const stop = () => {
    void endServerProcess(address, environment, serverProcess).finally(() => {
      destroy(client)
    })
  }
  signal?.addEventListener('abort', stop)
  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly TextRow[]> =>
    (await client.query<TextRow>(text, values as unknown[])).rows
  const close = async () => {
    signal?.removeEventListener('abort', stop)
    // A client whose connection broke never ends.
    await Promise.race([client.end().catch(() => undefined), sleepBriefly()])
    destroy(client)
  }
  try {
    const [row] = await query('SELECT pg_catalog.pg_backend_pid() AS pid')
    serverProcess = row?.pid ?? null
    signal?.throwIfAborted()
  } catch (error) {
    await close()
    throw error
  }
  const streams = createRequire(import.meta.url)('pg-copy-streams') as typeof CopyStreams
  return {
    query,
    describe: async (statement) => {
      const config = { text: statement, queryMode: 'extended' }
      const { fields } = await client.query(config)
      return fields.map(({ name, dataTypeID, dataTypeModifier }) => ({
        name,
        typeId: dataTypeID,
        typeModifier: dataTypeModifier,
      }))
    },
    copyOut: (statement, path) =>
      pipeline(client.query(streams.to(statement)), createWriteStream(path, { mode: 0o600 })),
    copyIn: async (statement, texts) => {
      await pipeline(Readable.from(texts, { objectMode: true }), client.query(streams.from(statement)))
    },
    close,
  }
}

async function connect(
  address: PostgresAddress,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<pg.Client> {
  const { Client } = loadDriver()
  const getTypeParser = () => (value: unknown) => value
  const client = new Client({
    ...buildClientConfig(address, environment),
    connectionTimeoutMillis: connectTimeoutMs,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  })
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    destroy(client)
    throw error
  }
}

function destroy(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

const endTimeoutMs = 2_000

const sleepBriefly = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, endTimeoutMs).unref()
  })

/** A server process that waits for a lock or computes does not notice a closed connection. */
async function endServerProcess(
  address: PostgresAddress,
  environment: Readonly<Record<string, string | undefined>>,
  serverProcess: string | null,
): Promise<void> {
  if (serverProcess === null) return
  const end = async () => {
    const client = await connect(address, environment)
    try {
      await client.query('SELECT pg_catalog.pg_terminate_backend($1)', [serverProcess])
    } finally {
      destroy(client)
    }
  }
  await Promise.race([end().catch(() => undefined), sleepBriefly()])
}
