import { expect, test } from 'vitest'
import { findRepeatedSentences, proseMax, readDocuments, sumWords } from '../../words/prose.js'

const documents = readDocuments()

test('the documents have no more words of prose than the limits', () => {
  const { decisions, others } = sumWords(documents)
  expect(documents.length).toBeGreaterThan(40)
  expect(others).toBeLessThanOrEqual(proseMax.others)
  expect(decisions).toBeLessThanOrEqual(proseMax.decisions)
})

test('no sentence of eight or more words is in two places', () => {
  expect(documents.flatMap(({ sentences }) => sentences).length).toBeGreaterThan(1_000)
  expect(findRepeatedSentences(documents)).toEqual([])
})
