import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { selectColumns } from '../../../src/pipeline/answers/columns.js'
import { openInput } from '../../../src/pipeline/input/input.js'
import { resolveOutputForm, type OutputFormat } from '../../../src/pipeline/output/output-format.js'
import { assertOutputUsable, toWriteError } from '../../../src/pipeline/output/output-path.js'
import { publish, type PublishOptions } from '../../../src/pipeline/output/publish.js'
import { quoteSqlPath } from '../../../src/parquet/duckdb.js'
import {
  answersOf,
  convert,
  enoughMemoryBytes,
  matchedLine,
  newFolder,
  readTable,
  withDuckDb,
} from './support.js'
import { errorWith } from '../../support/error-with.js'

function csvFile(rowCount = 2): { folder: string; path: string } {
  const folder = newFolder()
  const path = join(folder, 'in.csv')
  writeFileSync(path, `name\n${Array.from({ length: rowCount }, (_, index) => `row ${index}\n`).join('')}`)
  return { folder, path }
}

async function check(inputPath: string, output: string): Promise<void> {
  const input = await openInput({ paths: [inputPath], spoolFolder: newFolder() })
  try {
    assertOutputUsable(input.files, output, resolveOutputForm(output).format)
  } finally {
    await input.close()
  }
}

describe('an output that cannot be', () => {
  test('in a folder that is missing is refused with how to make it', async () => {
    const { folder, path } = csvFile()
    await expect(check(path, join(folder, 'no/such/out.csv'))).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { hint: 'mkdir -p' }),
    )
  })

  test('below a file is refused', async () => {
    const { path } = csvFile()
    await expect(check(path, join(path, 'out.csv'))).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })

  test('that is a folder or write-protected is refused', async () => {
    const { folder, path } = csvFile()
    mkdirSync(join(folder, 'out.csv'))
    await expect(check(path, join(folder, 'out.csv'))).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    writeFileSync(join(folder, 'protected.csv'), '')
    chmodSync(join(folder, 'protected.csv'), 0o444)
    // The superuser may write it all the same.
    if (process.getuid?.() !== 0) {
      await expect(check(path, join(folder, 'protected.csv'))).rejects.toMatchObject({
        code: 'OUTPUT_UNWRITABLE',
      })
    }
  })

  test('that is no regular file is refused by the check, by publishing, and through a link', async () => {
    const { folder, path } = csvFile()
    const socket = join(folder, 's.csv')
    symlinkSync('s.csv', join(folder, 'link.csv'))
    const server = createServer().listen(socket)
    await once(server, 'listening')
    try {
      for (const output of [socket, join(folder, 'link.csv')]) {
        await expect(check(path, output)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
        const published = convert({ input: { paths: [path] }, output, basis: 'none' })
        await expect(published).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
      }
      expect(statSync(socket).isSocket()).toBe(true)
      expect(readdirSync(folder).sort()).toEqual(['in.csv', 'link.csv', 's.csv'])
    } finally {
      server.close()
    }
  })

  test('that is the input, under whatever name, is refused', async () => {
    const { folder, path } = csvFile()
    symlinkSync(path, join(folder, 'symbolic.csv'))
    linkSync(path, join(folder, 'hard.csv'))
    for (const output of ['in.csv', './in.csv', 'symbolic.csv', 'hard.csv']) {
      await expect(check(path, join(folder, output))).rejects.toMatchObject({ code: 'OUTPUT_IS_INPUT' })
    }
    const basis = join(folder, 'out.csv.basis.csv')
    writeFileSync(basis, 'name\na\n')
    await expect(check(basis, join(folder, 'out.csv'))).rejects.toMatchObject({ code: 'OUTPUT_IS_INPUT' })
  })

  test('for which the disk has no room is refused', async () => {
    const { folder, path } = csvFile()
    const input = await openInput({ paths: [path], spoolFolder: folder })
    expect(() => {
      assertOutputUsable(input.files, join(folder, 'out.csv'), 'csv', 1e15)
    }).toThrow(expect.objectContaining({ code: 'DISK_FULL' }))
    await input.close()
  })

  test.each(['out.xls', 'out.json', 'out', 'out.csv.zst', 'out.parquet.gz', 'out.xlsx.gz', '-'])(
    'of the name %s has no format',
    (path) => {
      expect(() => resolveOutputForm(path)).toThrow(
        expect.objectContaining({ code: 'OUTPUT_FORMAT_UNKNOWN' }),
      )
    },
  )

  test('leaves no trace of its having been tried', async () => {
    const { folder, path } = csvFile()
    await check(path, join(folder, 'out.csv'))
    expect(readdirSync(folder)).toEqual(['in.csv'])
  })
})

