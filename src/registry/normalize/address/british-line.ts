import { foldText } from '../normalize-name.js'
import { countryCodeOf } from '../../../core/countries.js'

/** The parts of an address of the United Kingdom; localities stand with the street. */
export interface BritishAddress {
  readonly street: string | null
  readonly city: string | null
  /** The county. */
  readonly region: string | null
  readonly postalCode: string | null
}

const lineCharsMax = 1_000

const postcode = /(?:^|\s)([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})$/i

const countries = new Set([
  'united kingdom',
  'england',
  'scotland',
  'wales',
  'northern ireland',
  'great britain',
  'uk',
  'gb',
])

/** Counties that addresses name, the historic and the short ones too, folded. */
const counties = new Set(
  `avon|bedfordshire|beds|berkshire|berks|buckinghamshire|bucks|cambridgeshire|cambs|cheshire|cleveland|cornwall|cumbria
county durham|co durham|derbyshire|devon|dorset|east sussex|east yorkshire|essex|gloucestershire|glos|greater london
greater manchester|hampshire|hants|hereford and worcester|herefordshire|hertfordshire|herts|humberside|isle of wight|kent
lancashire|lancs|leicestershire|leics|lincolnshire|lincs|merseyside|middlesex|middx|norfolk|north humberside
north yorkshire|northamptonshire|northants|northumberland|nottinghamshire|notts|oxfordshire|oxon|rutland|shropshire
somerset|south humberside|south yorkshire|staffordshire|staffs|suffolk|surrey|sussex|teesside|tyne and wear|tyne wear
warwickshire|west midlands|west sussex|west yorkshire|wiltshire|wilts|worcestershire|worcs|yorkshire|east lothian
midlothian|west lothian|lanarkshire|renfrewshire|ayrshire|fife|aberdeenshire|angus|argyll|berwickshire|caithness
dumfriesshire|dunbartonshire|inverness shire|kirkcudbrightshire|morayshire|perthshire|roxburghshire|stirlingshire
clwyd|dyfed|gwent|gwynedd|mid glamorgan|south glamorgan|west glamorgan|powys|pembrokeshire|carmarthenshire|ceredigion
conwy|denbighshire|flintshire|monmouthshire|vale of glamorgan|anglesey|county antrim|county armagh|county down
county fermanagh|county londonderry|county tyrone|co antrim|co armagh|co down|co fermanagh|co londonderry|co tyrone`.split(
    /[|\n]/,
  ),
)

/** A part that is plainly a street or a building, and no town. */
const streetLike =
  /\d|\b(?:road|rd|street|st|lane|avenue|ave|way|drive|close|court|house|square|place|crescent|terrace|park|estate|floor|building|buildings|wharf|row|gardens|grove|hill road)$/i

/**
 * "2 Guy Close, Stapleford, Nottingham, England, NG9 7GZ" in its parts: from the end postcode, country, county, town; what
 * is before is the street. Nothing is lost but the country and a part that stands twice in a row. Null for a line of one
 * part, which says nothing for certain, and for one of another country.
 */
export function readBritishLine(line: string): BritishAddress | null {
  const parts = partsOf(line.slice(0, lineCharsMax))
  const postalCode = takePostcode(parts)
  while (parts.length > 1 && countries.has(foldText(parts.at(-1) ?? ''))) parts.pop()
  const late = postalCode ?? takePostcode(parts)
  if (!isBritish(parts.at(-1))) return null
  const region = parts.length > 1 && counties.has(foldText(parts.at(-1) ?? '')) ? (parts.pop() ?? null) : null
  const last = parts.at(-1)
  if (last === undefined || (parts.length === 1 && region === null && late === null)) return null
  const city = streetLike.test(last) ? null : (parts.pop() ?? null)
  return { street: parts.length === 0 ? null : parts.join(', '), city, region, postalCode: late }
}

function isBritish(last: string | undefined): boolean {
  const countryCode = last === undefined ? null : countryCodeOf(last)
  return countryCode === null || countryCode === 'GB'
}

/** Without empty parts, and without one that only repeats the part before, in whatever case. */
function partsOf(line: string): string[] {
  const parts = line.split(',').map((part) => part.trim().replace(/\s+/g, ' '))
  return parts.filter((part, at) => part !== '' && part.toLowerCase() !== parts[at - 1]?.toLowerCase())
}

/** Takes the postcode off the last part. */
function takePostcode(parts: string[]): string | null {
  const last = parts.at(-1) ?? ''
  const found = postcode.exec(last)
  if (found?.[1] === undefined) return null
  const rest = last.slice(0, found.index).trim()
  if (rest === '') parts.pop()
  else parts[parts.length - 1] = rest
  return found[1].toUpperCase()
}
