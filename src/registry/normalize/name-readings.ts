import { getOrCompute, foldText, listEverydayWords } from './normalize-name.js'
import { readNativeName, type Reading } from './native-scripts.js'
import { parseName } from './parsed-name.js'

/** Characters that scans confuse, each group mapped to one of them; pairs of letters first. */
const lookAlikes: readonly (readonly [pattern: RegExp, shape: string])[] = [
  [/rn/g, 'm'],
  [/ii/g, 'u'],
  [/vv/g, 'w'],
  [/[l1|]/g, 'i'],
  [/0/g, 'o'],
  [/5/g, 's'],
  [/[6q9]/g, 'g'],
  [/8/g, 'b'],
  [/e/g, 'c'],
  [/f/g, 't'],
]
const toShape = (word: string): string =>
  lookAlikes.reduce((shape, [pattern, letter]) => shape.replace(pattern, letter), word)

/** Shorter words are too similar to other words. */
const knownCharsMin = 5
const knownForms =
  'limited incorporated corporation company partnership gesellschaft aktiengesellschaft'.split(' ')
const knownWords = new Set(
  [...listEverydayWords(), ...knownForms].filter((word) => word.length >= knownCharsMin),
)
const byShape = new Map([...knownWords].map((word) => [toShape(word), word]))

const letterOfDigit: Readonly<Record<string, string>> = { 0: 'o', 5: 's', 6: 'g', 8: 'b' }
/** A word of at least three letters with one or two digits that resemble letters. */
const mixedWord = /^(?=(?:\P{L}*\p{L}){3})(?:\p{L}*[01568]){1,2}\p{L}*$/u
/** Numbers that belong to the name: "24hour", "Studio54", "Level8". */
const numberedWord = /^\d{2}|\d{2}$|[168]$/

/** Names share words. */
const repairedWordsMax = 5_000
const repairedWords = new Map<string, string>()
const getRepairedWord = (word: string): string =>
  getOrCompute(repairedWords, repairedWordsMax, word, repairWord)

function repairWord(word: string): string {
  // A lower-case L between capitals, or in "lnc", is an I.
  const upright = word.replace(/(?<=\p{Lu})l(?=\p{Lu})|^l(?=\p{Lu}{2}|nc\b)/gu, 'I')
  const lower = upright.toLowerCase()
  if (knownWords.has(lower)) return upright
  const known = byShape.get(toShape(lower))
  if (known !== undefined && /^[\p{L}\d]+$/u.test(lower)) return known
  const letters = mixedWord.test(upright) && !numberedWord.test(upright) ? replaceDigits(upright) : upright
  // Inside a word: "Hawaii" and "Kiinteisto" are right.
  return letters.replace(/(?<=\p{L}{2})ii(?!i)(?=\p{L})/gu, 'u')
}

const replaceDigits = (word: string): string =>
  word.replace(/[01568]/g, (digit) => letterOfDigit[digit] ?? (/\p{Ll}/u.test(word) ? 'l' : 'i'))

/** Two words of at least four letters, or a name and a legal form, that a scan has joined. */
const joinedWords = /(?<=\p{L}{3}\p{Ll})(?=\p{Lu}\p{Ll}{3})/gu
const joinedForm = /(?<=[\p{L}\d]{5})(?=(?:[Ll][Tt][Dd]|[Gg][Mm][Bb][Hh]|[Ll]imited|LIMITED|LLC)\b)/gu

/** Corrects errors of scans. Returns an empty list for a name without errors. */
function readScannedName(text: string): Reading[] {
  const split = text.replace(joinedForm, ' ').replace(joinedWords, ' ')
  const mended = split.replace(/[\p{L}\d|]+/gu, getRepairedWord)
  return mended === text
    ? []
    : [{ text: mended, kind: 'mended', how: 'with errors of a scan put right', columnChars: null }]
}

