import { describe, expect, expectTypeOf, test } from 'vitest'
import { Backlog, type RunCounter } from '../../../src/pipeline/scheduler/work.js'
import { WebhookAddress } from '../../../src/pipeline/scheduler/kind-context.js'

test('a counter gives nothing back', () => {
  expectTypeOf<ReturnType<RunCounter[keyof RunCounter]>>().toBeVoid()
})

test('a backlog knows what is left, never less than nothing, and whether anything may have left', () => {
  const backlog = new Backlog(2)
  expect([backlog.leftCount, backlog.hasSubmitted]).toEqual([2, false])
  backlog.submit()
  expect([backlog.leftCount, backlog.hasSubmitted]).toEqual([2, true])
  for (const left of [1, 0, 0]) {
    backlog.settle()
    expect(backlog.leftCount).toBe(left)
  }
})

describe('the address in submissions', () => {
  const url = 'https://hooks.test/'

  /** An address, and the reasons for which it was refused. */
  function address(given: string | null = url): { address: WebhookAddress; refusals: string[] } {
    const refusals: string[] = []
    const address = new WebhookAddress(given, { onWebhookRefused: (reason) => void refusals.push(reason) })
    return { address, refusals }
  }

  test('is not in use where there is none', () => {
    const { address: none } = address(null)
    expect([none.isInUse, none.getUrl(1)]).toEqual([false, null])
  })

  test('is left out permanently once a lookup that was refused with it is accepted without it', () => {
    const { address: refused, refusals } = address()
    expect(refused.getUrl(1)).toBe(url)
    expect(refused.getUrl(2)).toBe(url)
    expect(refused.mayHaveCausedRefusal(1, 'HTTP 400')).toBe(true)
    expect([refused.getUrl(1), refused.isInUse]).toEqual([null, true])
    refused.onAccepted(1)
    expect([refused.isInUse, refused.getUrl(3)]).toEqual([false, null])
    expect(refusals).toEqual(['HTTP 400'])
  })

  test('stays once one was accepted with it: then a refusal is about the lookup', () => {
    const { address: taken, refusals } = address()
    taken.getUrl(1)
    taken.getUrl(2)
    taken.onAccepted(1)
    expect(taken.mayHaveCausedRefusal(2, 'HTTP 400')).toBe(false)
    taken.onAccepted(2)
    expect([taken.isInUse, refusals]).toEqual([true, []])
  })
})
