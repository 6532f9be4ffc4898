import type { OutputColumn } from '../rules/columns.js'
import type { Input } from '../input/input.js'
import { csvCells, jsonMembersOf } from './answer-cells.js'
import { csvHeader, csvText, type CsvStyle } from './csv-text.js'
import { joinAnswers, type Answers } from './joined-rows.js'
import type { OutputSink } from './packed-output.js'

/** The user's cells as they are, then ours. */
export async function writeCsv(
  input: Pick<Input, 'columns' | 'textRows'>,
  columns: readonly OutputColumn[],
  answers: Answers,
  file: OutputSink,
  style: CsvStyle,
): Promise<void> {
  await file.write(csvHeader([...input.columns, ...columns.map(({ outputName }) => outputName)], style))
  for await (const { rows, answerLines } of joinAnswers(input.textRows(), answers)) {
    const whole = rows.map((row, index) => [...row, ...csvCells(answerLines[index] ?? '', columns)])
    await file.write(csvText(whole, style.delimiter))
  }
}

/** One object a line: the user's own text with our members before its last brace. */
export async function writeNdjson(
  input: Pick<Input, 'objectRows'>,
  columns: readonly OutputColumn[],
  answers: Answers,
  file: OutputSink,
): Promise<void> {
  await file.write('')
  for await (const { rows, answerLines } of joinAnswers(input.objectRows(), answers)) {
    const lines = rows.map((object, index) =>
      splice(object, jsonMembersOf(answerLines[index] ?? '', columns)),
    )
    await file.write(`${lines.join('\n')}\n`)
  }
}

function splice(object: string, members: string): string {
  if (members === '') return object
  const before = object.slice(0, object.lastIndexOf('}')).trimEnd()
  return `${before}${before.endsWith('{') && before.length === 1 ? '' : ','}${members}}`
}