describe('publishing', () => {
  async function attempt(
    path: string,
    {
      output,
      ...change
    }: Partial<Omit<PublishOptions, 'output'>> & { output?: Partial<PublishOptions['output']> },
    format: OutputFormat = 'csv',
  ) {
    const folder = newFolder()
    const input = await openInput({ paths: [path], spoolFolder: folder })
    const options: PublishOptions = {
      input,
      output: {
        path: join(folder, `out.${format}`),
        format,
        columns: selectColumns({ prefix: 'enrich_', basis: 'none' }),
        basis: 'none',
        memoryBytes: enoughMemoryBytes,
        ...output,
      },
      nameColumn: 'name',
      answers: answersOf(change.rowCount ?? 2, () => matchedLine),
      rowCount: 2,
      metadata: {},
      ...change,
    }
    const result = await publish(options).catch((error: unknown) => error)
    await input.close()
    return { result, left: readdirSync(folder) }
  }

  test.each(['csv', 'ndjson', 'parquet'] as const)(
    'to %s asks for the answer of each row once, in order',
    async (format) => {
      const asked: number[] = []
      const lineOf = (row: number) => {
        asked.push(row)
        return matchedLine
      }
      const { result, left } = await attempt(
        csvFile(5_432).path,
        {
          answers: {
            ...answersOf(5_432, () => matchedLine),
            read: (first, count) => answersOf(5_432, lineOf).read(first, count),
          },
          rowCount: 5_432,
          output: { basis: 'file' },
        },
        format,
      )
      expect(result).toMatchObject({ rowCount: 5_432, basisLineCount: 3 * 5_432 })
      expect(asked).toEqual(Array.from({ length: 5_432 }, (_, index) => index))
      expect(left).toEqual([`out.${format}`, `out.${format}.basis.csv`])
    },
  )

  test.each(['csv', 'ndjson', 'parquet'] as const)(
    'to %s gives row number n its own answer',
    async (format) => {
      const { folder, path } = csvFile(3_210)
      const output = join(folder, `out.${format}`)
      const answerLine = (row: number) => matchedLine.replace('"siq_1"', `"siq_${row}"`)
      await convert({ input: { paths: [path] }, output, answerLine })
      const { columns, rows } = await readTable(output)
      const entity = columns.indexOf('enrich_entity_id')
      expect(rows.map((row) => [row[0], row[entity]])).toEqual(
        Array.from({ length: 3_210 }, (_, index) => [`row ${index}`, `siq_${index}`]),
      )
    },
  )

  test.each([undefined, 70_001])(
    'Parquet of several files and row groups gives row number n its own answer (limit %s)',
    async (rowsMax) => {
      const folder = newFolder()
      await withDuckDb(async (duckDb) => {
        for (let part = 0; part < 3; part++) {
          const rows = `SELECT ${part} * 50000 + i AS number, 'row ' || number AS name FROM range(50000) t(i)`
          const target = quoteSqlPath(join(folder, `part-${part}.parquet`))
          await duckDb.run(`COPY (${rows}) TO ${target} (FORMAT parquet, ROW_GROUP_SIZE 4096)`)
        }
      })
      const output = join(folder, 'out.parquet')
      const answerLine = (row: number) => `${before}${row}${after}`
      const [before = '', after = ''] = matchedLine.split(/(?<="siq_)1(?=")/)
      const report = await convert({
        input: { paths: [join(folder, 'part-*.parquet')], rowsMax },
        output,
        answerLine,
      })
      const rowCount = rowsMax ?? 150_000
      expect(report.rowCount).toBe(rowCount)
      const [found] = await withDuckDb((duckDb) =>
        duckDb.all(
          `SELECT count(*), count(*) FILTER (file_row_number = number AND enrich_entity_id = 'siq_' || number)
           FROM read_parquet(${quoteSqlPath(output)}, file_row_number = true)`,
        ),
      )
      expect(found?.map(Number)).toEqual([rowCount, rowCount])
    },
  )

  test.each([1, 3])('finds that there are not the %i rows there were', async (rowCount) => {
    for (const format of ['csv', 'ndjson', 'parquet'] as const) {
      const { result, left } = await attempt(csvFile().path, { rowCount }, format)
      expect(result).toMatchObject({ code: 'INPUT_CHANGED' })
      expect(left).toEqual([])
    }
  })

  test('refuses an input whose column is called like one of ours', async () => {
    const folder = newFolder()
    const path = join(folder, 'in.csv')
    writeFileSync(path, 'name,ENRICH_STATUS\na,b\nc,d\n')
    expect((await attempt(path, {})).result).toMatchObject({ code: 'OUTPUT_COLUMN_TAKEN' })
  })

  test('refuses to write to Parquet two names that differ in letter case alone, and writes them to CSV', async () => {
    const path = join(newFolder(), 'in.csv')
    writeFileSync(path, 'name,Name\na,b\nc,d\n')
    expect((await attempt(path, {}, 'parquet')).result).toMatchObject({ code: 'INPUT_COLUMNS_DUPLICATE' })
    expect((await attempt(path, {})).result).toMatchObject({ rowCount: 2 })
  })

  test('fails as a bug where answers are missing, and leaves nothing', async () => {
    const { result, left } = await attempt(csvFile().path, {
      answers: { ...answersOf(0, () => matchedLine), read: () => [] },
    })
    expect(result).toMatchObject({ message: expect.stringContaining('0 answer lines for') })
    expect(left).toEqual([])
  })

  test('replaces what stood there, through a symbolic link', async () => {
    const { folder, path } = csvFile()
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/out.csv'), 'old')
    symlinkSync('real/out.csv', join(folder, 'out.csv'))
    await convert({ input: { paths: [path] }, output: join(folder, 'out.csv'), basis: 'none' })
    expect(readFileSync(join(folder, 'real/out.csv'), 'utf8')).toMatch(/^name,enrich_status/)
    expect(readdirSync(folder).sort()).toEqual(['in.csv', 'out.csv', 'real'])
    expect(readdirSync(join(folder, 'real'))).toEqual(['out.csv'])
  })

  test('into a folder that went away meanwhile says so', async () => {
    const { result } = await attempt(csvFile().path, {
      output: { path: join(newFolder(), 'gone/out.csv') },
    })
    expect(result).toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })
})

