import naicsTitles from './naics.json' with { type: 'json' }
import sic from './sic.json' with { type: 'json' }

/** 2022, at every level: two to six digits. */
const naicsLabels: ReadonlyMap<string, string> = new Map(Object.entries(naicsTitles))

/**
 * Four digits: the codes of 1987, of their groups (3530 is group 353) and of the SEC. Where these differ, the SEC's
 * wording is taken.
 */
const sicLabels: ReadonlyMap<string, string> = new Map(Object.entries(sic.titles))

/** The first two digits of a code. */
const sicMajorGroups = new Map(Object.entries(sic.majorGroups))
const sicDivisions = new Map(Object.entries(sic.divisions))

/** Codes that the SEC made up beside the scheme: what the group of their number is called says nothing of them. */
const outsideTheScheme = new Set(['8880', '8888'])

/** The label of a four-digit SIC code, or null where neither the scheme nor the SEC knows it. */
export function sicLabel(code: string): string | null {
  return sicLabels.get(code) ?? null
}

/** The division and the major group of a code; null for one that is in none. */
export function sicGroup(code: string): { division: string; majorGroup: string } | null {
  const group = outsideTheScheme.has(code) ? undefined : sicMajorGroups.get(code.slice(0, 2))
  if (group === undefined) return null
  return { division: sicDivisions.get(group.division) ?? '', majorGroup: group.title }
}

/** The title of a NAICS 2022 code of two to six digits, or null where the scheme has none. */
export function naicsLabel(code: string): string | null {
  return naicsLabels.get(code) ?? null
}

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
