import { expect, test } from 'vitest'
import type { CandidateSource } from '../../../src/core/decisions.js'
import { openReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { systemClock } from '../../../src/platform/clock.js'
import { CandidateStore } from '../../../src/review/candidate-store.js'
import { checkpointFolder } from '../checkpoint/support.js'
import { candidateOf, lookupOf } from '../decisions/support.js'

test('a company that was accepted after a search while candidates were asked for stays among them', async () => {
  const folder = checkpointFolder()
  const store = openReviewStore(folder.path())
  try {
    let answer: () => void = () => undefined
    const asked = new Promise<void>((resolve) => (answer = resolve))
    const [chosen, ...others] = ['Chosen', 'A', 'B', 'C', 'D', 'E'].map(candidateOf)
    if (chosen === undefined) throw new Error('nothing is chosen')
    const source: CandidateSource = {
      isEager: false,
      findCandidates: () => asked.then(() => others),
      search: () => Promise.resolve([chosen]),
      company: () => Promise.resolve(null),
    }
    const { candidates } = store
    const deps = { source, scope: 'https://api.example', clock: systemClock }
    const book = new CandidateStore({ ...deps, store: candidates })
    const lookup = lookupOf('Acme')
    const asking = book.getCandidates(lookup, { name: 'Acme', location: null, context: null }, null)
    await book.search(lookup, 'Chosen', null, undefined)
    await book.storeChosen(new Map([[lookup, chosen]]))
    answer()
    expect(await asking).toEqual([chosen, ...others.slice(0, 4)])
    expect(book.readStored([lookup])).toEqual([[chosen, ...others.slice(0, 4)]])
  } finally {
    store.close()
    folder.remove()
  }
})