describe('a failed write', () => {
  test.each([
    ['ENOSPC', 'no space left on device, write', 'DISK_FULL'],
    ['EDQUOT', 'disk quota exceeded', 'DISK_FULL'],
    ['EFBIG', 'file too large', 'FILE_TOO_LARGE'],
    ['EMFILE', 'too many open files', 'FILES_TOO_MANY'],
    [undefined, 'Out of Memory Error: failed to pin block of size 256.0 KiB', 'MEMORY_SHORT'],
    [undefined, 'IO Error: Could not write file "x": No space left on device', 'DISK_FULL'],
    ['EROFS', 'read-only file system', 'OUTPUT_UNWRITABLE'],
    ['EACCES', 'permission denied', 'OUTPUT_UNWRITABLE'],
    [undefined, 'IO Error: Cannot open file "x": Permission denied', 'OUTPUT_UNWRITABLE'],
    ['ENOENT', 'no such file or directory', 'OUTPUT_UNWRITABLE'],
    ['EPIPE', 'write EPIPE', 'OUTPUT_UNWRITABLE'],
  ])('of code %s that says %j is %s', (code, message, expected) => {
    const failure = toWriteError(
      'out.csv',
      Object.assign(new Error(message), code === undefined ? {} : { code }),
    )
    expect(failure).toMatchObject({ code: expected, exitCode: 2 })
  })

  test('of any other kind stays the bug it is', () => {
    const bug = new TypeError('x is not a function')
    expect(toWriteError('out.csv', bug)).toBe(bug)
  })
})

describe('standard output', () => {
  class Sink extends Writable {
    readonly chunks: Buffer[] = []
    constructor(private readonly failsWith: NodeJS.ErrnoException | null = null) {
      super({ highWaterMark: 1 })
    }
    override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
      this.chunks.push(chunk)
      setImmediate(() => {
        done(this.failsWith)
      })
    }
    get text(): string {
      return Buffer.concat(this.chunks).toString('utf8')
    }
  }

  async function toStdout(stdout: Writable, change: Partial<PublishOptions> = {}) {
    const { path, folder } = csvFile(20_000)
    const input = await openInput({ paths: [path], spoolFolder: folder })
    try {
      return await publish({
        input,
        output: {
          path: '-',
          format: 'ndjson',
          columns: selectColumns({ prefix: '', basis: 'inline' }),
          basis: 'inline',
          memoryBytes: enoughMemoryBytes,
        },
        nameColumn: 'name',
        answers: answersOf(20_000, () => matchedLine),
        rowCount: 20_000,
        metadata: {},
        stdout,
        ...change,
      })
    } finally {
      await input.close()
    }
  }

  test('gets the whole output, at the pace it takes it', async () => {
    const sink = new Sink()
    expect(await toStdout(sink)).toEqual({ paths: [], rowCount: 20_000, basisLineCount: 0 })
    const lines = sink.text.trimEnd().split('\n')
    expect(lines.length).toBe(20_000)
    expect(JSON.parse(lines[19_999] ?? '')).toMatchObject({ name: 'row 19999', status: 'matched' })
  })

  test('gets nothing where publishing fails', async () => {
    const sink = new Sink()
    await expect(toStdout(sink, { rowCount: 20_001 })).rejects.toMatchObject({ code: 'INPUT_CHANGED' })
    expect(sink.text).toBe('')
  })

  test('that is closed by its reader is an error with a code', async () => {
    const closed: NodeJS.ErrnoException = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    await expect(toStdout(new Sink(closed))).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })
})
