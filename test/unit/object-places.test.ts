import { expect, test } from 'vitest'
import { isSamePlace } from '../../src/connectors/connectors.js'
import { listObjectPlaces } from '../../src/connectors/objects/object-address.js'

const list = (url: string) => listObjectPlaces(url, null)
const own = 'https://lists.s3.eu-west-1.amazonaws.com/a%20b/c.csv'

test.each([
  [own, 'https://s3.amazonaws.com/lists/a b/c.csv'],
  [own, 'https://s3.dualstack.eu-west-1.amazonaws.com/lists/a%20b/c.csv'],
  [own, 'https://LISTS.s3-eu-west-1.amazonaws.com:443/a%20b/c.csv?versionId=1'],
  ['https://storage.googleapis.com/lists/c.csv', 'https://lists.storage.googleapis.com/c.csv'],
  ['https://storage.googleapis.com/lists/c.csv', 'https://storage.cloud.google.com/lists/c.csv'],
  ['https://store.example:9000/lists/c.csv', 'https://lists.store.example:9000/c.csv'],
  ['http://127.0.0.1:9000/lists/c.csv', 'http://localhost:9000/lists/c.csv'],
])('%s and %s are one object', (one, other) => {
  expect(isSamePlace(list(one), list(other))).toBe(true)
})

test.each([
  [own, 'https://other.s3.eu-west-1.amazonaws.com/a%20b/c.csv'],
  [own, 'https://lists.s3.eu-west-1.amazonaws.com/A%20b/c.csv'],
  [own, 'https://lists.s3.eu-west-1.amazonaws.com/a%20b//c.csv'],
  ['http://127.0.0.1:9000/lists/c.csv', 'http://127.0.0.1:9001/lists/c.csv'],
  ['https://store.example/lists/c.csv', 'https://store.example/lists/c.csv/d.csv'],
])('%s and %s are two objects', (one, other) => {
  expect(isSamePlace(list(one), list(other))).toBe(false)
})

test('keys that differ in slashes or case are one object if the store has the same version of both', () => {
  const version = { byteCount: 10, etag: '"one"', modifiedAtMs: 1_000 }
  const at = (path: string, info = version) => listObjectPlaces(`https://store.example/lists/${path}`, info)
  expect(isSamePlace(at('a/b.csv'), at('a//b.csv'))).toBe(true)
  expect(isSamePlace(at('a/b.csv'), at('A/B.csv'))).toBe(true)
  expect(isSamePlace(at('a/b.csv'), at('a//b.csv', { ...version, modifiedAtMs: 2_000 }))).toBe(false)
  expect(isSamePlace(at('a/b.csv'), at('a/c.csv'))).toBe(false)
})
