import { UserError } from './errors.js'

/** Which input columns make a lookup. */
export interface LookupColumns {
  name: string
  location: readonly string[]
  context: readonly string[]
}

/** Header names that hold a company's name, best first, as `headerKey` spells them. */
const nameHeaders = [
  'companyname',
  'company',
  'legalname',
  'organizationname',
  'organisationname',
  'organization',
  'organisation',
  'accountname',
  'businessname',
  'entityname',
  'firmname',
  'employer',
  'customername',
  'vendorname',
  'suppliername',
  'name',
]
const locationHeaders = ['location', 'companylocation', 'headquarters', 'hq']
const placeHeaders = [
  ['city', 'town', 'companycity', 'billingcity', 'hqcity'],
  ['state', 'region', 'province', 'stateprovince', 'county', 'billingstate', 'hqstate'],
  ['country', 'countrycode', 'countryname', 'billingcountry', 'hqcountry'],
]

/** `Company Name`, `company_name` and `COMPANY-NAME` are one header; letters of every script count. */
const headerKey = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

/**
 * The columns asked for, else the ones found by their headers.
 * Throws INPUT_COLUMN_MISSING when a named column is not there or no column holds names.
 */
export function detectColumns(
  header: readonly string[],
  asked: {
    name?: string | undefined
    location?: readonly string[] | undefined
    context?: readonly string[] | undefined
  },
): LookupColumns {
  return {
    name: asked.name === undefined ? findName(header) : findAsked(header, asked.name, '--name-column'),
    location:
      asked.location?.map((column) => findAsked(header, column, '--location-columns')) ??
      findLocation(header),
    context: asked.context?.map((column) => findAsked(header, column, '--context-columns')) ?? [],
  }
}

function findAsked(header: readonly string[], column: string, flag: string): string {
  const found =
    header.find((name) => name === column) ??
    header.find((name) => headerKey(name) === headerKey(column) && headerKey(name) !== '')
  if (found === undefined) {
    throw new UserError('INPUT_COLUMN_MISSING', `the input has no column "${column}" (${flag})`, {
      hint: `it has: ${list(header)}`,
    })
  }
  return found
}

function findName(header: readonly string[]): string {
  const found = firstOf(header, nameHeaders)
  if (found === undefined) {
    throw new UserError('INPUT_COLUMN_MISSING', 'no column holds company names', {
      hint: `pass --name-column; the input has: ${list(header)}`,
    })
  }
  return found
}

function findLocation(header: readonly string[]): string[] {
  const whole = firstOf(header, locationHeaders)
  if (whole !== undefined) return [whole]
  return placeHeaders.map((names) => firstOf(header, names)).filter((column) => column !== undefined)
}

function firstOf(header: readonly string[], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = header.find((name) => headerKey(name) === key)
    if (found !== undefined) return found
  }
  return undefined
}

const listedMax = 30
function list(header: readonly string[]): string {
  const names = header.slice(0, listedMax).map((name) => (name.length > 60 ? `${name.slice(0, 59)}…` : name))
  return names.join(', ') + (header.length > listedMax ? `, … (${header.length} in all)` : '')
}
