import type { Sqlite } from '../../platform/sqlite.js'
import { Vocabulary } from '../match/vocabulary.js'

/** Reads every word of the index with its count: about 100 ms and 20 MB for 100,000 companies. */
export function readVocabulary(database: Sqlite): Vocabulary {
  const counts = new Map<string, number>()
  const rows = database
    .prepare<[], { term: string; doc: number }>('SELECT term, doc FROM name_vocabulary')
    .iterate()
  for (const { term, doc } of rows) counts.set(term, doc)
  const total = database.prepare<[], { total: number }>('SELECT count(*) AS total FROM names').get()
  return new Vocabulary(counts, total?.total ?? 0)
}
