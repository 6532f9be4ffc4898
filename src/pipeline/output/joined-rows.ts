import { inputChanged } from '../input/input.js'
import type { AnswerLines } from './answer-lines.js'
import type { BasisWriter } from './basis-writer.js'
import { writerLimits } from './limits.js'

export interface Answers {
  readonly lines: AnswerLines
  readonly rowCount: number
  /** Where the basis of each answer goes besides, if it goes to a file of its own. */
  readonly basis: BasisWriter | null
  readonly signal?: AbortSignal | undefined
}

export interface JoinedBatch<Row> {
  readonly rows: readonly Row[]
  readonly answerLines: readonly string[]
}

/** Every row with its answer, in order, a few at a time: answers are heavy. Throws INPUT_CHANGED where there are not as many rows as there were. */
export async function* joinAnswers<Row>(
  batches: AsyncIterable<readonly Row[]>,
  answers: Answers,
): AsyncGenerator<JoinedBatch<Row>> {
  let first = 0
  for await (const batch of batches) {
    if (first + batch.length > answers.rowCount) throw inputChanged('the input')
    for (let start = 0; start < batch.length; start += writerLimits.answerRows) {
      const rows = batch.slice(start, start + writerLimits.answerRows)
      yield { rows, answerLines: await takeLines(answers, first, rows.length) }
      first += rows.length
    }
  }
  if (first !== answers.rowCount) throw inputChanged('the input')
}

/** Answer lines exactly as many as rows: a missing one would shift every row after it. Throws on abort. */
export async function takeLines(answers: Answers, first: number, count: number): Promise<readonly string[]> {
  answers.signal?.throwIfAborted()
  const lines = answers.lines.read(first, count)
  if (lines.length !== count)
    throw new Error(`${lines.length} answer lines for ${count} rows from row ${first}`)
  await answers.basis?.add(first, lines)
  return lines
}