/** Abbreviations in lists of securities that `toCanonicalWord` does not expand: some of them are registered names. */
const words = new Map<string, string>(
  `advncd advanced, agricult agriculture, amern american, appld applied, assd assured, assur assurance,
  bancrp bancorp, bancshs bancshares, biopharm biopharmaceuticals, bkg banking, bldg building,
  bldrs builders, brdcst broadcasting, brdcstg broadcasting, cda canada, centy century,
  cmntys communities, commrl commercial, coml commercial, communs communications, comptr computer,
  cons consolidated, constr construction, constrn construction, contl continental, contls controls,
  ctls controls, ctrs centers, ctzns citizens, devlpmt development, diag diagnostics, distrg distributing,
  distrs distributors, diversifd diversified, drlg drilling, edl educational, educ education,
  electr electronics, electrs electronics, emerg emerging, engr engineering, engrd engineered,
  entmt entertainment, entmnt entertainment, envir environmental, environmentl environmental,
  environmtl environmental, eqty equity, exch exchange, expl exploration, fltg floating, fndtn foundation,
  fst first, glbl global, globl global, grwth growth, gty guaranty, hlth health, hlthcare healthcare,
  hlthcr healthcare, hosps hospitals, hsg housing, incm income, indl industrial, indpt independent,
  infra infrastructure, infrastr infrastructure, infrastrctre infrastructure, instl institutional,
  instrs instruments, interactv interactive, internatl international, invs investors, invst investment,
  ltg lighting, machs machines, machy machinery, matl material, matls materials, mchs machines,
  metr metropolitan, mfd manufactured, mfr manufacturer, mng mining, mtls materials, mtn mountain,
  mtr motor, mtrs motors, mun municipal, mut mutual, nat national, netwk network, netwrk network,
  northn northern, ntwk network, offshr offshore, oppor opportunity, oppty opportunity, opp opportunity,
  pac pacific, packg packaging, pharmactcl pharmaceutical, pipeln pipeline, pkg packaging,
  prodtn production, prtnrs partners, pubg publishing, regl regional, resh research, rtl retail,
  ry railway, rys railways, scientfc scientific, scientifc scientific, secs securities,
  semicndtr semiconductor, semicond semiconductor, sftwr software, softwre software, solutns solutions,
  southn southern, southwestn southwestern, southwst southwest, spl special, splty specialty,
  std standard, stl steel, strs stores, subn suburban, surg surgical, technlgy technology,
  technol technology, tel telephone, telecommunicatns telecommunications, teleph telephone,
  therapeutcs therapeutics, therap therapeutics, transn transportation, transprt transport,
  transpt transport, travelctrs travelcenters, utd united, utils utilities, vy valley, westn western,
  whsl wholesale, whse warehouse, wireles wireless, wks works, wldwd worldwide, worldwd worldwide,
  wstn western, wtr water, wtrs waters`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** Title of the class after the issuer: "COM", "SHS NEW", "SPONSORED ADR", "CL A". Lists use capitals. */
const classTitle =
  /\s+(?:(?:SPON(?:SORED)? )?(?:COM|COMMON|SHS|ORD|AD[RS]|STK|SH BEN INT|UNIT LTD PARTN?)\b(?: (?:SHS|STK|NEW|CL [A-Z]|PAR|UNIT))*|CL [A-C](?: (?:COM|SHS|NEW|STK))*)$/
/** Width of names in the SEC's list of 13(f) securities. */
const issuerChars = 28
/** A truncated legal form. */
const formPiece = / (?:I|IN|L|LT|C|CO|COR)$/

/** Reads an issuer from a list of securities: without the class, abbreviations expanded. */
function readSecurityName(text: string): Reading[] {
  const issuer = text.replace(classTitle, '')
  const isFull = issuer.length === issuerChars || issuer.length === issuerChars - 1
  const head = isFull ? issuer.replace(formPiece, '') : issuer
  const folded = foldText(head)
  const written = folded.split(' ').map((word) => words.get(word) ?? word)
  const isAbbreviated = written.join(' ') !== folded
  if (!isAbbreviated && head === text) return []
  // Not folded if possible: legal forms may need their punctuation.
  const name = isAbbreviated ? written.join(' ') : head
  const columnChars = isFull ? issuerChars + name.length - head.length : null
  const how = isAbbreviated ? 'with abbreviations written out' : 'without the class of the security'
  return [{ text: name, kind: isAbbreviated || isFull ? 'whole' : 'security', how, columnChars }]
}

/** Payment companies put a mark before the merchant's name. */
const processorMark =
  /^(?:SQ|SQC|GOSQ\.COM|TST|PP|PAYPAL|PYPL|SP|PY|IC|WPY|ZTL|CKE|FSP|EZI|LSP|BT|ETSY\.COM|SUMUP|IZ|ZETTLE_?|STRIPE|KLARNA|NYX|PAR|CPI|CTLP|USA)\s?\*\s?(?=\S{2})/i
/** A store number, and the town after it. */
const storeNumber = /\s+(?:#|F|T-|S|STORE\s+#?|[A-Z]?0)\d{2,}\b.*$|\s+\d{4,}\b.*$|_\d+$/i

/** Well-known merchants with another name on card statements than in the register. */
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

/** Reads a merchant from a line of a card statement, without payment marks and store number. */
function readCardDescriptor(text: string): Reading[] {
  // Card statements have no legal forms: "Target 20000 Limited" is a company.
  if ((parseName(text).formClass ?? 'company') !== 'company') return []
  const unmarked = text.replace(processorMark, '')
  const merchant = findMerchant(unmarked)
  if (merchant !== null)
    return [{ text: merchant, kind: 'whole', how: 'written out from a card statement', columnChars: null }]
  const isMarked = unmarked !== text
  const store = unmarked.replace(storeNumber, '')
  // "5 Korvans" for "Five Korvans".
  const written = store.replace(/^\d{1,2}(?=\s+\p{L}{3})/u, (digits) => numberWords[Number(digits)] ?? digits)
  if (written !== store) return [{ text: written, kind: 'mended', how, columnChars: null }]
  return isMarked ? [{ text: store, kind: 'whole', how, columnChars: null }] : []
}

/** After the merchant, a statement has a number, another mark, or nothing: "THE HOME DEPOT FOUNDATION" is a name. */
function findMerchant(text: string): string | null {
  const isMarked = /[*#\d/.]/.test(text)
  const isInCapitals = text === text.toUpperCase()
  const isLine = ([pattern]: (typeof merchants)[number]) =>
    isMarked ? pattern.test(text) : isInCapitals && pattern.exec(text)?.[0] === text
  return merchants.find(isLine)?.[1] ?? null
}

/** Abbreviated words of German and Austrian banks in lists of bank codes, longer ones first. */
const bankWords = [
  ['kr[. -]*spk|krspk|ksk', 'Kreissparkasse'],
  ['st(?:adt)?[. -]*spk|stspk|ssk', 'Stadtsparkasse'],
  ['ver[. -]+spk|vspk', 'Vereinigte Sparkassen'],
  ['bausp[k]?|bsk', 'Bausparkasse'],
  ['spk|sparkas', 'Sparkasse'],
  ['raiff?[. -]*vb', 'Raiffeisen-Volksbank'],
  ['vb[. -]*raiff?(?:bk)?|v\\+rb', 'Volksbank Raiffeisenbank'],
  ['raiff?[. -]*(?:bk|bank)|raiba|raika|^rb', 'Raiffeisenbank'],
  ['raiff', 'Raiffeisen'],
  ['volksbk|vobk|voba|vb', 'Volksbank'],
  ['geno(?:ss)?[. -]*bk', 'Genossenschaftsbank'],
  ['hyp[. -]*bk|hypobk', 'Hypothekenbank'],
  ['gz', 'Girozentrale'],
  ['ld?bk|^lb', 'Landesbank'],
  ['bk', 'Bank'],
] as const

/** Nearly no name has one of them: this test is fast, the patterns are not. */
const hasBankWord = new RegExp(bankWords.map(([pattern]) => pattern).join('|'), 'i')
const bankPatterns = bankWords.map(
  ([pattern, word]) => [new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})\\b\\.?`, 'giu'), word] as const,
)

const bankMark = /bank|kasse/i
const landBank = /(?<![\p{L}\p{N}])ldbk(?!\p{L})/iu

/** Expands "Kr Spk Rhein-Hunsrück", also without the town that lists append. */
function readBankName(text: string): Reading[] {
  if (!hasBankWord.test(text)) return []
  const writeOut = (from: string) =>
    bankPatterns.reduce((name, [pattern, word]) => name.replace(pattern, word), from)
  const texts = landBank.test(text)
    ? [writeOut(text), writeOut(text.replace(landBank, 'Landbank'))]
    : [writeOut(text)]
  return texts
    .filter((name) => name !== text)
    .flatMap((name): Reading[] => {
      const head = removeTown(name)
      const how = 'with abbreviations written out'
      const whole: Reading = { text: name, kind: 'whole', how, columnChars: null }
      return head === null
        ? [whole]
        : [whole, { text: head, kind: 'site', how: `${how} and without the town`, columnChars: null }]
    })
}

/** Removes the last word if the rest is still distinctive, unlike "VB im Korvental". */
function removeTown(name: string): string | null {
  const head = name.split(' ').slice(0, -1)
  const isTold = head.some((word) => word.length >= 4 && !bankMark.test(word))
  return isTold && head.some((word) => bankMark.test(word)) ? head.join(' ') : null
}

/** Each reading costs as much to compare as the name. */
const readingsMax = 4

/** Returns alternative readings of a name, the most reliable first. */
export function listReadings(text: string): Reading[] {
  return [
    ...readNativeName(text),
    ...readCardDescriptor(text),
    ...readVendorLine(text),
    ...readBankName(text),
    ...readSecurityName(text),
    ...readScannedName(text),
  ].slice(0, readingsMax)
}

/** A letter and a number before the name. Digits without a letter may be the name: "1234567 Ontario Inc". */
const numberBefore = /^\*?\s*[A-Z]\d{5,8}\s+(?=\p{Lu})/u
/** A number after the name. */
const numberAfter = /(?<=\p{Lu})\s+\d{6,10}$/u
const hasLowerCase = /\p{Ll}/u
/** Usual widths of name columns after a vendor number. */
const columnWidths = [30, 35, 40]
/** Shorter names are rarely truncated for a number. */
const cutNameCharsMin = 20

/** Reads a line of a vendor list in capitals without the vendor number. */
function readVendorLine(text: string): Reading[] {
  if (hasLowerCase.test(text)) return []
  const rest = text.replace(numberBefore, '')
  const name = rest.replace(numberAfter, '')
  if (name === text || name.length < 2) return []
  // A number in the same column after the name: the name may have been truncated for it.
  const columnChars =
    name === rest
      ? (columnWidths.find((width) => width === name.length || width === name.length + 1) ?? null)
      : name.length < cutNameCharsMin
        ? null
        : name.length
  return [{ text: name, kind: 'whole', how: "without the vendor's number", columnChars }]
}
