/** One part of a job: `index` from 1 to `count`. */
export interface Partition {
  readonly index: number
  readonly count: number
}

/** A range; `end` is exclusive. */
export interface Range {
  readonly first: number
  readonly end: number
}

/**
 * Returns the blocks of a part: contiguous, in order, divided by weight. A block belongs to the part that contains its
 * middle. If there are fewer blocks than parts, some parts have none.
 */
export function getBlocks(weights: readonly number[], { index, count }: Partition): Range {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  // Blocks without weights are divided by number.
  const getWeight = total > 0 ? (weight: number) => weight : () => 1
  const whole = total > 0 ? total : weights.length
  let before = 0
  let first = 0
  let end = 0
  for (const weight of weights) {
    const part = Math.min(count, Math.floor(((before + getWeight(weight) / 2) / whole) * count) + 1)
    if (part < index) first++
    if (part <= index) end++
    before += getWeight(weight)
  }
  return { first, end }
}

/** Returns the rows of a part; the sizes of parts differ by at most one row. */
export function getRows(rowCount: number, { index, count }: Partition): Range {
  const upTo = (parts: number) => Number((BigInt(rowCount) * BigInt(parts)) / BigInt(count))
  return { first: upTo(index - 1), end: upTo(index) }
}

/** Selects some rows of a pass, which `open` starts. */
export type RowFilter = <Row>(open: () => AsyncIterable<readonly Row[]>) => AsyncIterable<readonly Row[]>

/**
 * Returns a filter for the rows of one part of a single text file. Rows can only be found by reading from the start:
 * all rows are counted once, and a pass reads up to the end of the part. Throws the created error for a file without rows.
 */
export function createPartFilter(
  readAll: () => AsyncIterable<readonly unknown[]>,
  partition: Partition,
  createNoRowsError: () => Error,
): RowFilter {
  const countRows = async () => {
    let rowCount = 0
    for await (const batch of readAll()) rowCount += batch.length
    if (rowCount === 0) throw createNoRowsError()
    return getRows(rowCount, partition)
  }
  let range: Promise<Range> | null = null
  return async function* (open) {
    const { first, end } = await (range ??= countRows())
    if (first === end) return
    let row = 0
    for await (const batch of open()) {
      const rows = batch.slice(Math.max(0, first - row), end - row)
      row += batch.length
      if (rows.length > 0) yield rows
      if (row >= end) return
    }
  }
}

/** Formats a part as `003-of-064`, with enough digits to sort. */
export function formatPart({ index, count }: Partition): string {
  const digits = Math.max(3, String(count).length)
  const padNumber = (number: number) => String(number).padStart(digits, '0')
  return `${padNumber(index)}-of-${padNumber(count)}`
}

/** Splits the format extension from an output path. */
export function splitOutputPath(path: string): { readonly stem: string; readonly extension: string } {
  const [extension = ''] = /\.(?:csv|tsv|txt|parquet|pq|ndjson|jsonl|xlsx)(?:\.gz)?$/i.exec(path) ?? []
  return { stem: path.slice(0, path.length - extension.length), extension }
}

/** Returns the path of an attempt at a part: `out.part-003-of-064.<job>-<attempt>.parquet`. */
export function buildPartPath(
  outputPath: string,
  partition: Partition,
  jobMark: string,
  attempt: string,
): string {
  const { stem, extension } = splitOutputPath(outputPath)
  return `${stem}.part-${formatPart(partition)}.${jobMark}-${attempt}${extension}`
}

/** Parses the path of a part; null for any other path. */
export function readPartPath(path: string): {
  readonly outputPath: string
  readonly partition: Partition
  readonly jobMark: string
  readonly attempt: string
} | null {
  const { stem, extension } = splitOutputPath(path)
  const found = /^(.*)\.part-(\d{3,})-of-(\d{3,})\.([0-9a-f]+)-([0-9a-z]+)$/s.exec(stem)
  if (found === null) return null
  const [, outputStem = '', index = '', count = '', jobMark = '', attempt = ''] = found
  return {
    outputPath: outputStem + extension,
    partition: { index: Number(index), count: Number(count) },
    jobMark,
    attempt,
  }
}

const mark = 'job '

/** Returns the stored name of a job named by the user; it cannot equal a list of files. */
export const toNamedJob = (name: string): string => `${mark}${name}`

export const isNamedJob = (job: string): boolean => job.startsWith(mark)

/**
 * Returns the stored name of the retry of a job. Its number distinguishes a retry from earlier ones of the same
 * statuses: the job of its budgets has it, and the row that says whether it is complete does not.
 */
export const toRetryJob = (job: string, statuses: readonly string[], number: number | null): string =>
  `retry ${number === null ? '' : `${number} `}of ${[...new Set(statuses)].sort().join(',')}: ${job}`

/** Returns the input files of a job, which is stored as a list, as the user's name, or as a single file. */
export function listJobInputs(stored: string | undefined): readonly string[] {
  const job = stored?.replace(/^retry (?:\d+ )?of [a-z_,]+: /, '')
  if (job === undefined || isNamedJob(job)) return []
  return job.startsWith('[') ? (JSON.parse(job) as string[]) : [job]
}

/** Returns the series of a part's runs, which contains only attempts at that part. */
export const buildPartSeries = (job: string, { index, count }: Partition): string =>
  `${toNamedJob(job)}, part ${index} of ${count}`

/** A 95 % confidence interval of a share. */
export type Interval = readonly [least: number, most: number]

/** 95 % of a normal distribution lie within this number of standard deviations. */
const deviations95 = 1.959964

/** The 95 % confidence interval of a share by Wilson's formula, for few queries too; `null` for none. */
export function calculateInterval(part: number, whole: number): Interval | null {
  if (whole === 0) return null
  const mean = part / whole
  const square = deviations95 ** 2
  const scale = 1 + square / whole
  const middle = (mean + square / (2 * whole)) / scale
  const half = (deviations95 / scale) * Math.sqrt((mean * (1 - mean) + square / (4 * whole)) / whole)
  return [Math.max(0, Math.min(mean, middle - half)), Math.min(1, Math.max(mean, middle + half))]
}
