import type { Reading } from './reading.js'

/** Words of German and Austrian banks as lists of bank codes shorten them. The longer come first. */
const bankWords: readonly (readonly [pattern: RegExp, word: string])[] = (
  [
    ['kr[. -]*spk|krspk|ksk', 'Kreissparkasse'],
    ['st(?:adt)?[. -]*spk|stspk|ssk', 'Stadtsparkasse'],
    ['ver[. -]+spk|vspk', 'Vereinigte Sparkassen'],
    ['bausp[k]?|bsk', 'Bausparkasse'],
    ['spk|sparkas', 'Sparkasse'],
    ['raiff?[. -]*vb', 'Raiffeisen-Volksbank'],
    ['vb[. -]*raiff?(?:bk)?|v\\+rb', 'Volksbank Raiffeisenbank'],
    ['raiff?[. -]*(?:bk|bank)|raiba|raika|^rb', 'Raiffeisenbank'],
    ['raiff', 'Raiffeisen'],
    ['volksbk|vobk|voba|vb', 'Volksbank'],
    ['geno(?:ss)?[. -]*bk', 'Genossenschaftsbank'],
    ['hyp[. -]*bk|hypobk', 'Hypothekenbank'],
    ['gz', 'Girozentrale'],
    ['ld?bk|^lb', 'Landesbank'],
    ['bk', 'Bank'],
  ] as const
).map(([pattern, word]) => [new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})\\b\\.?`, 'giu'), word] as const)

/** A short form that no other text has, so that the last word may be the town of the bank. */
const bankMark = /bank|kasse/i
const landBank = /(?<![\p{L}\p{N}])ldbk(?!\p{L})/iu

/** "Kr Spk Rhein-Hunsrück" written out, and without the town that lists put at the end. */
export function readBankName(text: string): Reading[] {
  const written = (from: string) =>
    bankWords.reduce((name, [pattern, word]) => name.replace(pattern, word), from)
  const texts = landBank.test(text)
    ? [written(text), written(text.replace(landBank, 'Landbank'))]
    : [written(text)]
  return texts
    .filter((name) => name !== text)
    .flatMap((name): Reading[] => {
      const head = withoutTown(name)
      const whole: Reading = { text: name, kind: 'whole', columnChars: null }
      return head === null ? [whole] : [whole, { text: head, kind: 'site', columnChars: null }]
    })
}

/** Of a bank's short name, the last of three words and more; a name of two has no town besides. */
function withoutTown(name: string): string | null {
  const words = name.split(' ')
  return words.length < 3 || !bankMark.test(words.slice(0, -1).join(' '))
    ? null
    : words.slice(0, -1).join(' ')
}
