import { describe, expect, it } from 'vitest'
import type { Sqlite } from '../../../src/platform/sqlite.js'
import { createCandidateNames } from '../../../src/registry/store/candidate-names.js'
import { readVocabulary } from '../../../src/registry/store/name-index.js'
import { openStore } from '../../../src/registry/store/open-store.js'
import { Chance } from '../../simulation/chance.js'

/** Companies 1 to `count`, each with one name of the words that `list` returns for its number. */
function makeStore(count: number, list: (number: number) => readonly string[]): Sqlite {
  const database = openStore(':memory:', 'shared')
  database.exec(`
    INSERT INTO sources (number, name, format, settings_json, file_name, file_date, file_sha256, derivation,
      import_sequence, row_count, rejected_count, imported_at) VALUES (1, 's', 'csv', '{}', 's', '', '', 1, 1, 1, 0, '');
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT i FROM n;
    INSERT INTO entities (number, key) SELECT i, CAST('e' || i AS BLOB) FROM numbers;
    INSERT INTO legal_entities (number, key, entity_number, source_number, packed_key, source_line, import_sequence,
      legal_name, packed_type, packed_subtype) SELECT i, CAST('l' || i AS BLOB), i, 1, 'k' || i, i, 1, 'Name ' || i,
      'business', 'incorporated_entity' FROM numbers;
    INSERT INTO addresses (legal_entity_number) SELECT i FROM numbers`)
  database.function('words_of', (number: number) => list(number).join(' '))
  database.exec(`
    INSERT INTO names (number, legal_entity_number, packed_kind, name, tokens, full_key_end, acronym)
      SELECT i, i, 'legal', 'Name ' || i, words_of(i), '', '' FROM numbers;
    INSERT INTO name_index (rowid, tokens) SELECT number, tokens FROM names`)
  return database
}

const openNames = (database: Sqlite) => createCandidateNames(database)(readVocabulary(database))

describe('names of candidates', () => {
  it('have one word of each slot, lowest number first, as the index finds them', () => {
    const chance = new Chance(7)
    const words = ['air', 'bank', 'global', 'mond', 'timsoft', 'x1', 'y']
    const some = () => words.filter(() => chance.fraction() < 0.3)
    const database = makeStore(400, () => [...some(), 'all'])
    const names = openNames(database)
    const indexed = database
      .prepare<[string, number], number>('SELECT rowid FROM name_index WHERE name_index MATCH ? LIMIT ?')
      .pluck()
    for (let round = 0; round < 200; round++) {
      const slots = [some(), some(), ['all', 'absent']].filter((slot) => slot.length > 0)
      const limit = 1 + Math.floor(chance.fraction() * 60)
      const expression = slots.map((slot) => `(${slot.join(' OR ')})`).join(' AND ')
      expect(names.findByWords(slots, limit), expression).toEqual(indexed.all(expression, limit))
    }
    expect(names.findByWords([['absent']], 10)).toEqual([])
  })

  it('are found also by words that more names have than are remembered', () => {
    const names = openNames(
      makeStore(20_100, (number) => (number % 5_000 === 0 ? ['group', 'rare'] : ['group'])),
    )
    expect(names.findByWords([['group'], ['rare']], 3)).toEqual([5_000, 10_000, 15_000])
    expect(names.findByWords([['rare', 'absent']], 10)).toEqual([5_000, 10_000, 15_000, 20_000])
  })

  it('are read again after more were read than are remembered', () => {
    const names = openNames(makeStore(66_000, () => []))
    const read = (numbers: readonly number[]) => names.read(numbers).map(({ name }) => name)
    const all = Array.from({ length: 66_000 }, (_, index) => index + 1)
    expect(read(all.slice(0, 65_000))).toHaveLength(65_000)
    expect(read([3, 65_999, 65_001, 2, 99_999])).toEqual(['Name 3', 'Name 65999', 'Name 65001', 'Name 2'])
    expect(read([66_000, 1])).toEqual(['Name 66000', 'Name 1'])
  })
})
