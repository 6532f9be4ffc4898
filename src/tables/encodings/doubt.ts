import { formatCount, plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import type { Reading } from './judge.js'
import { isMultiByte } from './names.js'
import { wordsBeyondAscii } from './plausible.js'
import type { ForeignLine, LineSurvey } from './survey.js'
import { decodeWindows1252 } from './decode.js'

/** Of the lines of a text of East Asia, so many may be UTF-8 by chance: short ones, of two bytes a character. */
const chanceShareMax = 0.1

/** Whether some lines of a file that are not UTF-8 stand among lines that are. */
export function isMixture(survey: LineSurvey, guess: string): boolean {
  if (survey.utf8Count === 0) return false
  const share = survey.utf8Count / (survey.utf8Count + survey.foreignCount)
  return !isMultiByte(guess) || survey.surelyUtf8Count > 0 || share > chanceShareMax
}

export function mixedEncodings(label: string, survey: LineSurvey): UserError {
  const { utf8Count, foreignCount, foreignLines } = survey
  const [first] = foreignLines
  const reads = first === undefined ? '' : `; as windows-1252, line ${first.line} has "${excerpt(first)}"`
  return new UserError(
    'INPUT_ENCODING_MIXED',
    `${label} is UTF-8 in ${plural(utf8Count, 'line')} with letters beyond ASCII and not in ${formatCount(foreignCount)}: ${places(survey)}${reads}`,
    {
      hint: 'mend these lines, or pass --encoding utf-8+windows-1252 to read them alone as windows-1252 and the others as UTF-8; --encoding latin1, or another, reads the whole file so',
    },
  )
}

export function unsureEncoding(label: string, survey: LineSurvey, readings: readonly Reading[]): UserError {
  const where = `${label} is not UTF-8 (${places(survey)})`
  if (readings.length === 0) {
    return new UserError('INPUT_ENCODING_UNSURE', `${where}, nor of any encoding that would be guessed`, {
      hint: 'pass --encoding (the README lists them), or convert the file to UTF-8',
    })
  }
  const choices = readings.map(({ encoding, excerpts }) => `${encoding}: ${quoted(excerpts)}`)
  return new UserError(
    'INPUT_ENCODING_UNSURE',
    `${where}, and too little of it tells its encoding. It may be ${choices.join('; ')}`,
    {
      hint: `pass the one that reads right: --encoding ${readings.map(({ encoding }) => encoding).join(', or ')}`,
    },
  )
}

export function guessNotice(label: string, { encoding, excerpts }: Reading): string {
  return `${label}: not UTF-8, guessed to be ${encoding}: it has ${quoted(excerpts)}. Pass --encoding if that reads wrong`
}

function places({ foreignCount, foreignLines }: LineSurvey): string {
  const numbers = foreignLines.map(({ line }) => String(line))
  const more = foreignCount > numbers.length ? ', …' : ''
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${more}`
}

const excerptCharsMax = 60

/** The cell in which the first letter beyond ASCII stands. */
function excerpt({ bytes }: ForeignLine): string {
  const cells = decodeWindows1252(bytes).split(/[,;|\t"]+/)
  return (cells.find((cell) => wordsBeyondAscii(cell).length > 0) ?? '').trim().slice(0, excerptCharsMax)
}

function quoted(excerpts: readonly string[]): string {
  return excerpts.map((text) => `"${text}"`).join(', ')
}
