/** One part of a job: `index` from 1 to `count`. */
export interface Partition {
  readonly index: number
  readonly count: number
}

/** More parts than any engine starts tasks of one job. */
export const partitionCountMax = 100_000

/** Where a part begins and ends: `end` is the first that is not in it. */
export interface Range {
  readonly first: number
  readonly end: number
}

/**
 * The blocks of a part: contiguous, in order, spread by weight. A block belongs to the part in whose share its middle
 * lies, so each is in exactly one part, and a part has none where there are fewer blocks than parts.
 */
export function blocksOf(weights: readonly number[], { index, count }: Partition): Range {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  // Blocks that weigh nothing are spread by their number.
  const weightOf = total > 0 ? (weight: number) => weight : () => 1
  const whole = total > 0 ? total : weights.length
  let before = 0
  let first = 0
  let end = 0
  for (const weight of weights) {
    const part = Math.min(count, Math.floor(((before + weightOf(weight) / 2) / whole) * count) + 1)
    if (part < index) first++
    if (part <= index) end++
    before += weightOf(weight)
  }
  return { first, end }
}

/** The rows of a part where rows themselves are spread: no part has two more than another. */
export function rowsOf(rowCount: number, { index, count }: Partition): Range {
  const upTo = (parts: number) => Number((BigInt(rowCount) * BigInt(parts)) / BigInt(count))
  return { first: upTo(index - 1), end: upTo(index) }
}

/** `003-of-064`: as many digits as sort. */
export function partLabel({ index, count }: Partition): string {
  const digits = Math.max(3, String(count).length)
  const padded = (number: number) => String(number).padStart(digits, '0')
  return `${padded(index)}-of-${padded(count)}`
}

/** What an output is called without what tells its format, and that. */
export function splitOutputPath(path: string): { readonly stem: string; readonly extension: string } {
  const [extension = ''] = /\.(?:csv|tsv|txt|parquet|pq|ndjson|jsonl|xlsx)(?:\.gz)?$/i.exec(path) ?? []
  return { stem: path.slice(0, path.length - extension.length), extension }
}

/** Where an attempt at a part writes: `out.part-003-of-064.<job>-<attempt>.parquet` for `out.parquet`. */
export function partPath(outputPath: string, partition: Partition, jobMark: string, attempt: string): string {
  const { stem, extension } = splitOutputPath(outputPath)
  return `${stem}.part-${partLabel(partition)}.${jobMark}-${attempt}${extension}`
}

/** What the name of a part tells of it; null for a name that is none. */
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

/** What a job is known by whose user named it: no list of files begins so. */
export const namedJob = (name: string): string => `${mark}${name}`

export const isNamedJob = (job: string): boolean => job.startsWith(mark)

/** A job is named by its files, as a list, or by its user, which says nothing of files; any other text names itself. */
export function inputsOfJob(job: string | undefined): readonly string[] {
  if (job === undefined || isNamedJob(job)) return []
  return job.startsWith('[') ? (JSON.parse(job) as string[]) : [job]
}

/** What the run of a part is listed under; nothing else is of the same series, but another attempt of it. */
export const seriesOfPart = (job: string, { index, count }: Partition): string =>
  `${namedJob(job)}, part ${index} of ${count}`
