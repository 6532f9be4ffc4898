import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clientTo, listen, serve, serveRaw } from './loopback.js'
import { selfSigned } from './self-signed.js'

const kickoff = { name: 'Acme' }

/** An HTTPS server that nobody vouches for, and what it was asked. */
async function untrusted(onRequest: () => void = () => undefined) {
  const asked: string[] = []
  const server = createHttpsServer(selfSigned(), (request, response) => {
    asked.push(request.url ?? '')
    request.resume().once('end', () => {
      onRequest()
      response.end('{"run_id":"run_1"}')
    })
  })
  return { asked, port: (await listen(server)).port }
}

describe('TLS', () => {
  test('to an untrusted server, no request is sent', async () => {
    const { asked, port } = await untrusted()
    expect(await clientTo(`https://127.0.0.1:${port}`).kickoffRun(kickoff)).toMatchObject({
      kind: 'no_reply',
      sent: 'no',
      reason: 'no trusted authority signed its certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    })
    expect(asked).toEqual([])
  })

  test('to a server that speaks plain HTTP, no request is sent', async () => {
    const server = await serve((response) => response.end('{}'))
    const exchange = await clientTo(server.url.replace('http:', 'https:')).kickoffRun(kickoff)
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(server.heard).toEqual([])
  })

  test('a server that accepts and never shakes hands is left, and no request was sent', async () => {
    const silent = await listen(createServer())
    const client = clientTo(`https://127.0.0.1:${silent.port}`, { connectMsMax: 100 })
    expect(await client.kickoffRun(kickoff)).toMatchObject({ kind: 'no_reply', sent: 'no' })
  })

  test('a connection cut in the middle of the handshake carried no request', async () => {
    const cutting = await serveRaw((socket) => socket.resetAndDestroy())
    const client = clientTo(cutting.url.replace('http:', 'https:'))
    expect(await client.kickoffRun(kickoff)).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(cutting.connectionCount).toBe(1)
  })

  test('a TLS error in mid-answer is not taken for one of the handshake: the request was sent', async () => {
    trustAnybody()
    let isCorrupting = false
    const { asked, port } = await untrusted(() => {
      isCorrupting = true
    })
    const between = createServer((near) => {
      const far = connect(port, '127.0.0.1')
      near.pipe(far).on('error', () => near.destroy())
      far.on('data', (bytes: Buffer) => {
        // One bit of the answer's last record: its seal no longer fits.
        if (isCorrupting) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
        near.write(bytes)
      })
      near.once('close', () => far.destroy())
    })
    const { port: nearPort } = await listen(between)
    // Node reports the error and leaves the connection open, so that it is the time that ends the call.
    const client = clientTo(`https://127.0.0.1:${nearPort}`, { exchangeMsMax: 300 })
    expect(await client.kickoffRun(kickoff)).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    expect(asked).toHaveLength(1)
  })
})

/** The certificate is not what that test is about. */
function trustAnybody(): void {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  })
}
