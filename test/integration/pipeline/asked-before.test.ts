import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lookup } from '../../../src/core/lookup-identity.js'
import { openEarlierNames } from '../../../src/pipeline/input/row-reader.js'
import { type CheckpointReader, calculateResolutionKey } from '../../../src/pipeline/checkpoint/lookup.js'
import { peekAtCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { makeFolder } from '../../support/temporary-folder.js'

const scope = 'https://a.example'
const nameOf = (name: string): Lookup => ({ name, location: null, context: null })

/** What opens the checkpoint of a path, and how often it did. */
function counted(path: string): { open: () => CheckpointReader | null; times: () => number } {
  let count = 0
  const open = () => {
    count++
    return peekAtCheckpoint(path, scope)
  }
  return { open, times: () => count }
}

function checkpointPath(): string {
  const folder = makeFolder()
  return join(folder, 'checkpoint.sqlite')
}

test('where there is no checkpoint, nothing was asked, and it is looked for once', async () => {
  const { open, times } = counted(checkpointPath())
  const asked = openEarlierNames(open)
  for (const name of ['acme.com', 'globex.com', 'acme.com']) {
    await asked.fetch([nameOf(name)])
    expect(asked.wasAsked(nameOf(name))).toBe(false)
  }
  asked.close()
  expect(times()).toBe(1)
})

test('where there is one, it is opened with the first question, and what was submitted was asked', async () => {
  const path = checkpointPath()
  const checkpoint = openCheckpoint({ path, scope, job: 'x', nowMs: Date.now(), random: systemRandom })
  const names = ['acme.com', 'globex.com']
  const [first = 0] = await checkpoint.store.register(
    names.map((name) => ({
      kind: 'resolution' as const,
      key: calculateResolutionKey(nameOf(name)),
      lookup: nameOf(name),
    })),
  )
  await checkpoint.intend(first, Date.now())
  checkpoint.close()
  const { open, times } = counted(path)
  const asked = openEarlierNames(open)
  await asked.fetch([])
  expect(times()).toBe(0)
  await asked.fetch(names.map(nameOf))
  expect([...names, 'nobody.com'].map((name) => asked.wasAsked(nameOf(name)))).toEqual([true, false, false])
  asked.close()
  expect(times()).toBe(1)
})
