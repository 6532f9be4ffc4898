const places =
  'AL AK AZ AR CA CO CT DC DE DEL FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA PR ' +
  'RI SC SD TN TX UT VA VT WA WI WV WY AB BC CAN CI CN HK MB NS ON QC SWED UK'
const remarks = 'ADR ADV BD FA FI MSD NEW TA'
const codes: ReadonlySet<string> = new Set(`${places} ${remarks}`.split(' '))

/** A name may have several suffixes: `TOWNSEND ASSET MANAGEMENT CORP /NC/ /ADV`. */
const suffixesMax = 3

/**
 * Removes the suffixes that EDGAR adds to distinguish registrants of the same name: `BANK OF AMERICA CORP /DE/`,
 * `Viridian Therapeutics, Inc.\DE`. "SA/NV" is a legal form and stays.
 */
export function removeRegistrySuffix(name: string): string {
  let shown = name
  for (let count = 0; count < suffixesMax; count++) {
    const end = shown.trimEnd()
    const found = /[/\\]\s*([a-z]{2,4})\s*[/\\]?$/i.exec(end)
    if (found === null || !codes.has((found[1] ?? '').toUpperCase()) || /\bsa\/nv$/i.test(end)) return shown
    const rest = end.slice(0, found.index).trimEnd()
    if (rest === '') return shown
    shown = rest
  }
  return shown
}
