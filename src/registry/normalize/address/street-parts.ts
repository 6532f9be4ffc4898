/** What a street line says besides the street. Both stand in the line as they are given here. */
export interface StreetParts {
  readonly streetNumber: string | null
  readonly subPremise: string | null
}

const unknownParts: StreetParts = { streetNumber: null, subPremise: null }

const streetCharsMax = 500

/** "Suite 200", "Unit 7", "Flat B", "Floor 8", "#12" */
const named = String.raw`(?:suite|ste|unit|apt|apartment|flat|room|rm|floor|fl|level|bus|bte)\b\.?\s*#?\s*(?:\d[\w-]*|[a-z]\d*)\b|#\s*\d[\w-]*`
const ordinal = String.raw`(?:\d{1,3}(?:st|nd|rd|th)|ground|lower ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)`
const floors = String.raw`(?:${ordinal}(?:\s*(?:&|and|-)\s*${ordinal})?\s+(?:floors?|fl)\b\.?)`
const subPremise = `(?:${floors}|${named})`

const leadingSubPremise = new RegExp(`^(${subPremise})(?:\\s+(?![-–&+/])|$)`, 'i')
const trailingSubPremise = new RegExp(`\\s(${subPremise})$`, 'i')

/** "41-51 Freshwater Road", "1a Shepherdess Walk"; what follows the number is the street. */
const leadingNumber =
  /^(\d{1,6}[a-z]?(?:\s?[-–/&]\s?\d{1,6}[a-z]?)?)\s+(?=.*\p{L}{2})(?!(?:st|nd|rd|th|floors?|of|and)\b)/iu
/** "Caffamacherreihe 8", "Banská 1120/4" */
const trailingNumber = /^(?=.*\p{L}{2})[^\d].*?\s(\d{1,5}\s?[a-z]?(?:\s?[-–/+&]\s?\d{1,5}\s?[a-z]?)?)$/iu
const bareNumber = /^\d{1,5}[a-z]?(?:\s?[-–/]\s?\d{1,5}[a-z]?)?$/i

/** Countries that write the number behind the street. */
const numberBehind = new Set(
  'AT BE BG BR CH CL CZ DE DK EE ES FI GR HR HU IS IT LI LT LV MX NL NO PL PT RO RS SE SI SK TR'.split(' '),
)

/** Not a street: its number is a box's, or somebody else's. */
const noStreet =
  /\b(?:p\.?\s?o\.?\s+box|post office box|postfach|box|c\/o|building|bldg|km|hwy|highway|route)\b/i

/**
 * Number and sub-premise of a street line as registers write it, each where the line leaves no doubt: two numbers
 * that may both be the street's give none. Never loses or changes text: the line itself stays as it is.
 */
export function streetPartsOf(street: string | null, countryCode: string | null): StreetParts {
  if (street === null || street.length > streetCharsMax) return unknownParts
  const numbers: string[] = []
  const subPremises: string[] = []
  const parts = street.split(',').map((part) => part.trim())
  for (const [at, part] of parts.entries()) {
    const rest = withoutSubPremises(part, subPremises)
    const number = numberOf(rest, { before: parts[at - 1], after: parts[at + 1] }, countryCode)
    if (number !== null) numbers.push(number)
  }
  return {
    streetNumber: numbers.length === 1 ? (numbers[0] ?? null) : null,
    subPremise: subPremises.length === 0 ? null : subPremises.join(', '),
  }
}

function withoutSubPremises(part: string, found: string[]): string {
  let rest = part
  const leading = leadingSubPremise.exec(rest)
  if (leading?.[1] !== undefined) {
    found.push(leading[1])
    rest = rest.slice(leading[0].length)
  }
  const trailing = trailingSubPremise.exec(rest)
  if (trailing?.[1] !== undefined) {
    found.push(trailing[1])
    rest = rest.slice(0, trailing.index)
  }
  return rest.trim()
}

function numberOf(
  part: string,
  { before, after }: { before: string | undefined; after: string | undefined },
  countryCode: string | null,
): string | null {
  if (noStreet.test(part)) return null
  const isBehind = countryCode !== null && numberBehind.has(countryCode)
  // "5, rue Guillaume Kroll"; "Via Roma, 21"
  if (bareNumber.test(part)) return isStreet(after) || (isBehind && isStreet(before)) ? part : null
  const leading = leadingNumber.exec(part)?.[1]
  if (leading !== undefined) return leading
  return isBehind ? (trailingNumber.exec(part)?.[1] ?? null) : null
}

function isStreet(part: string | undefined): boolean {
  return part !== undefined && /^\p{L}\D*$/u.test(part) && !noStreet.test(part)
}
