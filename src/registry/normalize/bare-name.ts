import { cutNativeForms } from './legal-forms.js'
import { parseName, boundedText } from './parsed-name.js'

/**
 * A name without legal form, case, accents and punctuation: what two spellings of one name share. Scripts other than Latin
 * stay as they are written, since transliterated many names of theirs are one.
 */
export function bareName(name: string): string {
  if (!/[^\p{Script=Latin}\P{L}]/u.test(name)) return parseName(name).bareKey
  return cutNativeForms(boundedText(name))
    .rest.toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
