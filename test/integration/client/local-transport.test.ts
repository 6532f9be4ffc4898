import { expect, test } from 'vitest'
import { createLocalTransport } from '../../../src/client/transport.js'

const request = { method: 'GET', path: '/v3/runs/run_1', headers: {} } as const
const answering = (text: string) => () => Promise.resolve({ status: 200, headers: {}, text })

test.each([
  ['a body', '{"a":1}', {}, { body: { a: 1 }, bodyFault: null }],
  ['none', '', {}, { body: undefined, bodyFault: 'the body is empty' }],
  ['no JSON', '{', {}, { body: undefined, bodyFault: 'the body is not JSON' }],
  ['too deep', '[[[1]]]', { jsonDepthMax: 2 }, { bodyFault: 'the body nests deeper than 2 levels' }],
  ['too large', '"äää"', { responseBytesMax: 7 }, { bodyFault: 'the body is larger than 7 bytes' }],
  ['just not too large', '"äää"', { responseBytesMax: 8 }, { body: 'äää', bodyFault: null }],
])(
  'what a service in this process sends is under the limits of any other: %s',
  async (_, text, limits, expected) => {
    const exchange = await createLocalTransport(answering(text), limits).exchange(request)
    expect(exchange).toMatchObject({ kind: 'reply', status: 200, ...expected })
  },
)

test('a service in this process that does not answer in time may have done what it was asked', async () => {
  const never = () => new Promise<never>(() => undefined)
  const exchange = await createLocalTransport(never, { exchangeMsMax: 5 }).exchange(request)
  expect(exchange).toEqual({ kind: 'no_reply', sent: 'maybe', reason: 'no answer in time' })
})

test('a service in this process is not waited for once its caller was stopped', async () => {
  const stop = new AbortController()
  const answer = () => {
    stop.abort()
    return new Promise<never>(() => undefined)
  }
  const exchange = await createLocalTransport(answer).exchange({ ...request, signal: stop.signal })
  expect(exchange).toEqual({ kind: 'no_reply', sent: 'maybe', reason: 'stopped before the answer came' })
})
