/** What is known of a company besides the name that is changed. */
export interface CompanyFacts {
  /** Where its shares are traded under it. */
  readonly ticker: string | null
  /** ISO 3166-1, two letters. */
  readonly countryCode: string | null
}

/** A way in which people and columns write a company's name; null where it does not apply to a name. */
export type NameChange = (name: string, fraction: () => number, facts?: CompanyFacts) => string | null

const formEnd =
  /[\s,]+(?:inc|corp|corporation|co|company|ltd|limited|llc|plc|lp|llp|l\.p|gmbh|ag|sa|s\.a|nv|n\.v|bv|ab|asa|oyj|spa|s\.p\.a)\.?$/i

export const words = (name: string) => name.split(/\s+/).filter((word) => word !== '')
export const pick = <T>(items: readonly T[], fraction: () => number): T | undefined =>
  items[Math.floor(fraction() * items.length)]

export function withoutForm(name: string): string | null {
  const cut = name.replace(/\s*[/\\][A-Za-z]{2,4}[/\\]?\s*$/, '').replace(formEnd, '')
  return cut === name || cut.length < 3 ? null : cut
}

/** The name without its form. */
export const bare = (name: string): string => withoutForm(name) ?? name
export const number = (fraction: () => number, max: number): number => 1 + Math.floor(fraction() * max)

export function cutAt(width: number): NameChange {
  return (name) => (name.length > width ? name.slice(0, width).trimEnd() : null)
}

/** A change by a table: every entry that applies to the name as it was is applied. */
export const replacing =
  (table: readonly (readonly [RegExp, string])[]): NameChange =>
  (name) => {
    const applying = table.filter(([one]) => name.search(one) >= 0)
    const other = applying.reduce((text, [one, another]) => text.replace(one, another), name)
    return other === name ? null : other
  }

/** As written in capitals and small letters, where all of it is in capitals: enough for what only looks at words. */
export const titled = (name: string): string =>
  name === name.toUpperCase()
    ? name.toLowerCase().replace(/(^|[\s\-(/&])\p{L}/gu, (start) => start.toUpperCase())
    : name
