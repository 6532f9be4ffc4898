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
      const how = 'with abbreviations written out'
      const whole: Reading = { text: name, kind: 'whole', how, columnChars: null }
      return head === null
        ? [whole]
        : [whole, { text: head, kind: 'site', how: `${how} and without the town`, columnChars: null }]
    })
}

/** Without the last word, where a word that tells the bank is left: of "VB im Korvental" none is. */
function withoutTown(name: string): string | null {
  const head = name.split(' ').slice(0, -1)
  const isTold = head.some((word) => word.length >= 4 && !bankMark.test(word))
  return isTold && head.some((word) => bankMark.test(word)) ? head.join(' ') : null
}
