import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { kickoffPath } from '../support/service-client.js'
import { sendAllThenRead } from '../support/raw-http.js'
import { tellSkipped } from '../support/skipped.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const longBytes = 10 * 1024 * 1024
const long = 'x'.repeat(longBytes)
const folder = makeFolder()
let it: TestService
beforeAll(async () => {
  it = await startTestService()
  writeFileSync(join(folder, 'body'), long)
})

const writeThenRead = (head: string, body: string) =>
  sendAllThenRead(it.service, `POST ${kickoffPath} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`, body)

const chunked = () => {
  const size = 0x10000
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
  return `${chunk.repeat(longBytes / size)}0\r\n\r\n`
}
const json = 'content-type: application/json'

describe('a body of 10 MiB', () => {
  test.each([
    ['with its length', `content-length: ${longBytes}`, () => long],
    ['in chunks', 'transfer-encoding: chunked', chunked],
  ])('%s is read to its end, and its sender reads the 413', async (_, head, body) => {
    for (let time = 0; time < 5; time++) {
      const answer = await writeThenRead(`apikey: ${keys.alice}\r\n${json}\r\n${head}`, body())
      expect(answer).toMatch(/^HTTP\/1\.1 413 /)
      expect(errorBody.parse(JSON.parse((answer ?? '').split('\r\n\r\n')[1] ?? '')).error.type).toBe(
        'payload_too_large',
      )
    }
  })

  test('is a 413 to undici', async () => {
    for (let time = 0; time < 5; time++) {
      const reply = await it.alice.post(kickoffPath, { name: long })
      expect({ status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({
        status: 413,
        type: 'payload_too_large',
      })
    }
  })

  test('is a 413 that curl reads, and no reset', async () => {
    const said = await new Promise<string>((resolve) => {
      const args = ['-sS', '-o', '-', '-w', '\n%{http_code} %{errormsg}', '-H', `apikey: ${keys.alice}`]
      const to = ['-H', json, '--data-binary', `@${join(folder, 'body')}`, it.service.url + kickoffPath]
      execFile('curl', [...args, ...to], (error, stdout, stderr) => {
        const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'
        resolve(isMissing ? 'no curl' : stdout + stderr)
      })
    })
    if (said === 'no curl') {
      tellSkipped('there is no curl on this machine')
      return
    }
    expect(said).toMatch(/payload_too_large[^]*\n413 $/)
  })

  test('without a key is a 401 that its sender reads', async () => {
    const answer = await writeThenRead(`connection: close\r\ncontent-length: ${longBytes}`, long)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('without a key, on a connection that is kept, leaves it fit for the next request', async () => {
    const reply = await it.nobody.post(kickoffPath, { name: long })
    expect(reply.status).toBe(401)
    expect(reply.headers.connection).toBe('keep-alive')
  })

  test('a refusal without a body keeps its connection too', async () => {
    for (const path of ['/v3/runs/run_1', '/v3/nothing', '/%zz']) {
      expect((await it.nobody.get(path)).headers.connection).toBe('keep-alive')
    }
  })

  test('leaves nothing started, and the service well', async () => {
    expect(it.service.runCount()).toMatchObject({ pending: 0, completed: 0 })
    expect((await it.alice.get('/healthz')).status).toBe(200)
  })
})

describe('what is read of a body too long is bounded', () => {
  test('one that says it is longer than that is answered at once', async () => {
    const socket = connect(it.service.port, it.service.host)
    socket.on('error', () => undefined)
    socket.write(
      `POST ${kickoffPath} HTTP/1.1\r\nhost: localhost\r\napikey: ${keys.alice}\r\ncontent-length: 99999999999\r\n\r\n`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('one without an end is cut off', async () => {
    const socket = connect(it.service.port, it.service.host)
    const over = new Promise<void>((resolve) =>
      socket.once('close', () => {
        resolve()
      }),
    )
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(
      `POST ${kickoffPath} HTTP/1.1\r\nhost: localhost\r\napikey: ${keys.alice}\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`)
    let sentCount = 0
    const send = () => {
      while (!socket.destroyed && sentCount++ < 1_000) {
        if (!socket.write(chunk)) {
          socket.once('drain', send)
          return
        }
      }
    }
    send()
    await over
    expect(sentCount).toBeLessThan(200)
  })
})
