import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './loopback-server.js'
import type { PostgresServer } from './postgres-server.js'
import { hasProgram } from './skipped.js'

export const hasPgbouncer = (): boolean => hasProgram('pgbouncer')

export interface Pgbouncer {
  /** As of the server behind it. */
  url(as?: { user?: string; database?: string }): string
  stop(): Promise<void>
}

/** In transaction mode, with few connections to a server that trusts whoever comes over TCP. */
export async function startPgbouncer(
  server: Pick<PostgresServer, 'folder' | 'port'>,
  { connectionsMax = 4 }: { connectionsMax?: number } = {},
): Promise<Pgbouncer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const { uid, gid } = statSync(server.folder)
  const users = join(folder, 'users.txt')
  writeFileSync(users, '"postgres" ""\n"worker" ""\n')
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connectionsMax}
max_client_conn = 500
`,
  )
  for (const path of [folder, users, config]) chownSync(path, uid, gid)
  const child = spawn('pgbouncer', ['-q', config], { uid, gid, cwd: folder, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error('pgbouncer did not start')
    await sleep(20)
  }
  return {
    url: ({ user = 'postgres', database = 'postgres' } = {}) =>
      `postgres://${user}@127.0.0.1:${port}/${database}`,
    stop: async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}
