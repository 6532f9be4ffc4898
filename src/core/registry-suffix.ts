const places =
  'AL AK AZ AR CA CO CT DC DE DEL FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA PR ' +
  'RI SC SD TN TX UT VA VT WA WI WV WY AB BC CAN CI CN HK MB NS ON QC SWED UK'
const remarks = 'ADR ADV BD FA FI MSD NEW TA'
const codes: ReadonlySet<string> = new Set(`${places} ${remarks}`.split(' '))

/** A name may have several suffixes: `TOWNSEND ASSET MANAGEMENT CORP /NC/ /ADV`. */
const suffixesMax = 3

/** A slash at the end; others only inside words: "A/S". */
const loneSlash = /^(?:[^/\\]|(?<=[^\s/\\])[/\\](?=[^\s/\\]))+[/\\]$/

/**
 * Removes the suffixes that EDGAR adds to distinguish registrants of the same name: `BANK OF AMERICA CORP /DE/`,
 * `Viridian Therapeutics, Inc.\DE`. Removes a lone slash at the end too: `TOYOTA MOTOR CORP/`. "SA/NV" is a legal form
 * and stays.
 */
export function removeRegistrySuffix(name: string): string {
  let shown = name
  for (let count = 0; count < suffixesMax; count++) {
    const end = shown.trimEnd()
    const rest = end.slice(0, findSuffix(end)).trimEnd()
    if (rest === '') return shown
    shown = rest
  }
  return shown
}

/** Returns 0 without a suffix. */
function findSuffix(name: string): number {
  const found = /[/\\]\s*([a-z]{2,4})\s*[/\\]?$/i.exec(name)
  if (found !== null && codes.has((found[1] ?? '').toUpperCase()) && !/\bsa\/nv\s*[/\\]?$/i.test(name))
    return found.index
  return loneSlash.test(name) ? name.length - 1 : 0
}

/** Whether names differ only in case, punctuation and registry suffix. */
export const hasSameLetters = (one: string, other: string): boolean => toLetters(one) === toLetters(other)

function toLetters(name: string): string {
  const letters = removeRegistrySuffix(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
  return letters === '' ? name : letters
}
