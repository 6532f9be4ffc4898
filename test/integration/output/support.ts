import { readFileSync } from 'node:fs'
import { decompress } from 'fzstd'
import { parquetMetadataAsync, parquetReadObjects, type FileMetaData } from 'hyparquet'
import type { RunObjectLenient } from '../../../src/contract/result.js'
import { renderAnswer } from '../../../src/pipeline/answers/answer-line.js'
import { selectColumns, type BasisPlace } from '../../../src/pipeline/answers/columns.js'
import { openDuckDb, type DuckDb } from '../../../src/parquet/duckdb.js'
import { openInput, type InputOptions } from '../../../src/pipeline/input/input.js'
import type { AnswerLines } from '../../../src/pipeline/output/answer-lines.js'
import { resolveOutputForm } from '../../../src/pipeline/output/output-format.js'
import { makeFolder as newFolder } from '../../support/temporary-folder.js'
import { publish, type PublishReport } from '../../../src/pipeline/output/publish.js'

export { newFolder }

/** A run as a server would send it, with provenance. */
function matchedRun(name = 'Acme'): RunObjectLenient {
  return {
    run_id: 'run_1',
    status: 'COMPLETED',
    data: {
      status: 'matched',
      match_confidence: 97,
      type: 'business',
      subtype: 'incorporated_entity',
      entity: {
        id: 'siq_1',
        display_name: name,
        legal_name: `${name} Ltd`,
        identifiers: [
          { type: 'registration_id', value: '00012345', jurisdiction: 'gb' },
          { type: 'sec_cik', value: '0000320193', jurisdiction: null },
        ],
        headquarters: { address: { city: 'Köln', country_code: 'DE' } },
      },
      candidate: null,
      factors: [{ code: 'name_close_match', type: 'strength', description: 'close', impact: 'high' }],
      actions: [],
      merged_into: null,
      basis: [
        {
          field: 'legal_name',
          confidence: 'high',
          reasoning: 'register',
          citations: [
            {
              url: 'https://a.example/1',
              excerpt: '=1+1',
              source_type: 'government_registry',
              authority_tier: 1,
            },
            { url: 'https://a.example/2', excerpt: null, source_type: 'web', authority_tier: 3 },
          ],
        },
        { field: 'identifiers.0.value', confidence: 'low', reasoning: null, citations: [] },
      ],
      metadata: { resolved_at: '2026-01-02T03:04:05.678+02:00', from_cache: false },
    },
  }
}

export const matchedLine = renderAnswer(matchedRun())

/** Answers of which each row has its own. */
export function answersOf(rowCount: number, lineOf: (row: number) => string): AnswerLines {
  const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)
  return {
    read: (first, count) => range(first, count).map(lineOf),
    numbers: range,
    distinct: () => ({
      numbers: Uint32Array.from(range(0, rowCount)),
      lines: () => range(0, rowCount).map(lineOf),
    }),
  }
}

/** What a test needs that says nothing of memory. */
export const enoughMemoryBytes = 1e9

export interface ConvertOptions {
  readonly input: Partial<InputOptions> & { readonly paths: readonly string[] }
  readonly output: string
  readonly basis?: BasisPlace
  readonly nameColumn?: string
  readonly answerLine?: (row: number) => string
  /** In place of an answer of its own for each row. */
  readonly answers?: AnswerLines
  readonly memoryBytes?: number
  readonly signal?: AbortSignal
  readonly metadata?: Record<string, string>
  /** All of ours unless some are named. */
  readonly columns?: readonly string[]
  readonly bom?: boolean
}

/** Reads an input and publishes it with an answer a row, as the pipeline does. */
export async function convert(options: ConvertOptions): Promise<PublishReport> {
  const input = await openInput({ spoolFolder: newFolder(), ...options.input })
  try {
    const nameColumn = options.nameColumn ?? input.columns[0] ?? ''
    let rowCount = 0
    for await (const batch of input.rows.keys([nameColumn])) rowCount += batch.length
    const basis = options.basis ?? 'inline'
    const form = resolveOutputForm(options.output)
    const nested = form.format === 'xlsx' ? 'none' : basis
    const line = options.answerLine ?? (() => matchedLine)
    return await publish({
      input,
      output: {
        path: options.output,
        ...form,
        bom: options.bom,
        columns: selectColumns({ prefix: 'enrich_', basis: nested, columns: options.columns }),
        basis,
        memoryBytes: options.memoryBytes ?? enoughMemoryBytes,
      },
      nameColumn,
      answers: options.answers ?? answersOf(rowCount, line),
      rowCount,
      metadata: options.metadata ?? {},
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
  } finally {
    await input.close()
  }
}

/** All cells of a file as our own reader gives them. */
export async function readTable(
  path: string,
): Promise<{ columns: readonly string[]; rows: (string | null)[][] }> {
  const input = await openInput({ paths: [path], spoolFolder: newFolder() })
  try {
    const rows: (string | null)[][] = []
    for await (const batch of input.rows.keys(input.columns)) rows.push(...batch.map((row) => [...row]))
    return { columns: input.columns, rows }
  } finally {
    await input.close()
  }
}

/** An independent reading of a Parquet file. */
export async function readByHyparquet(
  path: string,
): Promise<{ rows: Record<string, unknown>[]; metadata: FileMetaData }> {
  const bytes = readFileSync(path)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const metadata = await parquetMetadataAsync(file)
  const compressors = {
    ZSTD: (input: Uint8Array, length: number) => decompress(input, new Uint8Array(length)),
  }
  return { rows: await parquetReadObjects({ file, metadata, compressors }), metadata }
}

export async function withDuckDb<Result>(use: (duckDb: DuckDb) => Promise<Result>): Promise<Result> {
  const duckDb = await openDuckDb(newFolder())
  try {
    return await use(duckDb)
  } finally {
    duckDb.close()
  }
}
