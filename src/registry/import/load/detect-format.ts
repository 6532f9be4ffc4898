import type { FormatName } from '../formats.js'
import { pairColumns } from '../lei-cik.js'

/**
 * The formats whose columns a header has, the likeliest first: what the file is, its rows must show. Maps of an
 * identifier to another have these columns and no more: a company's row may have them among others.
 */
export function formatsOfHeader(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly FormatName[] {
  const names = new Set(header.map((name) => name.trim().toLowerCase()))
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name))
  if (has('lei', 'entity.legalname')) return ['gleif']
  if (has('relationship.startnode.nodeid', 'relationship.endnode.nodeid', 'relationship.relationshiptype'))
    return ['gleif-relationships']
  if (has('registration authority code')) return ['gleif-authorities']
  if (has('elf code', 'entity legal form name local name')) return ['gleif-legal-forms']
  if (has('companyname', 'companynumber') && header.some((name) => /^\s*regaddress\./i.test(name)))
    return ['companies-house']
  if (has('adsh', 'cik', 'name', 'filed')) return ['sec-sub']
  if (has('lei', 'bic') && names.size === 2) return ['gleif-bic']
  if (has('lei', 'isin') && names.size === 2) return ['gleif-isin']
  if (has('cik', 'alias') && names.size === (names.has('kind') ? 3 : 2)) return ['sec-names']
  return isPairOfIds(header, rows) ? ['lei-cik'] : []
}

/** Besides the two ids such a map may say the names that each side has, and nothing else. */
function isPairOfIds(header: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const pair = pairColumns(header, rows)
  if (pair === null) return false
  const others = header.filter((name) => name !== pair.lei && name !== pair.cik)
  if (others.some((name) => !/name$/i.test(name))) return false
  return !others.some((name) => /^(?:name|legal_?name|company_?name|entity_?name)$/i.test(name))
}

/** What text begins as. */
export function kindOfText(text: string): 'empty' | 'binary' | 'json' | 'table' {
  if (text.trim() === '') return 'empty'
  const controls = text.slice(0, textLookedAt).replace(noControls, '').length
  if (text.includes('\0') || controls > 0.01 * Math.min(text.length, textLookedAt)) return 'binary'
  return /^\s*[[{]/.test(text) ? 'json' : 'table'
}

const textLookedAt = 20_000

/** All but control characters and what bytes that are no text become. */
// eslint-disable-next-line no-control-regex
const noControls = /[^\0-\x08\x0b\x0e-\x1f\ufffd]/g
