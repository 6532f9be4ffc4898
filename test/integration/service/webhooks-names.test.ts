import { createSocket } from 'node:dgram'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkAddress, createResolver } from '../../../src/platform/outbound/address-guard.js'

type Records = Readonly<Record<string, { readonly a?: readonly string[]; readonly aaaa?: readonly string[] }>>

const [typeA, typeAaaa] = [1, 28]

/** A name server on the loopback: a name that it does not know does not exist; null answers nothing at all. */
async function startNameServer(records: Records | null): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    if (records === null) return
    const known = records[name]
    const addresses = type === typeA ? known?.a : type === typeAaaa ? known?.aaaa : []
    const answers = (addresses ?? []).map((address) => answerOf(type, address))
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    socket.close()
  })
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** For the name of the question; `address` in full, eight groups where it is IPv6. */
function answerOf(type: number, address: string): Buffer {
  const bytes =
    type === typeA
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(
          address
            .split(':')
            .map((group) => group.padStart(4, '0'))
            .join(''),
          'hex',
        )
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([head, bytes])
}

const never = new AbortController().signal

describe('a name is looked up', () => {
  test('with all its addresses of both families, and one bad one refuses it', async () => {
    const { address } = await startNameServer({
      'both.example.com': { a: ['93.184.216.34', '93.184.216.35'], aaaa: ['2606:2800:220:1:0:0:0:1'] },
      'six.example.com': { aaaa: ['2606:2800:220:1:0:0:0:1'] },
      'mixed.example.com': { a: ['93.184.216.34'], aaaa: ['fd00:0:0:0:0:0:0:1'] },
      'mapped.example.com': { aaaa: ['0:0:0:0:0:ffff:7f00:1'] },
      'inward.example.com': { a: ['93.184.216.34', '169.254.169.254'] },
    })
    const resolve = createResolver([address])
    const check = (name: string) => checkAddress(name, resolve, never)
    expect(await check('both.example.com')).toEqual({
      kind: 'allowed',
      addresses: ['93.184.216.34', '93.184.216.35', '2606:2800:220:1::1'],
    })
    expect(await check('six.example.com')).toMatchObject({ kind: 'allowed' })
    for (const name of ['mixed', 'mapped', 'inward']) {
      expect(await check(`${name}.example.com`)).toEqual({
        kind: 'refused',
        reason: 'it leads to an address that is not public',
      })
    }
    expect(await check('nowhere.example.com')).toEqual({ kind: 'refused', reason: 'it does not resolve' })
  })

  test('again each time', async () => {
    const { address, asked } = await startNameServer({ 'hooks.example.com': { a: ['93.184.216.34'] } })
    const resolve = createResolver([address])
    for (let time = 0; time < 3; time++) await checkAddress('hooks.example.com', resolve, never)
    // A and AAAA.
    expect(asked).toEqual(Array.from({ length: 6 }, () => 'hooks.example.com'))
  })

  test('until the time is up: a silent name server blocks nothing', async () => {
    const { address, asked } = await startNameServer(null)
    const giveUp = new AbortController()
    const check = checkAddress('hooks.example.com', createResolver([address]), giveUp.signal)
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    giveUp.abort()
    expect((await check).kind).toBe('refused')
  })
})
