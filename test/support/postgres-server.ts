import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './loopback-server.js'
import { mayUseServers, tellSkipped } from './skipped.js'

const debian = '/usr/lib/postgresql'
/** The newest of Debian's, then what is on the path. */
const folders = () => [
  ...(existsSync(debian) ? readdirSync(debian) : [])
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(debian, version, 'bin')),
  ...(process.env.PATH ?? '').split(':'),
]

/** PostgreSQL refuses to run as root: then all of it runs as its own user. */
interface Runner {
  readonly uid?: number
  readonly gid?: number
}

/** The folder of PostgreSQL's programs; null, and said loudly, where a server cannot be started here. */
export function findPostgres(): string | null {
  if (!mayUseServers()) return null
  const found = folders().find((folder) => folder !== '' && existsSync(join(folder, 'initdb'))) ?? null
  if (found === null)
    tellSkipped(`there is no PostgreSQL on this machine (looked for initdb in ${debian}/*/bin)`)
  else if (runner() === null)
    tellSkipped('PostgreSQL does not run as root, and there is no user postgres here')
  else return found
  return null
}

function runner(): Runner | null {
  if (userInfo().uid !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  return line === null ? null : { uid: Number(line[1]), gid: Number(line[2]) }
}

export interface PostgresOptions {
  /** Off only where nothing is asked of it after a crash of the machine, for speed. */
  readonly fsync?: boolean
  /** How those are let in who come over TCP. By its socket the user postgres always is. */
  readonly auth?: 'trust' | 'scram-sha-256'
  /** Further settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PostgresServer {
  readonly port: number
  /** Private; `data` in it is the cluster, and its socket lies in it. */
  readonly folder: string
  /** Without a password. */
  url(as?: { user?: string; database?: string; query?: string }): string
  /** Runs statements as the superuser, by its socket; gives what psql prints, unaligned, without headers. */
  sql(text: string, database?: string): string
  /** Makes an empty database; gives its address. */
  createDatabase(name: string): string
  /** Another server made of a copy of this one, in recovery: it follows this one until it is promoted. */
  standby(options?: PostgresOptions): Promise<PostgresServer>
  promote(): void
  /** Ends it as a crash does: nothing is finished, what was committed is recovered at the next start. */
  crash(): Promise<void>
  /** Ends all its processes as a power cut does; it is not started again. */
  kill(): Promise<void>
  /** After a crash or `halt`, on the same port. */
  startAgain(): Promise<void>
  /** Ends it in order, and leaves the folder. */
  halt(): Promise<void>
  /** Ends it, and removes the folder. */
  stop(): Promise<void>
}

/**
 * A cluster of its own on a free port, with a database and a superuser `postgres`; for tests that stop the server or
 * set it up in another way. `programs` is of `findPostgres`.
 */
export async function startPostgres(
  programs: string,
  options: PostgresOptions = {},
): Promise<PostgresServer> {
  return startIn(programs, options, (folder, run) => {
    const data = join(folder, 'data')
    const template = readShared()
    if (template !== null && options.auth === undefined) {
      // Eight times as fast as `initdb`.
      run('cp', '-a', '--reflink=auto', template.cluster, data)
      return
    }
    const auth = ['--auth-local=trust', `--auth-host=${options.auth ?? 'trust'}`]
    run('initdb', '-D', data, '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync', ...auth)
  })
}

/** The server of a whole run of the tests. */
interface Shared {
  readonly port: number
  readonly folder: string
  /** A folder with a cluster that never ran. */
  readonly cluster: string
}

const sharedVariable = 'TEST_POSTGRES'
const readShared = (): Shared | null => JSON.parse(process.env[sharedVariable] ?? 'null') as Shared | null

/** Starts the server that `sharedPostgres` gives from then on, in this process and in those that it starts. */
export async function startSharedPostgres(programs: string): Promise<() => Promise<void>> {
  let cluster = ''
  const server = await startIn(programs, { settings: { max_connections: '300' } }, (folder, run) => {
    cluster = join(folder, 'cluster')
    const auth = ['--auth-local=trust', '--auth-host=trust']
    run('initdb', '-D', cluster, '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync', ...auth)
    run('cp', '-a', cluster, join(folder, 'data'))
  })
  const { port, folder } = server
  process.env[sharedVariable] = JSON.stringify({ port, folder, cluster } satisfies Shared)
  return () => server.stop()
}

let sharedCount = 0

/**
 * A part of the server that all tests share, or one of its own where none was started. Its databases are its own,
 * `postgres` too; what goes on on the server besides, tests must not look at.
 */
export async function sharedPostgres(programs: string): Promise<SharedPostgres> {
  const shared = readShared()
  if (shared === null) return startPostgres(programs)
  const prefix = `t${process.pid}_${++sharedCount}_`
  const named = (database = 'postgres') => (database.startsWith(prefix) ? database : prefix + database)
  const { url, sql } = clientOf(programs, shared)
  const names: string[] = []
  const createDatabase = (name: string): string => {
    sql(`CREATE DATABASE ${named(name)}`)
    names.push(named(name))
    return url({ database: named(name) })
  }
  createDatabase('postgres')
  return {
    port: shared.port,
    folder: shared.folder,
    url: (as = {}) => url({ ...as, database: named(as.database) }),
    sql: (text, database) => sql(text, named(database)),
    createDatabase,
    stop: () => {
      sql(names.map((name) => `DROP DATABASE ${name} WITH (FORCE)`))
      return Promise.resolve()
    },
  }
}

export type SharedPostgres = Pick<
  PostgresServer,
  'port' | 'folder' | 'url' | 'sql' | 'createDatabase' | 'stop'
>

/** Reaches a server whose socket lies in `folder`. */
function clientOf(programs: string, { port, folder }: { port: number; folder: string }) {
  const url: PostgresServer['url'] = ({ user = 'postgres', database = 'postgres', query = '' } = {}) =>
    `postgres://${user}@127.0.0.1:${port}/${database}${query}`
  /** Each text is a transaction of its own. */
  const sql = (text: string | readonly string[], database = 'postgres'): string => {
    const target = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database]
    const texts = [text].flat().flatMap((one) => ['-c', one])
    return execFileSync(join(programs, 'psql'), [...target, '-XAtq', '-v', 'ON_ERROR_STOP=1', ...texts], {
      ...runner(),
      cwd: folder,
      env: withoutPostgresVariables(),
      encoding: 'utf8',
      stdio: 'pipe',
    }).trimEnd()
  }
  return { url, sql }
}

