import { format as formatValue, tokenize, tokenTypes, type FormatToken } from 'numfmt'
import { parseDateKind, type CellStyle, type ShowValue } from './cells.js'

/** Longest format that Excel accepts, in characters. Longer ones are read as numbers. */
const codeCharsMax = 255

/** Returns what a number format makes of a cell. */
export function parseStyle(code: string): CellStyle {
  const kind = parseDateKind(code)
  if (kind !== null) return { kind, format: code, show: null }
  if (code.length > codeCharsMax) return { kind: 'number', format: code, show: null }
  const sections = splitSections(code)
  const texts = createTextReader(sections.text)
  const numbers = sections.numbers.map(describeSection)
  const isCode = isShownAsText(numbers)
  const show = createNumberReader(code, numbers, isCode)
  return {
    kind: isCode ? 'code' : 'number',
    format: code,
    show:
      show === null && texts === null
        ? null
        : (value) => (typeof value === 'string' ? (texts?.(value) ?? null) : (show?.(value) ?? null)),
  }
}

interface Sections {
  /** At most three: positive, negative and zero, or those of conditions. */
  readonly numbers: readonly (readonly FormatToken[])[]
  /** For cells with text; `null` if the format has none. */
  readonly text: readonly FormatToken[] | null
}

function splitSections(code: string): Sections {
  const sections: FormatToken[][] = [[]]
  for (const token of tokenize(code)) {
    if (token.type === tokenTypes.BREAK) sections.push([])
    else sections.at(-1)?.push(token)
  }
  const isText = sections.length > 3 || sections.at(-1)?.some(({ type }) => type === tokenTypes.TEXT) === true
  const text = isText ? (sections[3] ?? sections.at(-1) ?? null) : null
  return { numbers: sections.filter((section) => section !== text).slice(0, 3), text }
}

interface Section {
  /** `none`: no digits; `amount`: digits of a value; `code`: digits of an identifier. */
  readonly digits: 'none' | 'amount' | 'plain' | 'code'
  readonly isGeneral: boolean
  readonly decimalCount: number
  readonly hasText: boolean
  readonly hasCondition: boolean
  /** Shows digits in a way that is not compared: fractions, other numerals, an invalid format. */
  readonly isUnclear: boolean
}

const { STRING, ESCAPED, CHAR, DIGIT, SPACE, PLUS, MINUS, PAREN, COMMA } = tokenTypes
const { ZERO, HASH, QMARK, GROUP, SCALE, PERCENT, EXP, ERROR, DBNUM, NATNUM, SLASH } = tokenTypes

const digitTypes: ReadonlySet<string> = new Set([ZERO, HASH, QMARK])
const literalTypes = new Set([STRING, ESCAPED, CHAR, DIGIT, SPACE, PLUS, MINUS, PAREN, COMMA])
const scaleTypes: ReadonlySet<string> = new Set([GROUP, SCALE, PERCENT, EXP])
const unclearTypes: ReadonlySet<string> = new Set([ERROR, DBNUM, NATNUM, SLASH])

/** `tokens` are of the section at `index`: the first is for positive numbers, others may have a sign or a dash. */
function describeSection(tokens: readonly FormatToken[], index: number): Section {
  const places = [...tokens.keys()].filter((place) => digitTypes.has(tokens[place]?.type ?? ''))
  const has = (types: ReadonlySet<string>) => tokens.some(({ type }) => types.has(type))
  const isGeneral = tokens.some(({ type }) => type === tokenTypes.GENERAL)
  const points = [...tokens.keys()].filter((place) => tokens[place]?.type === tokenTypes.POINT)
  const [first = 0, last = 0, point = tokens.length] = [places[0], places.at(-1), points[0]]
  const wholeDigits = tokens.slice(0, point).filter(({ type }) => digitTypes.has(type))
  const isPadded = wholeDigits.filter(({ type }) => type === ZERO).length > 1
  const inner = tokens.slice(first, last).flatMap((token, at) => (isLiteral(token) ? [first + at] : []))
  const hasText = hasVisibleText(tokens, index)
  const isSplit = inner.length > 0 && (isPadded || !isGrouping(tokens, inner, last))
  const isAmount = has(scaleTypes) || has(unclearTypes) || points.length > 1
  const isUnclear =
    has(unclearTypes) || points.length > 1 || tokens.some(isOtherNumerals) || (isPadded && isAmount)
  const isDecimal = points.length > 0
  const isCode = isPadded || isSplit || (hasText && !isDecimal)
  const digits =
    places.length === 0 && !isGeneral
      ? 'none'
      : isAmount || (isDecimal && !isPadded)
        ? 'amount'
        : isCode
          ? 'code'
          : 'plain'
  const decimalCount = places.filter((place) => place > point).length
  const hasCondition = tokens.some(({ type }) => type === tokenTypes.CONDITION)
  return { digits, isGeneral, decimalCount, hasText, hasCondition, isUnclear }
}

