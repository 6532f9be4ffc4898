import { naicsLabel } from './naics-labels.js'
import { sicGroup, sicLabel } from './sic-labels.js'

/** From the widest to the narrowest: what a code says of a company's trade, in words. */
export interface IndustryPath {
  readonly sector: string | null
  readonly industry: string | null
  readonly subIndustry: string | null
}

/**
 * By NAICS where a code is known: sector, then industry group (subsector for a code of three or four digits), then
 * the code itself. Else by SIC: division, major group, code. Null where no code leads anywhere.
 */
export function industryPathOf(codes: {
  readonly sic: string | null
  readonly naics: string | null
}): IndustryPath | null {
  return naicsPath(codes.naics) ?? sicPath(codes.sic)
}

function naicsPath(code: string | null): IndustryPath | null {
  const sector = code === null ? null : naicsLabel(code.slice(0, 2))
  if (code === null || sector === null) return null
  const industryDigits = code.length > 4 ? 4 : 3
  return {
    sector,
    industry: code.length > 2 ? naicsLabel(code.slice(0, industryDigits)) : null,
    subIndustry: code.length > industryDigits ? naicsLabel(code) : null,
  }
}

function sicPath(code: string | null): IndustryPath | null {
  const label = code === null ? null : sicLabel(code)
  if (code === null || label === null) return null
  const group = sicGroup(code)
  return { sector: group?.division ?? null, industry: group?.majorGroup ?? null, subIndustry: label }
}
