import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { basisPathOf } from '../output/output-path.js'
import { readPartPath } from '../rules/partition.js'
import type { FileFacts, PublishedPart } from './part-ledger.js'

const readBytes = 1024 * 1024

/** Of a file that is there. */
export async function factsOf(path: string): Promise<FileFacts> {
  const hash = createHash('sha256')
  let byteCount = 0
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes })) {
    hash.update(chunk as Buffer)
    byteCount += (chunk as Buffer).length
  }
  return { byteCount, sha256: hash.digest('hex') }
}

/** What is wrong with the files of a part, in words; null where they are as they were published. */
export async function faultOf(part: PublishedPart): Promise<{ path: string; fault: string } | null> {
  const files = [{ path: part.path, facts: part as FileFacts }]
  if (part.basis !== null) files.push({ path: basisPathOf(part.path), facts: part.basis })
  for (const { path, facts } of files) {
    const fault = await faultOfFile(path, facts)
    if (fault !== null) return { path, fault }
  }
  return null
}

async function faultOfFile(path: string, { byteCount, sha256 }: FileFacts): Promise<string | null> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return 'is not there'
  if (stat.size !== byteCount) return `has ${stat.size} bytes in place of ${byteCount}`
  return (await factsOf(path)).sha256 === sha256 ? null : 'has another SHA-256 than it was published with'
}

/** The files of a part. */
export const filesOf = ({ path, basis }: Pick<PublishedPart, 'path' | 'basis'>): readonly string[] =>
  basis === null ? [path] : filesOfAttempt(path)

/** Every file that an attempt may have put in place. */
export const filesOfAttempt = (path: string): readonly string[] => [path, basisPathOf(path)]

/** What a job is known by in the names of its files. */
export const jobMarkOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 6)

/**
 * Removes what attempts of a job left that were not to publish a part, also what killed ones were writing; never a file
 * of `kept`, and of no other job. Gives the names. To be called once all parts are published: no attempt can win by then.
 */
export function removeLeftovers(kept: readonly PublishedPart[]): readonly string[] {
  const keptNames = new Set(kept.flatMap(({ path }) => filesOfAttempt(path).map((one) => basename(one))))
  const [first] = kept
  const own = first === undefined ? null : readPartPath(first.path)
  if (first === undefined || own === null) return []
  const folder = dirname(first.path)
  return readdirSync(folder).filter((name) => {
    // What is being written is called `.NAME.PROCESS.tmp`, and `.NAME.PROCESS.tmp.parts` where it is a folder.
    const written = /^\.(.+)\.\d+-[0-9a-f]{8}\.tmp(?:\.\w+)?$/s.exec(name)?.[1] ?? name
    const left = readPartPath(join(folder, written.replace(/\.basis\.csv(\.gz)?$/, '$1')))
    const isOfJob =
      left !== null &&
      left.jobMark === own.jobMark &&
      basename(left.outputPath) === basename(own.outputPath) &&
      left.partition.count === own.partition.count
    if (!isOfJob || keptNames.has(name)) return false
    rmSync(join(folder, name), { recursive: true, force: true })
    return true
  })
}
