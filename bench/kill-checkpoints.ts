import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readScope, type LookupKind } from '../src/core/lookup-state.js'
import { openSqlite } from '../src/platform/sqlite.js'
import { findPostgres, startPostgres } from '../test/support/postgres-server.js'

/** A submission that the checkpoint knows. */
export interface KnownSubmission {
  readonly customId: string
  readonly lookupId: number
  readonly verdict: string
  readonly kind: LookupKind
  /** Whether a hosted service got it, not the own registry. */
  readonly isHosted: boolean
  /** Name, domain or id of the company. */
  readonly name: string
}

/** The checkpoint of one job. */
export interface KillCheckpoint {
  /** The value of `--checkpoint`. */
  readonly address: string
  /** Moves it to the other store, with kills at random moments. Returns their number; null if no run has made it yet. */
  move(): Promise<number | null>
  readSubmissions(): readonly KnownSubmission[]
}

export interface KillCheckpoints {
  /** Whether a checkpoint moves between the runs of its job. */
  readonly isMoving: boolean
  open(job: number, folder: string): KillCheckpoint
  close(): Promise<void>
}

export const checkpointKinds = ['file', 'postgres', 'moving'] as const
type CheckpointKind = (typeof checkpointKinds)[number]

/** `main`: the command. `moving` begins in a file. */
export async function openCheckpoints(text: string, main: string): Promise<KillCheckpoints> {
  const kind = checkpointKinds.find((one) => one === text)
  if (kind === undefined) throw new Error(`--checkpoint takes ${checkpointKinds.join(', ')}`)
  const programs = kind === 'file' ? null : findPostgres()
  if (kind !== 'file' && programs === null) throw new Error('PostgreSQL is not installed')
  const server = programs === null ? null : await startPostgres(programs)
  let databaseCount = 0
  const createAddress = (where: CheckpointKind, folder: string) =>
    where === 'file' || server === null
      ? join(folder, `checkpoint-${++databaseCount}.sqlite`)
      : server.createDatabase(`checkpoint_${++databaseCount}`)
  const readRows = (address: string): StoredSubmission[] =>
    server !== null && address.startsWith('postgres')
      ? server
          .sql(`SELECT row_to_json(s) FROM (${buildSql('enrich.')}) s`, new URL(address).pathname.slice(1))
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as StoredSubmission)
      : readFile(address)
  return {
    isMoving: kind === 'moving',
    open(_job, folder) {
      let address = createAddress(kind === 'postgres' ? 'postgres' : 'file', folder)
      let durationMs = 2_000
      return {
        get address() {
          return address
        },
        async move() {
          // The run was killed before it made the file.
          if (!address.startsWith('postgres') && !existsSync(address)) return null
          const to = createAddress(address.startsWith('postgres') ? 'file' : 'postgres', folder)
          for (let killCount = 0; ; killCount++) {
            const begunAtMs = performance.now()
            const child = spawn(process.execPath, [main, 'checkpoint', 'migrate', address, to], {
              cwd: folder,
              stdio: ['ignore', 'ignore', 'pipe'],
            })
            let stderr = ''
            child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
            // The last attempt is not killed, so that the job continues.
            const isKilled = killCount < movesKilledMax
            const cut = setTimeout(
              () => child.kill('SIGKILL'),
              isKilled ? Math.random() * 1.2 * durationMs : 600_000,
            )
            const [code] = (await once(child, 'close')) as [number | null]
            clearTimeout(cut)
            if (code === 0) {
              durationMs = performance.now() - begunAtMs
              address = to
              return killCount
            }
            // The lease of a killed run has not ended yet, or the server has not noticed a killed move.
            if (code === exitInUse) {
              killCount--
              await new Promise((resolve) => setTimeout(resolve, 500))
            } else if (code !== null) throw new Error(`the move ended with exit code ${code}: ${stderr}`)
          }
        },
        readSubmissions: () =>
          readRows(address).map(({ scope, ...row }) => ({
            ...row,
            kind: readScope(scope).kind,
            isHosted: scope.startsWith('http'),
          })),
      }
    },
    close: async () => server?.stop(),
  }
}

const movesKilledMax = 3
const exitInUse = 11

type StoredSubmission = Omit<KnownSubmission, 'kind' | 'isHosted'> & { readonly scope: string }

const buildSql = (schema: string) =>
  `SELECT s.custom_id AS "customId", s.lookup_id AS "lookupId", s.verdict, l.name, c.scope
   FROM ${schema}submissions s JOIN ${schema}lookups l ON l.lookup_id = s.lookup_id
   JOIN ${schema}scopes c ON c.scope_id = l.scope_id`

function readFile(path: string): StoredSubmission[] {
  const database = openSqlite(path, { synchronous: 'NORMAL' })
  try {
    return database.prepare<[], StoredSubmission>(buildSql('')).all()
  } finally {
    database.close()
  }
}
