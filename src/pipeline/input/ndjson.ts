import { UserError } from '../../core/errors.js'
import { jsonMembers, unquote } from '../../core/json-members.js'
import { tableLimits } from '../../tables/limits.js'
import { tooManyColumns } from '../../tables/file-error.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { fileBytes } from '../../tables/bytes.js'
import { readArray } from '../../tables/json-array.js'
import { readLines } from '../../tables/ndjson-lines.js'
import type { SourceFile } from './sources.js'
import { typedJson } from './typed-cells.js'
import {
  inBatches,
  type CellRow,
  type CellType,
  type InputTable,
  type MemberRows,
  type TextRow,
} from './table.js'
import { openText, type TextSource } from '../../tables/text-source.js'
import { isSafeNumber } from 'lossless-json'

export interface NdjsonOptions {
  readonly encoding?: Encoding | undefined
  readonly rowsMax?: number | undefined
  /** Files whose rows are read; all of them if left out. Of all, the columns are known. */
  readonly chosen?: ReadonlySet<SourceFile> | undefined
}

/** One or several files of NDJSON as one table. */
export function openNdjson(files: readonly SourceFile[], options: NdjsonOptions): Promise<InputTable> {
  return openObjects(files, options, readLines)
}

/** One or several files of a JSON array each as one table; values are what they are in NDJSON. */
export function openJson(files: readonly SourceFile[], options: NdjsonOptions): Promise<InputTable> {
  return openObjects(files, options, readArray)
}

/** The objects of a text, each on a line of JSON without a break; checked if that is wanted. */
type ObjectReader = (text: TextSource, check: boolean) => AsyncGenerator<readonly string[]>

/**
 * Opening reads the files whole: only then are the columns (the union of keys, in order of first appearance) and their
 * types known, and every object seen to be valid.
 */
async function openObjects(
  files: readonly SourceFile[],
  options: NdjsonOptions,
  reader: ObjectReader,
): Promise<InputTable> {
  const texts: TextSource[] = []
  for (const file of files) texts.push(await openText(fileBytes(file.path, file.label), options.encoding))
  const tallies = new Map<string, ColumnTally>()
  const objects = (from: readonly TextSource[], check: boolean) =>
    objectsOf(from, reader, options.rowsMax, check)
  for await (const lines of objects(texts, true)) {
    for (const line of lines) tally(line, tallies)
    if (tallies.size > tableLimits.columnsMax)
      throw tooManyColumns(texts.map(({ label }) => label).join(', '))
  }
  if (tallies.size === 0) {
    const labels = texts.map(({ label }) => label).join(', ')
    throw new UserError('INPUT_NO_ROWS', `${labels} holds no object with a key`, {
      hint: 'there is nothing to look up',
    })
  }
  const types = new Map([...tallies].map(([name, { type }]) => [name, type]))
  const chosen = texts.filter((_, index) => options.chosen?.has(files[index] as SourceFile) ?? true)
  return new ObjectTable(texts, types, (isSample) => objects(isSample ? texts : chosen, false))
}

function objectsOf(
  texts: readonly TextSource[],
  reader: ObjectReader,
  rowsMax: number | undefined,
  check: boolean,
): AsyncGenerator<readonly string[]> {
  const all = async function* () {
    for (const text of texts) yield* reader(text, check)
  }
  return inBatches(all(), rowsMax)
}

function tally(line: string, tallies: Map<string, ColumnTally>): void {
  for (const { key, raw } of jsonMembers(line)) {
    let column = tallies.get(key)
    if (column === undefined) tallies.set(key, (column = new ColumnTally()))
    column.add(raw)
  }
}

class ObjectTable implements InputTable {
  readonly delimiter = null
  readonly sheetName = null

  constructor(
    private readonly texts: readonly TextSource[],
    private readonly types: ReadonlyMap<string, CellType>,
    private readonly objects: (isSample: boolean) => AsyncGenerator<readonly string[]>,
  ) {}

  get columns(): readonly string[] {
    return [...this.types.keys()]
  }

  async *textRows(columns: readonly string[], isSample = false): AsyncGenerator<readonly TextRow[]> {
    const positions = new Map(columns.map((name, index) => [name, index]))
    for await (const lines of this.objects(isSample)) {
      yield lines.map((line) => {
        const row = new Array<string | null>(columns.length).fill(null)
        for (const { key, raw } of jsonMembers(line)) {
          const position = positions.get(key)
          if (position !== undefined) row[position] = cellText(raw)
        }
        return row
      })
    }
  }

