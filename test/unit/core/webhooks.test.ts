import { createHmac, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  judgeSignatureHeaders,
  parseWebhookSecrets,
  signDelivery,
  verifyDelivery,
  type HmacSha256,
  type SignedDelivery,
} from '../../../src/core/webhooks.js'
import { forAll } from '../../support/properties.js'

const hmac: HmacSha256 = (key, message) => createHmac('sha256', key).update(message).digest()

/** The vector that Standard Webhooks publishes. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
} as const
const nowMs = 1_614_265_330_000
const keys = parseWebhookSecrets(vector.secret)

function delivery(
  change: Partial<Record<'id' | 'timestamp' | 'signature' | 'body', string>> = {},
): SignedDelivery {
  const { id, timestamp, signature, body } = { ...vector, ...change }
  return { id: [id], timestamp: [timestamp], signature: [signature], body: Buffer.from(body) }
}

const verdict = (given: SignedDelivery, atMs = nowMs) => verifyDelivery(given, keys, atMs, hmac).kind

/** What a service would send, signed by hand. */
function sign(secret: string, id: string, timestampSeconds: number, body: Uint8Array): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`
}

describe('a delivery is signed', () => {
  const timestampSeconds = Number(vector.timestamp)

  test('SIG-07 as the official vector is', () => {
    const body = Buffer.from(vector.body)
    expect(signDelivery({ eventId: vector.id, timestampSeconds, body }, keys, hmac)).toBe(vector.signature)
  })

  test('SIG-10 by its bytes, which need not be text', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0d, 0x0a])
    const signature = signDelivery({ eventId: vector.id, timestampSeconds, body }, keys, hmac)
    expect(signature).toBe(sign(vector.secret, vector.id, timestampSeconds, body))
    expect(verdict({ ...delivery({ signature }), body })).toBe('genuine')
  })

  test('SIG-20 once by each key, the entries apart', () => {
    const fresh = `whsec_${randomBytes(32).toString('base64')}`
    const both = parseWebhookSecrets(`${fresh} ${vector.secret}`)
    const body = Buffer.from(vector.body)
    const entries = signDelivery({ eventId: vector.id, timestampSeconds, body }, both, hmac).split(' ')
    expect(entries).toEqual([sign(fresh, vector.id, timestampSeconds, body), vector.signature])
  })
})

describe('a delivery is genuine', () => {
  test('by the official vector', () => {
    expect(verifyDelivery(delivery(), keys, nowMs, hmac)).toEqual({ kind: 'genuine', eventId: vector.id })
  })

  test.each([
    ['with entries of other versions around it', `v1a,abc v2,${'A'.repeat(44)} junk ${vector.signature} v1,`],
    [
      'with a second signature, of a secret that is not known here',
      `v1,${'A'.repeat(43)}= ${vector.signature}`,
    ],
  ])('%s', (_, signature) => {
    expect(verdict(delivery({ signature }))).toBe('genuine')
  })

  test('by any of several secrets, so that one can be replaced', () => {
    const fresh = `whsec_${randomBytes(32).toString('base64')}`
    const both = parseWebhookSecrets(` ${fresh}\n${vector.secret} `)
    expect(verifyDelivery(delivery(), both, nowMs, hmac).kind).toBe('genuine')
    expect(verifyDelivery(delivery(), parseWebhookSecrets(fresh), nowMs, hmac).kind).toBe('forged')
  })

  test('by its bytes, which need not be text', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0d, 0x0a])
    const signature = sign(vector.secret, vector.id, 1_614_265_330, body)
    expect(verdict({ ...delivery({ signature }), body })).toBe('genuine')
    expect(verdict({ ...delivery({ signature }), body: Buffer.from(body.toString('utf8')) })).toBe('forged')
  })

  test('and then the official library says so too, of the same messages', () => {
    const official = new Webhook(vector.secret)
    const seconds = Math.floor(Date.now() / 1000)
    forAll({ seed: 4, numRuns: 300 }, [fc.uuid(), fc.json(), fc.boolean()], (uuid, body, isTrue) => {
      const id = `evt_${uuid}`
      const signature = isTrue
        ? official.sign(id, new Date(seconds * 1000), body)
        : sign(`whsec_${randomBytes(24).toString('base64')}`, id, seconds, Buffer.from(body))
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature,
      }
      const ours = verdict(delivery({ id, timestamp: String(seconds), signature, body }), seconds * 1000)
      expect(ours).toBe(isTrue ? 'genuine' : 'forged')
      const theirs = () => official.verify(body, headers)
      if (isTrue) expect(theirs).not.toThrow()
      else expect(theirs).toThrow()
    })
  })
})

describe('a delivery is refused', () => {
  test.each([
    ['without a signature', { signature: undefined }, 'unsigned'],
    ['with an empty one', { signature: [''] }, 'unsigned'],
    ['with a signature that is too short', { signature: ['v1,AAAA'] }, 'forged'],
    [
      'with entries of other versions alone',
      { signature: [vector.signature.replace('v1,', 'v1a,')] },
      'forged',
    ],
    ['with its signature twice', { signature: [vector.signature, vector.signature] }, 'malformed'],
    [
      'with more signatures than a header may hold',
      { signature: [`${vector.signature} `.repeat(90)] },
      'malformed',
    ],
    ['without an id', { id: undefined }, 'malformed'],
    ['with an empty id', { id: [''] }, 'malformed'],
    ['with two ids', { id: [vector.id, vector.id] }, 'malformed'],
    ['with a dot in its id', { id: ['msg.1614265330'] }, 'malformed'],
    ['with an id that is not text of one line', { id: ['msg\u00e9'] }, 'malformed'],
    ['without a time', { timestamp: undefined }, 'malformed'],
    ['with something behind the time', { timestamp: ['1614265330abc'] }, 'malformed'],
    ['with a time that has a sign', { timestamp: ['-1614265330'] }, 'malformed'],
    ['with a time of thirteen digits', { timestamp: ['1614265330000'] }, 'malformed'],
  ])('%s', (_, change, kind) => {
    expect(verdict({ ...delivery(), ...change })).toBe(kind)
  })

  test.each([
    [300_000, 'genuine'],
    [-300_000, 'genuine'],
    [300_001, 'stale'],
    [-300_001, 'stale'],
  ])('%i ms from its time: %s', (differenceMs, kind) => {
    expect(verdict(delivery(), nowMs + differenceMs)).toBe(kind)
  })

  test('by its headers alone, before a body is read, in all but the signature', () => {
    const headers = delivery()
    expect(judgeSignatureHeaders(headers, nowMs)).toBeNull()
    expect(judgeSignatureHeaders({ ...headers, id: undefined }, nowMs)).toEqual({ kind: 'malformed' })
  })

  test('10,000 times of 10,000, with one thing in it changed', () => {
    let refusedCount = 0
    forAll({ seed: 20261120, numRuns: 10_000 }, [mutation()], (mutated) => {
      expect(verdict(mutated)).not.toBe('genuine')
      refusedCount++
    })
    expect(refusedCount).toBe(10_000)
  })
})

/** The official vector with one byte, bit, header or place of a header changed. */
function mutation(): fc.Arbitrary<SignedDelivery> {
  const signature64 = vector.signature.slice(3)
  const replaced = (text: string) =>
    fc
      .tuple(fc.nat(text.length - 1), fc.integer({ min: 0x21, max: 0x7e }))
      .filter(([index, code]) => text.charCodeAt(index) !== code)
      .map(([index, code]) => text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1))
  const cut = (text: string) => fc.nat(text.length - 1).map((length) => text.slice(0, length))
  const grown = (text: string) =>
    fc
      .tuple(fc.nat(text.length), fc.integer({ min: 0x21, max: 0x7e }))
      .map(([index, code]) => text.slice(0, index) + String.fromCharCode(code) + text.slice(index))
  const flipped = fc.nat(vector.body.length * 8 - 1).map((bit) => {
    const body = Buffer.from(vector.body)
    body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return { ...delivery(), body }
  })
  const changed = (text: string) => fc.oneof(replaced(text), cut(text), grown(text))
  return fc.oneof(
    flipped,
    changed(vector.body).map((body) => delivery({ body })),
    changed(vector.id).map((id) => delivery({ id })),
    changed(vector.timestamp).map((timestamp) => delivery({ timestamp })),
    changed(signature64).map((signature) => delivery({ signature: `v1,${signature}` })),
    fc.base64String({ minLength: 44, maxLength: 44 }).map((text) => delivery({ signature: `v1,${text}` })),
    fc
      .integer({ min: 1_614_265_031, max: 1_614_265_629 })
      .filter((seconds) => seconds !== 1_614_265_330)
      .map((seconds) => delivery({ timestamp: String(seconds) })),
  )
}

describe('a secret', () => {
  const bytes = (count: number) => randomBytes(count).toString('base64')
  test.each([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['the label alone', 'whsec_'],
    ['no label', bytes(32)],
    ['something that is not base64', `whsec_${'*'.repeat(32)}`],
    ['junk that a lax decoder would skip', `whsec_${bytes(32).slice(0, 20)}!!${bytes(32).slice(20)}`],
    ['base64 of the other alphabet', `whsec_${'-_'.repeat(16)}`],
    ['stray bits', `whsec_${'A'.repeat(42)}B=`],
    ['23 bytes', `whsec_${bytes(23)}`],
    ['65 bytes', `whsec_${bytes(65)}`],
    ['a good one and a bad one', `${vector.secret} whsec_`],
    ['eleven', Array.from({ length: 11 }, () => vector.secret).join(' ')],
  ])('of %s is refused', (_, text) => {
    expect(() => parseWebhookSecrets(text)).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_SECRET_INVALID' }),
    )
  })

  test.each([24, 32, 64])('of %i bytes is taken, padded or not', (count) => {
    const text = bytes(count)
    expect(parseWebhookSecrets(`whsec_${text}`).count).toBe(1)
    expect(parseWebhookSecrets(`whsec_${text.replace(/=+$/, '')}`).count).toBe(1)
  })

  test('is shown by nothing, and by no error', () => {
    const secret = vector.secret.slice('whsec_'.length)
    const key = Buffer.from(secret, 'base64')
    const shown = [
      String(keys),
      JSON.stringify({ keys }),
      inspect(keys, { depth: 9, showHidden: true }),
    ].join()
    for (const form of [secret, key.toString('hex'), key.join(', ')]) expect(shown).not.toContain(form)
    try {
      parseWebhookSecrets(`${vector.secret}!`)
      expect.unreachable()
    } catch (error) {
      expect(inspect(error)).not.toContain(secret)
    }
  })
})
