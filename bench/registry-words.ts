import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import type { Chance } from '../test/simulation/chance.js'

/** Words of real names, by where in a name they stand, each as often as it stands there. */
export interface NameWords {
  readonly heads: readonly string[]
  readonly tails: readonly string[]
}

const formWord =
  /^(inc|llc|ltd|limited|corp|corporation|company|co|plc|ag|se|gmbh|nv|bv|sa|sarl|lp|llp|spa|srl|ab|as|oy|kg)\W*$/i

/** Reads the column `name` of CSV files. */
export async function readNameWords(paths: readonly string[]): Promise<NameWords> {
  const heads: string[] = []
  const tails: string[] = []
  for (const path of paths) {
    const parser = createReadStream(path).pipe(parse({ columns: true, bom: true, relax_column_count: true }))
    for await (const row of parser as AsyncIterable<Record<string, string>>) {
      const words = (row['name'] ?? '').split(/[\s,/()]+/).filter((word) => /\p{L}{2}/u.test(word))
      const [head, ...rest] = words.filter((word) => !formWord.test(word)).map(titled)
      if (head === undefined) continue
      heads.push(head)
      tails.push(...rest)
    }
  }
  if (heads.length < 100) throw new Error('the files of --names hold too few names in a column "name"')
  return { heads, tails }
}

function titled(word: string): string {
  return word === word.toUpperCase() && word.length > 3 ? word.charAt(0) + word.slice(1).toLowerCase() : word
}

/** A word that no register holds yet, put together of two that one does: a third of all names bear such a word. */
export function coinedWord({ heads }: NameWords, chance: Chance): string {
  const [front, back] = [chance.pick(heads), chance.pick(heads)]
  const word = front.slice(0, chance.whole(2, 6)) + back.toLowerCase().slice(-chance.whole(2, 6))
  return word.replace(/[^\p{L}]/gu, '')
}

const cyrillic: Readonly<Record<string, string>> = Object.fromEntries(
  'aа bб cк dд eе fф gг hх iи jй kк lл mм nн oо pп qк rр sс tт uу vв wв yы zз'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
)

/** The same letters in Cyrillic, as a register of the East would write them. */
export function inCyrillic(name: string): string {
  return name
    .toLowerCase()
    .replace(/x/g, 'кс')
    .replace(/[a-z]/g, (letter) => cyrillic[letter] ?? letter)
}
