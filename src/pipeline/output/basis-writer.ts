import { inputChanged, type TextRow } from '../input/input.js'
import { basisCells, basisFileColumns, csvBasisRow, type BasisCells } from './answer-cells.js'
import { csvHeader, csvText, type CsvStyle } from './csv-text.js'
import type { OutputSink } from './packed-output.js'

/** Where the lines of the basis go. */
export interface BasisTarget {
  add(rows: readonly BasisCells[]): Promise<void>
}

/** Below a header, which is written first. */
export async function csvBasis(sink: OutputSink, style: CsvStyle): Promise<BasisTarget> {
  await sink.write(csvHeader(basisFileColumns, style))
  return { add: (rows) => sink.write(csvText(rows.map(csvBasisRow), style.delimiter)) }
}

/** Writes the basis while the output is written; names come from a reading of the input beside it. */
export class BasisWriter {
  /** Lines below the header. */
  lineCount = 0
  private readonly names: AsyncIterator<readonly TextRow[]>
  private ahead: readonly TextRow[] = []

  constructor(
    private readonly target: BasisTarget,
    nameRows: AsyncIterable<readonly TextRow[]>,
  ) {
    this.names = nameRows[Symbol.asyncIterator]()
  }

  async add(first: number, answerLines: readonly string[]): Promise<void> {
    const names = await this.take(answerLines.length)
    const rows = answerLines.flatMap((line, index) =>
      basisCells(line, first + index + 1, names[index]?.[0] ?? null),
    )
    this.lineCount += rows.length
    if (rows.length > 0) await this.target.add(rows)
  }

  /** Closes the input, also where it was not read to its end. */
  async end(): Promise<void> {
    await this.names.return?.()
  }

  private async take(count: number): Promise<readonly TextRow[]> {
    while (this.ahead.length < count) {
      const next = await this.names.next()
      if (next.done === true) throw inputChanged('the input')
      this.ahead = [...this.ahead, ...next.value]
    }
    const taken = this.ahead.slice(0, count)
    this.ahead = this.ahead.slice(count)
    return taken
  }
}
