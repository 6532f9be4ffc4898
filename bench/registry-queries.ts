import type { Chance } from '../test/simulation/chance.js'
import type { SampleRow } from './registry-rows.js'

export interface ScaleQuery {
  readonly kind: string
  readonly name: string
  readonly location: string | null
}

type Bend = (row: SampleRow, chance: Chance) => string

const foreignLetters = Array.from('日本電気工業Ромашкλογία北京الشرق')

/** Ways in which a list may word a name that a register holds, and names that none does. */
const bends: Readonly<Record<string, Bend>> = {
  exact: ({ name }) => name,
  'no form': ({ name }) => wordsOf(name).slice(0, 3).join(' '),
  typo: ({ name }, chance) => withTypo(name, chance),
  'two typos': ({ name }, chance) => withTypo(withTypo(name, chance), chance),
  truncated: ({ name }, chance) => name.slice(0, Math.max(8, Math.min(31, name.length - chance.whole(2, 8)))),
  reordered: ({ name }) => [...wordsOf(name).slice(0, -1)].reverse().join(' '),
  partial: ({ name }) => wordsOf(name).slice(1, 3).join(' '),
  longer: ({ name }, chance) => `${name} ${chance.pick(['Group', 'Worldwide', 'Retail Services'])}`,
  'other name': ({ otherName, name }) => (otherName === '' ? name.toUpperCase() : otherName),
  initials: ({ name }) =>
    wordsOf(name)
      .map((word) => word.charAt(0))
      .join(''),
  generic: (_, chance) =>
    [
      chance.pick(['First', 'International', 'American', 'National', 'Global', 'New']),
      chance.pick(['Capital', 'Energy', 'Financial', 'Trust', 'Bank', 'Health']),
      chance.pick(['Group', 'Holdings', 'Partners', 'Fund', 'Services', 'Inc']),
    ].join(' '),
  garbage: (_, chance) =>
    Array.from({ length: chance.whole(1, 3) }, () =>
      Array.from({ length: chance.whole(3, 10) }, () => String.fromCharCode(chance.whole(97, 122))).join(''),
    ).join(' '),
  'other scripts': (_, chance) =>
    chance.pick(['株式会社', 'ООО ', '有限公司', 'شركة ', 'Α.Ε. ']) +
    Array.from({ length: 6 }, () => chance.pick(foreignLetters)).join(''),
}

/** As many queries of each kind, half of them with the place. */
export function makeQueries(sample: readonly SampleRow[], countOfEach: number, chance: Chance): ScaleQuery[] {
  return Object.entries(bends).flatMap(([kind, bend]) =>
    Array.from({ length: countOfEach }, () => {
      const row = chance.pick(sample)
      const location = chance.happens(0.5) ? `${row.city}, ${row.country}` : null
      return { kind, name: bend(row, chance), location }
    }),
  )
}

const wordsOf = (name: string) => name.split(/\s+/)

/** A letter left out, doubled, swapped with the next, or another. */
function withTypo(name: string, chance: Chance): string {
  const at = chance.whole(1, Math.max(1, Math.min(name.length - 2, 14)))
  const [before, letter, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)]
  switch (chance.whole(0, 3)) {
    case 0:
      return before + after
    case 1:
      return before + letter + letter + after
    case 2:
      return before + after.charAt(0) + letter + after.slice(1)
    default:
      return before + String.fromCharCode(chance.whole(97, 122)) + after
  }
}
