import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RawAnswer {
  readonly status: number
  readonly statusLine: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends these bytes, and reads until the service closes the connection. */
export async function sendRaw(
  { host, port }: { host: string; port: number },
  bytes: string,
): Promise<RawAnswer> {
  const socket = connect(port, host)
  socket.write(bytes)
  const answer = await text(socket)
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    statusLine,
    headers: Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    ),
    body: rest.join('\r\n\r\n'),
  }
}

/** A request without a body, with exactly these headers; `host` too has to be given. */
export function sendHead(
  to: { host: string; port: number },
  line: string,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return sendRaw(to, `${line} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

/** Writes all of the body before it reads, as simple clients do; null where the connection was reset. */
export async function sendAllThenRead(
  { host, port }: { host: string; port: number },
  head: string,
  body: string,
): Promise<string | null> {
  const socket = connect(port, host)
  const resets: Error[] = []
  socket.on('error', (error) => resets.push(error))
  socket.write(head)
  await new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve()
    })
    socket.write(body, () => {
      resolve()
    })
  })
  const answer = await text(socket).catch(() => null)
  return resets.length > 0 ? null : answer
}
