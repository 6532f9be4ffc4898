import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { escapeXml } from '../../../src/platform/xml.js'
import { findOffice, seenInOffice } from '../../support/office.js'
import { writeXlsx } from '../../support/xlsx-file.js'
import { newFolder } from '../output/support.js'

const folder = newFolder()
const office = findOffice()

const values = [
  0, 1, 7, -42, 2138, 102498, 5551234, 42013000, 942404110, 5551234567, 12.5, -0.25, 1234567.891,
]

/** Formats by which people show numbers that are names of something. */
const codes = [
  '"SC"000000',
  '00-0000000',
  '00000-0000',
  '[<=99999]00000;00000-0000',
  '[<=9999999]###-####;(###) ###-####',
  '000-00-0000',
  '000 000 000',
  '000\\ 000\\ 000\\ 00000',
  '"CHE-"000\\.000\\.000',
  '00\\.000\\.000"/"0000\\-00',
  '"HRB "0',
  '\\H\\R\\B\\ 0',
  '#-######',
  '0"-A"',
  '"DE"000000000;[Red]"DE"-000000000',
  '00000;-00000;;@',
  '_-"No. "0_-',
  '"FN "0"x";"neg "0;"none"',
  '"Yes";"Yes";"No"',
  '[$-409]"ID"0000',
  '[Blue]"ID"0000',
  '+00 000 0000',
  '0;"minus "0',
  '[>=1000]"K"0;"S"0',
  '"GB"General',
  '00.00',
  '*x00000',
  '0000-00-00',
  '00"."00',
]

/** Formats by which people show amounts. */
const amounts = [
  'General',
  '0',
  '0.00',
  '#,##0',
  '#,##0.00',
  '0.0%',
  '0.00E+00',
  '# ?/?',
  '#,##0.00 "€"',
  '[$€-407] #,##0.00',
  '"$"#,##0.00_);\\("$"#,##0.00\\)',
  '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
  '#\\ ##0',
  '#,##0 "Days"',
  '0.00" kg"',
  '0.0,,"M"',
  '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0',
  '#,##0;-#,##0;"none"',
  '000,000',
  ';;;',
  '0;-0;;@',
  '@',
]

const literal = fc.oneof(
  fc.constantFrom('"SC"', '"HRB "', '\\x', '-', ' ', '"-"', '\\.', '"/"', '(', ')', '_x', '"é"', '"12"', '+'),
)
const mask = fc.constantFrom(
  '0',
  '00',
  '000000',
  '#',
  '###',
  '##0',
  '000-000',
  '#-#',
  '00.0',
  '0.00',
  '#,##0',
)
const section = fc
  .tuple(fc.array(literal, { maxLength: 2 }), mask, fc.array(literal, { maxLength: 2 }))
  .map(([before, digits, after]) => `${before.join('')}${digits}${after.join('')}`)
const format = fc.oneof(
  section,
  fc.tuple(section, section).map((both) => both.join(';')),
  fc.tuple(section, section, section).map((all) => all.join(';')),
  fc
    .tuple(fc.constantFrom('[<100]', '[>=1000]', '[=7]'), section, section)
    .map(([c, a, b]) => `${c}${a};${b}`),
)

const generated = fc.sample(format, { numRuns: 400, seed: 7 })

/** Writes a column of the values for each format. */
function writeFormats(name: string, formats: readonly string[]): string {
  const header = formats.map((_, index) => `<c t="inlineStr"><is><t>c${index}</t></is></c>`)
  const rows = values.map(
    (value) => `<row>${formats.map((_, index) => `<c s="${index + 1}"><v>${value}</v></c>`).join('')}</row>`,
  )
  return writeXlsx(folder, name, {
    sheets: [{ name: 'Data', rows: `<row>${header.join('')}</row>${rows.join('')}` }],
    formats: Object.fromEntries(formats.map((code, index) => [200 + index, escapeXml(code)])),
    styles: [0, ...formats.map((_, index) => 200 + index)],
  })
}

async function readFormats(path: string) {
  const input = await openInput({ paths: [path], spoolFolder: join(folder, 'spool') })
  try {
    const rows: (readonly (string | null)[])[] = []
    for await (const batch of input.rows.texts()) rows.push(...batch)
    const notes = input.listNotes().join('\n')
    return { rows, isNamed: (index: number) => notes.includes(` "c${index}" (`) }
  } finally {
    await input.close()
  }
}

/** LibreOffice writes several spaces for the width of a character, and none between a sign and the number. */
const withSingleSpaces = (text: string) => text.trim().replaceAll(/ +/g, ' ').replace(/^- /, '-')

/** Digits, separators, signs, currencies: nothing that a number lacks. Zero may be hidden. */
const isPlain = (text: string, value: number) =>
  !/[^\s\d.,%+()\-\p{Sc}E]/u.test(text) && (text !== '' || Math.abs(value) < 0.5)

describe.skipIf(office === null)('what a spreadsheet program shows is read, or the column is named', () => {
  test.each([
    ['formats of identifiers', codes],
    ['formats of amounts', amounts],
    ['generated formats', generated],
  ])('%s', async (name, formats) => {
    const path = writeFormats(`${name.replaceAll(' ', '-')}.xlsx`, formats)
    const { rows, isNamed } = await readFormats(path)
    const csv = [...seenInOffice(office ?? '', path, folder).values()][0] ?? ''
    const shown = parse(csv).slice(1)
    const wrong = rows.flatMap((row, at) =>
      row.flatMap((read, column) => {
        const seen = withSingleSpaces(shown[at]?.[column] ?? '')
        const isStored = Number(read) === values[at]
        const isRight =
          withSingleSpaces(read ?? '') === seen ||
          (isStored && (isPlain(seen, values[at] ?? 0) || isNamed(column)))
        return isRight
          ? []
          : [`${formats[column] ?? ''} of ${values[at] ?? ''}: read ${read ?? ''}, shown ${seen}`]
      }),
    )
    expect(wrong).toEqual([])
    expect(shown).toHaveLength(values.length)
  })
})
