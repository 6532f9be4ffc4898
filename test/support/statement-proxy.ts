import { connect, createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback-server.js'

/**
 * What happens to a statement: it reaches the server (`pass`); its connection is cut before, or as the reply comes; the
 * server ends the session; or the server refuses it, with an SQLSTATE.
 */
export type StatementFate = 'pass' | 'cut' | 'cut_reply' | 'terminate' | { readonly refuse: string }

/** In front of PostgreSQL: counts the statements that are sent through it and decides the fate of each. */
export interface StatementProxy {
  readonly port: number
  /** Since `begin`. */
  readonly count: number
  /** Statements from now on are counted from 1; `fateOf` is asked for each. */
  begin(fateOf: (number: number, text: string) => StatementFate): void
  close(): void
}

export async function startStatementProxy(target: number): Promise<StatementProxy> {
  const open = new Set<Socket>()
  let count = 0
  let decide: (number: number, text: string) => StatementFate = () => 'pass'
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', cut).once('close', () => {
        open.delete(socket)
        cut()
      })
    }
    let [isReplyCut, isSkipping] = [false, false]
    upstream.on('data', (bytes: Buffer) => {
      if (isReplyCut) cut()
      else client.write(bytes)
    })
    const instead = (text: string) => {
      upstream.write(simpleQuery(text))
    }
    const take = (message: Buffer) => {
      const type = String.fromCharCode(message[0] ?? 0)
      if (isSkipping) {
        isSkipping = type !== 'S'
        return
      }
      const text =
        type === 'Q' ? textAt(message, 5) : type === 'P' ? textAt(message, message.indexOf(0, 5) + 1) : null
      const fate = text === null ? 'pass' : decide(++count, text)
      if (fate === 'pass') upstream.write(message)
      else if (fate === 'cut') cut()
      else if (fate === 'cut_reply') {
        isReplyCut = true
        upstream.write(message)
      } else {
        // The rest of an extended query is dropped: the server answers a simple one in its place.
        isSkipping = type === 'P'
        if (fate === 'terminate') instead('SELECT pg_terminate_backend(pg_backend_pid())')
        else {
          // A COMMIT that fails has ended its transaction.
          const end = text === 'COMMIT' ? 'ROLLBACK; ' : ''
          instead(
            `${end}DO $$ BEGIN RAISE EXCEPTION 'made by a test' USING ERRCODE = '${fate.refuse}'; END $$`,
          )
        }
      }
    }
    client.on(
      'data',
      readMessages(take, (startup) => upstream.write(startup)),
    )
  })
  const port = await listenOnLoopback(proxy)
  return {
    port,
    get count() {
      return count
    },
    begin: (fateOf) => {
      count = 0
      decide = fateOf
    },
    close: () => {
      for (const socket of open) socket.destroy()
      proxy.close()
    },
  }
}

const textAt = (message: Buffer, from: number) => message.toString('utf8', from, message.indexOf(0, from))

function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The first message has no type. */
function readMessages(onMessage: (message: Buffer) => void, onStartup: (message: Buffer) => void) {
  let [held, isStarted] = [Buffer.alloc(0), false]
  return (bytes: Buffer) => {
    held = Buffer.concat([held, bytes])
    for (;;) {
      const typeBytes = isStarted ? 1 : 0
      if (held.length < typeBytes + 4) return
      const end = typeBytes + held.readInt32BE(typeBytes)
      if (held.length < end) return
      const message = held.subarray(0, end)
      held = held.subarray(end)
      if (isStarted) onMessage(message)
      else onStartup(message)
      isStarted = true
    }
  }
}
