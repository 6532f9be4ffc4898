/**
 * The columns that the rule before the present one took; it never changes. A lookup is known by what was asked, so
 * inputs that were asked by this rule would be billed anew under another (see `column-choice.ts`).
 */
const nameHeaders = (
  'companyname|company|legalname|organizationname|organisationname|organization|organisation|accountname|' +
  'businessname|entityname|firmname|employer|customername|vendorname|suppliername|name'
).split('|')
const locationHeaders = ['location', 'companylocation', 'headquarters', 'hq']
const placeHeaders = [
  ['city', 'town', 'companycity', 'billingcity', 'hqcity'],
  ['state', 'region', 'province', 'stateprovince', 'county', 'billingstate', 'hqstate'],
  ['country', 'countrycode', 'countryname', 'billingcountry', 'hqcountry'],
]

/** `Company Name`, `company_name` and `COMPANY-NAME` are one header; letters of every script count. */
export const spellingKey = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

/** Null where it found no name. */
export function earlierColumns(header: readonly string[]): { name: string; location: string[] } | null {
  const name = firstOf(header, nameHeaders)
  if (name === undefined) return null
  const whole = firstOf(header, locationHeaders)
  const parts = placeHeaders.map((keys) => firstOf(header, keys)).filter((column) => column !== undefined)
  return { name, location: whole === undefined ? parts : [whole] }
}

function firstOf(header: readonly string[], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = header.find((name) => spellingKey(name) === key)
    if (found !== undefined) return found
  }
  return undefined
}