/** A server syncs every commit, which takes a third of its time: a file system in memory is used if it has room. */
function findFastFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 4e9 ? memory : tmpdir()
}

type RunProgram = (program: string, ...args: string[]) => string

async function startIn(
  programs: string,
  options: PostgresOptions,
  make: (folder: string, run: RunProgram) => void,
): Promise<PostgresServer> {
  const as = runner() ?? {}
  const folder = mkdtempSync(join(findFastFolder(), 'pg-'))
  const env = withoutPostgresVariables()
  const run: RunProgram = (program, ...args) =>
    execFileSync(program === 'cp' ? program : join(programs, program), args, {
      ...as,
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  let process: ServerProcess | null = null
  try {
    if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
    make(folder, run)
    process = await startOn(await freePort(), programs, folder, as, options)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const { port } = process
  const { url, sql } = clientOf(programs, { port, folder })
  const end = async (signal: NodeJS.Signals) => {
    await process?.end(signal)
    process = null
  }
  return {
    port,
    folder,
    url,
    sql,
    createDatabase: (name) => {
      sql(`CREATE DATABASE ${name}`)
      return url({ database: name })
    },
    standby: (ofStandby = options) =>
      startIn(programs, ofStandby, (copy, runThere) => {
        const data = join(copy, 'data')
        const from = ['-h', folder, '-p', String(port), '-U', 'postgres']
        runThere('pg_basebackup', ...from, '-D', data, '-R', '--checkpoint=fast', '--no-sync')
      }),
    promote: () => {
      run('pg_ctl', 'promote', '-w', '-D', join(folder, 'data'))
    },
    crash: () => end('SIGQUIT'),
    halt: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    startAgain: async () => {
      process = await startOn(port, programs, folder, as, options)
    },
    stop: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Those of whoever runs the tests would lead elsewhere. */
const withoutPostgresVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')))

interface ServerProcess {
  readonly port: number
  /** SIGINT: in order; SIGQUIT: as a crash. Resolves when all its processes are gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

/**
 * The server ends with whoever started it, however that ends: a shell between them waits for the end of what it
 * reads, and that is a pipe which nobody writes to.
 */
const guarded = `
  "$@" 3<&- &
  server=$!
  { read -r _ <&3; kill -QUIT $server; } 2> /dev/null &
  guard=$!
  wait $server
  kill $guard 2> /dev/null
  wait $guard`

async function startOn(
  port: number,
  programs: string,
  folder: string,
  as: Runner,
  { fsync = true, settings = {} }: PostgresOptions,
): Promise<ServerProcess> {
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    port: String(port),
    fsync: fsync ? 'on' : 'off',
    shared_buffers: '32MB',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const data = join(folder, 'data')
  const server = [join(programs, 'postgres'), '-D', data, ...flags]
  const child = spawn('sh', ['-c', guarded, 'sh', ...server], {
    ...as,
    cwd: folder,
    env: withoutPostgresVariables(),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // So that Ctrl-C in a terminal reaches the tests alone.
    detached: true,
  })
  const guard = child.stdio[3]
  child.once('exit', () => guard?.destroy())
  let log = ''
  child.stderr?.on('data', (text: Buffer) => {
    log = (log + text.toString()).slice(-20_000)
  })
  const isReady = () => execOk(join(programs, 'pg_isready'), ['-q', '-h', folder, '-p', String(port)])
  while (!(child.exitCode === null && child.signalCode === null && isReady())) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { port, end: (signal) => endServer(child, data, signal) }
}

function execOk(path: string, args: readonly string[]): boolean {
  try {
    execFileSync(path, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const childrenOf = (id: number): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(id)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number)

async function endServer(child: ChildProcess, data: string, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  const id = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  // Those that it started would notice only when they next look.
  const ids = signal === 'SIGKILL' ? [id, ...childrenOf(id)] : [id]
  for (const one of ids) process.kill(one, signal)
  await exited
}
