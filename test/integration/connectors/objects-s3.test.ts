import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import { createObjectPlace, testPlatform } from '../../support/object-place.js'
import { startS3Store } from '../../support/s3-store.js'

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(() => {
  store.requests.length = 0
  store.pageSize = 1_000
})

const connector = createS3Connector(testPlatform())
const large = randomBytes(300_000)

describe('a target on S3', () => {
  test('a small file is one PUT, a large one an upload in parts; both come back unchanged', async (context) => {
    const place = createObjectPlace(context, connector, store.environment)
    for (const [name, content] of [
      ['small.csv', Buffer.from('a,b\n1,2\n')],
      ['empty.csv', Buffer.alloc(0)],
      ['large.csv', large],
    ] as const) {
      const target = place.target(`s3://bucket/round/${name}`)
      await target.tryWriting(place.write('sample.csv', 'a,b\n'))
      await target.publish(place.write(name, content))
      const [file] = await place.fetch(`s3://bucket/round/${name}`)
      expect(file?.label).toBe(`s3://bucket/round/${name}`)
      expect(file?.name).toBe('1.csv')
      expect(file?.content.equals(content)).toBe(true)
    }
    expect(store.requests.filter((line) => line.includes('partNumber=')).length).toBe(5)
    expect(store.keys()).toEqual(['round/empty.csv', 'round/large.csv', 'round/small.csv'])
    expect([store.uploads(), place.notices]).toEqual([[], []])
  })

  test.for(['a b/ü+plus&?.csv', "x'(1)*!.csv", '100%25 #1.csv', '东芝 "quoted".csv', '=;:@$,[]{}|^`.csv'])(
    'a key is taken literally: %s',
    async (key, context) => {
      const place = createObjectPlace(context, connector, store.environment)
      await place.target(`s3://bucket/${key}`).publish(place.write('in.csv', key))
      const [file, ...others] = await place.fetch(`s3://bucket/${key}`)
      expect(others).toEqual([])
      expect(file?.content.toString()).toBe(key)
      expect(file?.label).toBe(`s3://bucket/${key}`)
    },
  )
})
