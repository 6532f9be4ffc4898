import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactKey } from '../../src/client/client.js'
import type { Exchange } from '../../src/core/http-exchange.js'
import { forAll } from '../support/properties.js'

const reply = (body: unknown, headers: Record<string, string> = {}): Exchange => ({
  kind: 'reply',
  status: 200,
  headers,
  body,
  bodyFault: null,
})

describe('a key in an answer', () => {
  /** Whatever a key may be made of, quotes and backslashes too. */
  const key = fc.stringMatching(/^[\x21-\x7e]{8,60}$/)
  const around = fc.string({ unit: 'binary', maxLength: 5 })

  test('is in no text, no key and no header afterwards, whatever it is made of', () => {
    forAll(100, [key, around, around], (secret, before, after) => {
      const text = before + secret + after
      const body = { a: [{ [text]: text }, encodeURIComponent(secret), 7, null], ['__proto__']: text }
      const shown = redactKey(reply(body, { location: text }), secret)
      const walked = textsOf(shown)
      // The mark itself may hold what a key is made of, never a whole one.
      for (const found of walked) expect(found).not.toContain(secret)
      expect(walked.filter((found) => found.includes('[secret]')).length).toBeGreaterThanOrEqual(4)
    })
  })

  test('is all that is taken out: an answer without it is the same value', () => {
    forAll(100, [fc.jsonValue()], (body) => {
      const given = reply(body)
      expect(redactKey(given, 'a-key-that-stands-nowhere')).toEqual(given)
    })
  })

  test('a word too short to be a key takes nothing out of an answer', () => {
    const given = reply({ legal_name: 'Acme SA', status: 'matched' })
    for (const short of ['A', '"', 'matched', 's']) expect(redactKey(given, short)).toEqual(given)
  })

  test('names of prototypes stay members of the object that held them', () => {
    const body: unknown = JSON.parse('{"__proto__":{"isPolluted":true},"constructor":"my-secret-key"}')
    const shown = redactKey(reply(body), 'my-secret-key')
    expect(JSON.stringify(shown)).toContain(
      '"body":{"__proto__":{"isPolluted":true},"constructor":"[secret]"}',
    )
    expect(({} as { isPolluted?: boolean }).isPolluted).toBeUndefined()
  })
})

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)])
}
