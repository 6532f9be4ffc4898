import { align } from '../match/align.js'
import type { NameComparison } from '../match/compare-names.js'
import type { Vocabulary } from '../match/vocabulary.js'
import { canonicalWords, foldText, wordsOf } from '../normalize/normalize-name.js'

/** How many words a sentence names. */
const wordsNamedMax = 4

/** Which words only one of the two has: `its name has "Holdings", not asked for`. */
export function leftoverText(
  asked: string,
  { matchType, variant, candidate }: NameComparison,
  vocabulary: Vocabulary,
): string {
  const extras = align(variant.tokens, candidate.tokens, vocabulary)
  // The end of a name that the text stops inside is not held against it.
  const own = matchType === 'completed' ? [] : quoted(candidate.name, extras.candidateExtra)
  const missing = matchType === 'completed' ? [] : quoted(asked, extras.queryExtra)
  const texts = [
    ...(own.length > 0 ? [`its name has ${listed(own)}, not asked for`] : []),
    ...(missing.length > 0 ? [`${listed(missing)} was asked for, which its name lacks`] : []),
  ]
  return texts.length > 0 ? texts.join('; ') : 'the words differ a little'
}

/** Which words are written otherwise: `spelled otherwise: "Widgets", asked for "Widgits"`. */
export function spellingText(
  asked: string,
  { variant, candidate }: NameComparison,
  vocabulary: Vocabulary,
): string {
  const extras = align(variant.tokens, candidate.tokens, vocabulary)
  const own = quoted(candidate.name, extras.looseWords)
  const taken = new Set([...candidate.tokens, ...extras.queryExtra])
  const meant = quoted(
    asked,
    variant.tokens.filter((word) => !taken.has(word)),
  )
  if (own.length === 0) return 'a word is in the plural in one of the two'
  return `spelled otherwise: ${listed(own)}${meant.length === 0 ? '' : `, asked for ${listed(meant)}`}`
}

/** Words as the text has them: `Holdings` for `holdings`, `Intl` for `international`. */
function quoted(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return []
  const written = new Map<string, string>()
  for (const piece of text.split(/\s+/)) {
    const plain = piece.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    for (const word of canonicalWords(wordsOf(foldText(piece))))
      if (!written.has(word)) written.set(word, plain)
  }
  return words.map((word) => `"${written.get(word) ?? word}"`)
}

function listed(words: readonly string[]): string {
  const named = [...new Set(words)].slice(0, wordsNamedMax)
  return named.length < words.length ? `${named.join(', ')} and more` : named.join(', ')
}
