import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { idsOf, servedBehaviours, sharedBehaviours } from '../support/behaviours.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Titles begin with the ids of what they show. */
function idsInTitles(): Set<string> {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const ids = new Set<string>()
  for (const file of files.filter((path) => path.endsWith('.test.ts'))) {
    const source = readFileSync(join(root, 'test', file), 'utf8')
    for (const [, list = ''] of source.matchAll(/['"`]((?:[A-Z][A-Z0-9]{0,4}-\d{2}\b,? ?)+)/g)) {
      for (const [id] of list.matchAll(/[A-Z][A-Z0-9]*-\d{2}/g)) ids.add(id)
    }
  }
  return ids
}

describe('conformance', () => {
  const shown = idsInTitles()
  const served = idsOf(servedBehaviours)

  test('every behaviour of the list has a test with its id', () => {
    expect(served.filter((id) => !shown.has(id))).toEqual([])
  })

  test('what a client has a part in is on the list of the service too', () => {
    expect(idsOf(sharedBehaviours).filter((id) => !served.includes(id))).toEqual([])
  })

  test('the page on the interface states how many there are', () => {
    const page = readFileSync(join(root, 'docs/reference/http-interface.md'), 'utf8')
    expect(page).toContain(`${served.length} behaviours`)
  })
})
