import { identifierOfCells, type ColumnSamples } from './column-content.js'
import { placeColumns, type LookupColumns } from './detect-columns.js'
import { headerKey, headerKeys } from './header-key.js'
import { wholePlaceHeaders } from './place-headers.js'

/** Columns by what they are asked for, and those that look like a place or an identifier and are not asked. */
export interface ColumnReport extends LookupColumns {
  unused: readonly { column: string; kind: string }[]
}

const identifierHeaders: readonly [kind: string, keys: readonly string[]][] = [
  ['LEI', headerKeys('lei|lei code|legal entity identifier|lei number')],
  ['CIK', headerKeys('cik|cik code|cik number|central index key')],
  ['DUNS', headerKeys('duns|duns number|duns no|d u n s number|duns id')],
  ['ISIN', headerKeys('isin|isin code')],
  ['ticker', headerKeys('ticker|ticker symbol|stock symbol|stock ticker|symbol')],
  ['BIC', headerKeys('bic|bic code|swift|swift code|bic swift|swift bic')],
  ['EIN', headerKeys('ein|fein|employer identification number|federal tax id')],
  [
    'VAT number',
    headerKeys(
      'vat|vat number|vat id|vat no|vat registration number|vat reg no|tax id|tax number|tax id number',
      'USt-IdNr|UStID|Umsatzsteuer ID|EU UStID|numéro de TVA|TVA|n TVA|TVA intracommunautaire|partita iva|p iva|piva|nif|cif|nip',
      'btw nummer|btw|momsnummer|moms|kdv|vergi no|vergi numarası|dič|dic|ИНН',
    ),
  ],
  [
    'company number',
    headerKeys(
      'company number|company registration number|registration number|company reg no|crn|reg no|registration no',
      'registration id|company id number|Handelsregisternummer|Handelsregister|HRB|Registernummer|siren|siret',
      'company no|companies house number|registered number|business registration number|HRB Nr|HRB Nummer|HR Nummer|rcs',
      'numéro siren|numéro siret|kvk|kvk nummer|ondernemingsnummer|orgnr|organisationsnummer|organisasjonsnummer|org nr',
      'cvr|cvr nummer|y tunnus|ičo|krs|regon|cnpj|cui|огрн|法人番号|统一社会信用代码|사업자등록번호|abn|acn|uen|cin',
    ),
  ],
  [
    'website',
    headerKeys(
      'website|web site|web|url|homepage|home page|web page|company website|webseite|internet|site web|site internet',
      'sitio web|página web|sito web|sito|strona www|www|hemsida|nettside|verkkosivu|сайт|ホームページ|网站|홈페이지',
    ),
  ],
  ['domain', headerKeys('domain|company domain|company domain name|domain name|web domain|website domain')],
  [
    'e-mail',
    headerKeys(
      'email|e-mail|email address|emailaddress|mail|company email|courriel|correo|correo electrónico|e-posta',
    ),
  ],
]
const kindsOfHeaders = new Map(
  identifierHeaders.flatMap(([kind, keys]) => keys.map((key) => [key, kind] as const)),
)
/** Words before a kind that say whose it is: `Account DUNS`, `Supplier VAT No`. */
const owners =
  /^(?:company|account|customer|client|vendor|supplier|partner|business|billing|primary|main)(?=.)/
const kindOfHeader = (key: string): string | undefined =>
  kindsOfHeaders.get(key) ?? kindsOfHeaders.get(key.replace(owners, ''))

const partNames = {
  city: 'city',
  region: 'region',
  postal: 'postal code',
  country: 'country',
  address: 'address',
}

/** What each column is asked for, and which others look as if they could help. */
export function reportColumns(
  header: readonly string[],
  used: LookupColumns,
  samples: ColumnSamples,
): ColumnReport {
  const taken = new Set([used.name, ...used.location, ...used.context])
  const places = new Map(placeColumns(header, samples).map(({ column, part }) => [column, partNames[part]]))
  const kindOf = (column: string): string | undefined => {
    const key = headerKey(column)
    return (
      places.get(column) ??
      (wholePlaceHeaders.includes(key) ? 'place' : undefined) ??
      kindOfHeader(key) ??
      identifierOfCells(samples.get(column) ?? []) ??
      undefined
    )
  }
  const unused = header.flatMap((column) => {
    const kind = taken.has(column) ? undefined : kindOf(column)
    return kind === undefined ? [] : [{ column, kind }]
  })
  return { ...used, unused }
}

const namedMax = 10
const columnCharsMax = 60

/** In one line or two: what is asked from where, and what is not. */
export function columnLines({ name, location, context, unused }: ColumnReport): string[] {
  const named = (columns: readonly string[]) => columns.map(short).join(', ')
  const asked = [
    `name from ${short(name)}`,
    location.length === 0 ? 'no location' : `location from ${named(location)}`,
    ...(context.length === 0 ? [] : [`context from ${named(context)}`]),
  ]
  if (unused.length === 0) return [asked.join('; ')]
  const rest = unused.length > namedMax ? ` and ${unused.length - namedMax} more` : ''
  const others = unused.slice(0, namedMax).map(({ column, kind }) => `${short(column)} (${kind})`)
  return [
    asked.join('; '),
    `not used: ${others.join(', ')}${rest}; --location-columns and --context-columns choose others`,
  ]
}

const short = (column: string): string => {
  // eslint-disable-next-line no-control-regex -- a header may hold anything; a terminal must not
  const text = column.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  return text.length > columnCharsMax ? `${text.slice(0, columnCharsMax - 1)}…` : text
}