const isLiteral = ({ type }: FormatToken) => literalTypes.has(type)

/** Digits of other scripts: `[$-D000000]`. */
const isOtherNumerals = ({ type, raw }: FormatToken) =>
  type === tokenTypes.LOCALE && /-[0-9a-f]{7,}\]$/i.test(raw)

/** Returns whether literals only separate thousands: `#\ ##0`. */
function isGrouping(tokens: readonly FormatToken[], inner: readonly number[], last: number): boolean {
  const isSeparator = inner.every((place) => /^[ .'’\u00a0\u2009\u202f]$/.test(String(tokens[place]?.value)))
  const tail = tokens.slice((inner.at(-1) ?? 0) + 1, last + 1).map(({ raw }) => raw)
  return isSeparator && /^##0(?:\.|$)/.test(tail.join(''))
}

/** Returns whether literals are more than spaces, a currency and signs. */
function hasVisibleText(tokens: readonly FormatToken[], index: number): boolean {
  let run = ''
  const runs: string[] = []
  for (const token of tokens) {
    if (isLiteral(token)) run += String(token.value)
    else if (token.type !== tokenTypes.SKIP && token.type !== tokenTypes.FILL) {
      runs.push(run)
      run = ''
    }
  }
  const isText = index === 0 ? /[^\s+]/ : /[^\s+()-]/
  return [...runs, run].some((text) => isText.test(text) && !/\p{Sc}/u.test(text))
}

/**
 * Returns whether cells are read as text: identifiers with leading zeros or literals, and words for numbers. An amount
 * in any section makes the column one of numbers.
 */
function isShownAsText(sections: readonly Section[]): boolean {
  if (sections.some(({ digits, isUnclear }) => digits === 'amount' || isUnclear)) return false
  if (sections.some(({ digits }) => digits === 'code')) return true
  return sections.every(({ digits }) => digits === 'none') && sections.some(({ hasText }) => hasText)
}

/** Returns `null` if the format adds nothing that is missing in the number. */
function createNumberReader(
  code: string,
  sections: readonly Section[],
  isCode: boolean,
): ((value: number) => ReturnType<ShowValue>) | null {
  const isBlank = sections.length > 0 && sections[0]?.digits === 'none'
  const isNoted = isBlank || sections.length === 0 || sections.some((each) => each.hasText || each.isUnclear)
  if (!isCode && !isNoted) return null
  const isUnclear = sections.some((each) => each.isUnclear)
  const decimalCount = Math.min(
    ...sections.filter((each) => each.digits === 'code').map((each) => each.decimalCount),
  )
  const isGeneral = sections.some((each) => each.isGeneral)
  const hasCondition = sections.some((each) => each.hasCondition)
  return (value) => {
    const text = formatShown(code, value)
    if (text === null) return { text: '', isRead: false }
    const isWhole = isGeneral
      ? Number(formatShown('General', Math.abs(value))) === Math.abs(value)
      : decimalCount === Infinity || Number(value.toFixed(decimalCount)) === Number(value.toPrecision(15))
    // Programs differ in the sign of a negative number in a section with a condition.
    const isSure = isWhole && text !== '' && !(hasCondition && value < 0)
    if (isCode && isSure) return { text, isRead: true }
    const isSeen = isCode || isUnclear || /[^\s\d.,+()%E-]/.test(text) || (text === '' && value !== 0)
    return isSeen ? { text, isRead: false } : null
  }
}

/** Formats a number as Excel shows it, without outer spaces. Returns `null` for an invalid format. */
function formatShown(code: string, value: number): string | null {
  try {
    return formatValue(code, value, { locale: 'en' }).trim()
  } catch {
    return null
  }
}

/** Returns `null` if the section adds no visible text to the text of a cell. */
function createTextReader(
  section: readonly FormatToken[] | null,
): ((value: string) => ReturnType<ShowValue>) | null {
  if (section === null || (isTextShown(section) && !hasVisibleText(section, 0))) return null
  const isRead = isTextShown(section)
  return (value) => {
    const parts = section.map((token) =>
      token.type === tokenTypes.TEXT ? value : isLiteral(token) ? String(token.value) : '',
    )
    return { text: parts.join(''), isRead }
  }
}

const isTextShown = (section: readonly FormatToken[]) => section.some(({ type }) => type === tokenTypes.TEXT)
