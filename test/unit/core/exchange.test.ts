import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readError } from '../../../src/core/http-exchange.js'
import { forAll } from '../../support/properties.js'

describe('the error in a body', () => {
  test.each([
    [{ error: { type: 'bad_request', message: 'no name' } }, { type: 'bad_request', message: 'no name' }],
    [
      { error: 'Unauthorized', message: 'no key' },
      { type: 'Unauthorized', message: 'no key' },
    ],
    [
      { message: 'gone', code: 'entity_not_found' },
      { type: 'entity_not_found', message: 'gone' },
    ],
    [{ error: { type: 7, message: ['a'] } }, { type: null, message: null }],
    [{ error: [] }, { type: null, message: null }],
    ['text', { type: null, message: null }],
    [null, { type: null, message: null }],
    [undefined, { type: null, message: null }],
    [[{ error: 'x' }], { type: null, message: null }],
  ])('%j', (body, error) => {
    expect(readError(body)).toEqual(error)
  })

  test('what a server says is one bounded line without control characters', () => {
    const { message } = readError({ message: `a\r\n\u001b[2Jb\u0085${'c'.repeat(1_000)}` })
    expect(message).toMatch(/^a \[2Jb c{200,}$/)
    expect(message?.length).toBe(300)
  })

  test('any body at all gives texts that are null or fit a line', () => {
    forAll(
      100,
      [fc.oneof(fc.anything(), fc.record({ error: fc.anything(), message: fc.string() }))],
      (body) => {
        for (const text of Object.values(readError(body))) {
          if (text === null) continue
          expect(text.length).toBeLessThanOrEqual(300)
          expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        }
      },
    )
  })
})
