import { parseName } from '../parsed-name.js'
import type { Reading } from './reading.js'

/** Payment companies write their mark before the merchant's name. */
const processorMark =
  /^(?:SQ|SQC|GOSQ\.COM|TST|PP|PAYPAL|PYPL|SP|PY|IC|WPY|ZTL|CKE|FSP|EZI|LSP|BT|ETSY\.COM|SUMUP|IZ|ZETTLE_?|STRIPE|KLARNA|NYX|PAR|CPI|CTLP|USA)\s?\*\s?(?=\S{2})/i
/** A store's number, and the town after it. */
const storeNumber = /\s+(?:#|F|T-|S|STORE\s+#?|[A-Z]?0)\d{2,}\b.*$|\s+\d{4,}\b.*$|_\d+$/i

/** Well-known merchants of which the statement of a card has another name than the register. */
const merchants: readonly (readonly [pattern: RegExp, name: string])[] = (
  [
    [
      'ama?zo?n(?:\\.com)?(?: ?mktp(?:l(?:ace)?)?| ?prime| ?digital|\\.com/bill|\\*|\\.co\\.uk)',
      'Amazon.com, Inc.',
    ],
    ['costco (?:whse|gas)', 'Costco Wholesale Corporation'],
    ['wal-?mart (?:super ?center|sc|\\.com|#|\\d)|wm super ?center|walmart\\.com', 'Walmart Inc.'],
    ['apple\\.com/(?:bill|us)|apple store', 'Apple Inc.'],
    ['google ?\\*', 'Google LLC'],
    ['msft ?\\*|microsoft ?\\*', 'Microsoft Corporation'],
    ['uber ?\\*|uber (?:trip|eats)', 'Uber Technologies, Inc.'],
    ['lyft ?\\*', 'Lyft, Inc.'],
    ['dd ?\\*? ?doordash.*|doordash ?\\*', 'DoorDash, Inc.'],
    ['netflix\\.com', 'Netflix, Inc.'],
    ['airbnb ?\\*', 'Airbnb, Inc.'],
    ['spotify (?:usa|uk|p[0-9a-f]+)', 'Spotify Technology S.A.'],
    ['wholefds', 'Whole Foods Market, Inc.'],
    ['homedepot\\.com|the home depot(?= ?#| \\d{4}|$)', 'The Home Depot, Inc.'],
    ["lowe'?s (?:#|\\d)", "Lowe's Companies, Inc."],
    ['bestbuycom|best ?buy (?:#|\\d{3})|best buy mht', 'Best Buy Co., Inc.'],
    ["mcdonald'?s [fm]\\d", "McDonald's Corporation"],
    ['starbucks (?:store|#|\\d)', 'Starbucks Corporation'],
    ['target (?:t-?\\d{3}|\\d{5}|\\.com)', 'Target Corporation'],
    ['cvs/?\\s?pharm(?:acy)?', 'CVS Health Corporation'],
    ['chipotle (?:online|\\d)', 'Chipotle Mexican Grill, Inc.'],
    ['southwes(?:t)? ?\\d{6}', 'Southwest Airlines Co.'],
    ['united ?\\d{6}', 'United Airlines, Inc.'],
    ['american air ?\\d', 'American Airlines, Inc.'],
    ['delta air ?\\d', 'Delta Air Lines, Inc.'],
    ['alaska air ?\\d', 'Alaska Airlines, Inc.'],
    ['att ?\\* ?bill|att\\*', 'AT&T Inc.'],
    ['vzwrlss|vzw ?webpay', 'Verizon Communications Inc.'],
    ['t-?mobile ?\\*', 'T-Mobile US, Inc.'],
    ['comcast cable comm', 'Comcast Corporation'],
    ['exxonmobil ?\\d|exxon ?\\d', 'Exxon Mobil Corporation'],
    ['oreilly auto', "O'Reilly Automotive, Inc."],
    ['tj ?maxx (?:#|\\d)', 'The TJX Companies, Inc.'],
  ] as const
).map(([pattern, name]) => [new RegExp(`^(?:${pattern})`, 'i'), name] as const)

const how = 'without what a card statement adds'
const numberWords = 'zero one two three four five six seven eight nine ten'.split(' ')

/** A line of the statement of a card: the merchant without the marks of payment companies and its store's number. */
export function readCardDescriptor(text: string): Reading[] {
  // Statements of cards leave legal forms out: "Target 20000 Limited" is a company.
  if ((parseName(text).formClass ?? 'company') !== 'company') return []
  const unmarked = text.replace(processorMark, '')
  const merchant = merchantOf(unmarked)
  if (merchant !== null)
    return [{ text: merchant, kind: 'whole', how: 'written out from a card statement', columnChars: null }]
  const isMarked = unmarked !== text
  const store = unmarked.replace(storeNumber, '')
  // "5 Korvans" for "Five Korvans".
  const written = store.replace(/^\d{1,2}(?=\s+\p{L}{3})/u, (digits) => numberWords[Number(digits)] ?? digits)
  if (written !== store) return [{ text: written, kind: 'mended', how, columnChars: null }]
  return isMarked ? [{ text: store, kind: 'whole', how, columnChars: null }] : []
}

/** Behind its mark a statement has a number or another mark, or nothing: "THE HOME DEPOT FOUNDATION" is a name. */
function merchantOf(text: string): string | null {
  const isMarked = /[*#\d/.]/.test(text)
  const isInCapitals = text === text.toUpperCase()
  const isLine = ([pattern]: (typeof merchants)[number]) =>
    isMarked ? pattern.test(text) : isInCapitals && pattern.exec(text)?.[0] === text
  return merchants.find(isLine)?.[1] ?? null
}
