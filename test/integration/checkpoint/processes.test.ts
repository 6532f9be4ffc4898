import { hostname } from 'node:os'
import { afterAll, describe, expect, test } from 'vitest'
import { startChild } from '../../support/child-process.js'
import { checkpointFolder, everyRow, keyed, scope, startMs, idOf } from './support.js'
import { errorWith } from '../../support/error-with.js'

const holderModule = import.meta.resolve('./holder-child.ts')
const at = checkpointFolder()
afterAll(() => {
  at.remove()
})

const keep = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' } as const

describe('one process at a time', () => {
  test('a checkpoint in use names its process; a killed process does not lock it', async () => {
    const child = startChild(holderModule, at.path('held.sqlite'), 'Acme', 'Beta')
    const customIds = [await child.nextLine(), await child.nextLine()]
    const processId = await child.nextLine()
    const before = everyRow(at.path('held.sqlite'))

    expect(() => at.open('held.sqlite')).toThrow(
      expect.objectContaining({
        code: 'CHECKPOINT_IN_USE',
        exitCode: 11,
        message: expect.stringContaining(`process ${processId} on ${hostname()}, since 20`) as string,
      }),
    )
    expect(everyRow(at.path('held.sqlite'))).toEqual(before)
    // To look at it is allowed: the intention stands, since its process lives.
    expect(at.read('held.sqlite').read('counts')[0]?.states).toMatchObject({ running: 1, intended: 1 })

    await child.kill()
    const checkpoint = at.open('held.sqlite')
    const [acme = 0, beta = 0] = await checkpoint.store.register(keyed('Acme', 'Beta'))
    expect(await checkpoint.plan(keep)).toMatchObject({ poll: 1, uncertain: 1, submit: 0 })
    expect(await checkpoint.read('pending_runs')).toEqual([
      expect.objectContaining({ lookupId: acme, runId: 'run_0' }),
    ])
    expect(at.read('held.sqlite').read('uncertain', { limit: 9 })).toEqual([
      expect.objectContaining({
        scope,
        kind: 'resolution',
        name: 'Beta',
        customId: customIds[1],
        reason: 'the process ended before the answer to the submission came',
      }),
    ])
    await expect(checkpoint.intend(beta, startMs)).rejects.toThrow('is uncertain: "intend" cannot')
  })

  test('within one process too, until it is closed', () => {
    const first = at.open('twice.sqlite')
    expect(() => at.open('twice.sqlite')).toThrow(
      errorWith('CHECKPOINT_IN_USE', { message: `process ${process.pid} on` }),
    )
    const id = idOf(at.path('twice.sqlite'))
    first.close()
    at.open('twice.sqlite')
    expect(idOf(at.path('twice.sqlite'))).toBe(id)
  })

  test('two checkpoints do not block each other, and have ids of their own', () => {
    at.open('one.sqlite')
    at.open('other.sqlite')
    expect(idOf(at.path('one.sqlite'))).not.toBe(idOf(at.path('other.sqlite')))
  })
})
