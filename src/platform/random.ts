import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Randomness as an argument: a fraction in [0, 1), and unguessable ids. */
export interface Random {
  fraction(): number
  /** Returns `prefix` and 24 characters of 0-9 and a-z: 124 bits. */
  id(prefix: string): string
}

/** Returns a generator of fractions in [0, 1), determined by the seed (mulberry32). */
export function createSeededFractions(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Buffered: a separate draw for each id would take several times as long as the id. */
let stock = randomBytes(0)
let usedCount = 0

function nextByte(): number {
  if (usedCount >= stock.length) [stock, usedCount] = [randomBytes(4_096), 0]
  return stock[usedCount++] ?? 0
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  id: (prefix) => {
    let id = prefix
    while (id.length < prefix.length + 24) {
      // 252 is the largest multiple of 36 in a byte: every character is equally likely.
      const byte = nextByte()
      if (byte < 252) id += alphabet.charAt(byte % 36)
    }
    return id
  },
}
