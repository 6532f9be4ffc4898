import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { getErrorText, UserError } from '../../../core/errors.js'
import { limits } from '../../limits.js'

/** Facts from lists of domains; `null` if no list was loaded or the domain is unknown. */
export interface DomainLists {
  /** Returns the rank; 1 is the most visited domain. */
  getRank(domain: string): number | null
  isDisposable(domain: string): boolean | null
  /** Hash of the content of all lists, which changes with their answers; `null` if none was loaded. */
  readonly hash: string | null
}

export interface DomainListPaths {
  /** A file with `rank,domain` on each line, like Tranco's lists. */
  readonly ranks?: string
  /** A file with one domain of a disposable mailbox provider on each line; `#` starts a comment. */
  readonly disposable?: string
}

export const noDomainLists: DomainLists = { getRank: () => null, isDisposable: () => null, hash: null }

/** Reads the lists into memory, line by line. Throws DOMAIN_LIST_INVALID. */
export async function loadDomainLists({ ranks, disposable }: DomainListPaths): Promise<DomainLists> {
  const hash = createHash('sha256')
  const ranked = ranks === undefined ? null : await readRanks(ranks, hash)
  hash.update('\0')
  const providers = disposable === undefined ? null : await readProviders(disposable, hash)
  return {
    hash: ranked === null && providers === null ? null : hash.digest('hex'),
    getRank: (domain) => ranked?.get(domain) ?? null,
    isDisposable: (domain) => providers?.has(domain) ?? null,
  }
}

async function readRanks(path: string, hash: Hash): Promise<Map<string, number>> {
  const ranks = new Map<string, number>()
  for await (const [line, lineNumber] of readLines(path, hash)) {
    const [, rank, name] = /^"?(\d{1,9})"?[,\t]"?([^",\s]+)"?$/.exec(line) ?? []
    const domain = name === undefined ? null : normalizeName(name)
    if (rank === undefined || Number(rank) < 1 || domain === null) {
      if (lineNumber === 1 && /^"?rank"?[,\t]/i.test(line)) continue
      throw createListError(
        path,
        `line ${lineNumber} is not rank,domain`,
        'use lines like those of a Tranco list: 1,example.com',
      )
    }
    ranks.set(domain, Math.min(Number(rank), ranks.get(domain) ?? Infinity))
  }
  return ranks
}

async function readProviders(path: string, hash: Hash): Promise<Set<string>> {
  const providers = new Set<string>()
  for await (const [line, lineNumber] of readLines(path, hash)) {
    const text = line.replace(/#.*$/, '').trim()
    const domain = normalizeName(text)
    if (text !== '' && domain === null)
      throw createListError(path, `line ${lineNumber} is not a domain`, lineHint)
    if (domain !== null) providers.add(domain)
  }
  return providers
}

const lineHint = 'write one domain on each line, like example.com; # starts a comment'

/** Returns the domain in the form used for lookups; `null` if it is invalid. */
function normalizeName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (/^[\x21-\x7e]+$/.test(name)) return /^[a-z0-9._-]+$/.test(name) ? name : null
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : null
}

/** Yields the lines that are not empty, with their numbers. Throws if there are too many, or one is too long. */
async function* readLines(path: string, hash: Hash): AsyncGenerator<[line: string, lineNumber: number]> {
  let lineNumber = 0
  let rest = ''
  try {
    for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const text = checkLine(path, line, ++lineNumber)
        hash.update(`${text}\n`)
        if (text !== '') yield [text, lineNumber]
      }
      checkLine(path, rest, lineNumber + 1)
    }
    const text = checkLine(path, rest, lineNumber + 1)
    hash.update(text)
    if (text !== '') yield [text, lineNumber + 1]
  } catch (error) {
    if (error instanceof UserError) throw error
    const reason = getErrorText(error)
    throw createListError(path, `it cannot be read: ${reason}`, 'pass the path of a text file', error)
  }
}

function checkLine(path: string, line: string, lineNumber: number): string {
  const { domainListLinesMax, domainListLineCharsMax } = limits
  if (lineNumber > domainListLinesMax) {
    throw createListError(path, `it has more than ${domainListLinesMax} lines`, 'use a shorter list')
  }
  if (line.length > domainListLineCharsMax) {
    throw createListError(
      path,
      `line ${lineNumber} has more than ${domainListLineCharsMax} characters`,
      'check that the file is a list',
    )
  }
  return line.replace(/^\ufeff/, '').trim()
}

const createListError = (path: string, reason: string, hint: string, cause?: unknown) =>
  new UserError('DOMAIN_LIST_INVALID', `the list of domains ${path} cannot be used: ${reason}`, {
    hint,
    cause,
  })