  objectRows(): AsyncGenerator<readonly string[]> {
    return this.objects(false)
  }

  async *cellRows(): AsyncGenerator<readonly CellRow[]> {
    const positions = new Map(this.columns.map((name, index) => [name, index]))
    for await (const lines of this.objects(false)) {
      yield lines.map((line) => {
        const row: CellRow[number][] = this.columns.map(() => null)
        for (const { key, raw } of jsonMembers(line))
          row[positions.get(key) ?? -1] = typedJson(raw, cellText(raw))
        return row
      })
    }
  }

  parquetSource(): MemberRows {
    const columns = new Map(
      [...this.types].map(([name, type], index) => [name, { key: `"c${index}":`, type }]),
    )
    const lines = () => this.objects(false)
    return {
      kind: 'members',
      types: [...this.types.values()],
      async *rows(cellColumns = []) {
        const positions = new Map(cellColumns.map((name, index) => [name, index]))
        for await (const batch of lines()) {
          yield batch.map((line) => {
            const members = new Map<string, string>()
            const cells = new Array<string | null>(cellColumns.length).fill(null)
            for (const { key, raw } of jsonMembers(line)) {
              const column = columns.get(key)
              if (column !== undefined) members.set(column.key, handedOver(raw, column.type))
              const position = positions.get(key)
              if (position !== undefined) cells[position] = cellText(raw)
            }
            return { members: [...members].map(([key, value]) => key + value).join(','), cells }
          })
        }
      },
    }
  }

  async validate(): Promise<void> {
    // Opening has read every line.
  }

  notes(): readonly string[] {
    return this.texts.flatMap(({ notice }) => notice ?? [])
  }

  close(): void {
    // Files are open only while they are read.
  }
}

/** Strings as they are, null as none, everything else as its JSON text. */
function cellText(raw: string): string | null {
  if (raw.startsWith('"')) return unquote(raw)
  return raw === 'null' ? null : raw
}

/** JSON values travel as strings, so that DuckDB keeps their text; Unicode that no file format can hold is replaced. */
function handedOver(raw: string, type: CellType): string {
  const whole = replaceLoneSurrogates(raw)
  return type === 'json' && raw !== 'null' ? JSON.stringify(whole) : whole
}

const surrogateEscapes =
  /\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g

function replaceLoneSurrogates(raw: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(raw)) return raw
  return raw.replace(surrogateEscapes, (found) => (found.length === 6 ? '\\ufffd' : found))
}

/** What has been seen in one column of NDJSON; decides its type in Parquet. */
class ColumnTally {
  private hasText = false
  private hasBoolean = false
  private hasInteger = false
  private hasUnsafeInteger = false
  private hasDouble = false
  private hasOther = false

  add(raw: string): void {
    const first = raw.charCodeAt(0)
    if (first === 0x22) this.hasText = true
    else if (first === 0x74 || first === 0x66) this.hasBoolean = true
    else if (first === 0x6e) return
    else if (first === 0x7b || first === 0x5b) this.hasOther = true
    else this.addNumber(raw)
  }

  /** The narrowest type that keeps every value exactly; JSON text where none does. A column of nulls is text. */
  get type(): CellType {
    const kinds = [this.hasText, this.hasBoolean, this.hasInteger || this.hasDouble, this.hasOther]
    if (this.hasOther || kinds.filter(Boolean).length > 1) return 'json'
    if (this.hasBoolean) return 'boolean'
    if (this.hasDouble) return this.hasUnsafeInteger ? 'json' : 'double'
    return this.hasInteger ? 'integer' : 'text'
  }

  private addNumber(raw: string): void {
    if (/^(?:0|-?[1-9]\d*)$/.test(raw)) {
      this.hasInteger = true
      if (raw.length > 15 && !Number.isSafeInteger(Number(raw))) {
        this.hasUnsafeInteger = true
        if (raw.length > 18 && !fitsInt64(raw)) this.hasOther = true
      }
    } else if (Number.isFinite(Number(raw)) && isSafeNumber(raw)) this.hasDouble = true
    else this.hasOther = true
  }
}

function fitsInt64(raw: string): boolean {
  if (raw.length > 20) return false
  const value = BigInt(raw)
  return value >= -(2n ** 63n) && value < 2n ** 63n
}
