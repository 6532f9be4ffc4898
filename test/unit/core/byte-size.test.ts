import { expect, test } from 'vitest'
import { parseByteSize } from '../../../src/core/text.js'

test.each([
  ['512MB', 512_000_000],
  ['1.5GB', 1_500_000_000],
  ['2GiB', 2 ** 31],
  ['1 gb', 1_000_000_000],
  ['100', null],
  ['1TB', null],
  ['-1GB', null],
  ['', null],
])('%s is %s bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes)
})
