/** Identity of a checkpoint's file in the operating system. */
export interface FilePlace {
  host: string
  device: string
  inode: string
  /** Creation time in nanoseconds; null if the file system has none. */
  bornNs: string | null
}

/** Contents of the head file: the progress of the checkpoint. */
export interface Head {
  /** Schema version of the version that wrote it. */
  version: number
  checkpointId: string
  generation: number
  /** Number of commits. */
  sequence: number
  submissionCount: number
  /** Hash chain at the last submission; empty before the first. */
  chain: string
  /** Time of the last submission; null before the first. */
  submittedAtMs: number | null
  /** Expected change time of the head file after this write, by the file system's clock; null if unknown. */
  expectedChangeMs: number | null
  place: FilePlace
}

/** State of the head file before it is checked. */
export type FoundHead =
  | { kind: 'missing' }
  | { kind: 'unreadable' }
  /** `head`: the newest known, from the file or from its copy; `changedNs`: the file's change time. */
  | { kind: 'found'; head: Head; changedNs: string }

export interface DatabaseFacts extends Omit<Head, 'version' | 'chain' | 'expectedChangeMs'> {
  /** Hash chain at the last submission in the head; null if the database has no such submission. */
  chainAtHead: string | null
  /** Whether it had a head file before. */
  hasHadHead: boolean
  /** The head's `changedNs` at the last close; null if the checkpoint was not closed since. */
  closedHeadNs: string | null
}

/** Result of comparing a checkpoint with its head. */
export type Standing =
  | { kind: 'ok' }
  /** Older than the head: submissions between these two times are missing. */
  | {
      kind: 'behind'
      lostSubmissionCount: number
      lostCommitCount: number
      afterMs: number | null
      untilMs: number | null
      isAbsent: boolean
    }
  /** A history different from the head's. */
  | { kind: 'diverged'; isOtherCheckpoint: boolean }
  | { kind: 'head_missing'; isUnreadable: boolean }
  /** `moved`: another file than the last one written; `restored`: another program wrote the head. */
  | { kind: 'copied'; how: 'moved' | 'restored' }

/**
 * Judges whether the database belongs to the head and is not older. A head may lag behind, since it is written after
 * the commit it describes. `facts` is null if the database does not exist or is empty.
 */
export function judgeStanding(found: FoundHead, facts: DatabaseFacts | null): Standing {
  if (found.kind === 'unreadable') return { kind: 'head_missing', isUnreadable: true }
  if (found.kind === 'missing')
    return facts?.hasHadHead === true ? { kind: 'head_missing', isUnreadable: false } : { kind: 'ok' }
  const { head } = found
  if (facts === null) return head.submissionCount === 0 ? { kind: 'ok' } : toBehind(head, null)
  if (facts.checkpointId !== head.checkpointId) return { kind: 'diverged', isOtherCheckpoint: true }
  if (facts.submissionCount < head.submissionCount || facts.sequence < head.sequence)
    return toBehind(head, facts)
  if (head.submissionCount > 0 && facts.chainAtHead !== head.chain)
    return { kind: 'diverged', isOtherCheckpoint: false }
  if (!isSameFile(head.place, facts.place)) return { kind: 'copied', how: 'moved' }
  if (isChangedByOthers(head, facts, found.changedNs)) return { kind: 'copied', how: 'restored' }
  return { kind: 'ok' }
}

/**
 * Copying over the head file changes its change time, which no program can set. After a close, the times must be equal;
 * after a crash, the time must be near that of the last write.
 */
function isChangedByOthers(head: Head, facts: DatabaseFacts, changedNs: string): boolean {
  if (facts.closedHeadNs !== null) return !isSameTime(facts.closedHeadNs, changedNs)
  if (head.expectedChangeMs === null) return false
  return Number(changedNs) / 1e6 - head.expectedChangeMs > changeToleranceMs
}

/** Covers file systems that round times to two seconds, and the delay of the write. */
const changeToleranceMs = 2_500

function toBehind(head: Head, facts: DatabaseFacts | null): Standing {
  return {
    kind: 'behind',
    lostSubmissionCount: Math.max(0, head.submissionCount - (facts?.submissionCount ?? 0)),
    lostCommitCount: Math.max(0, head.sequence - (facts?.sequence ?? 0)),
    afterMs: facts?.submittedAtMs ?? null,
    untilMs: head.submittedAtMs,
    isAbsent: facts === null,
  }
}

/**
 * Whether two identities are the same file. A copy has a new creation time, which cannot be set: if both are known in
 * fractions of a second, they decide, even if inodes change between mounts. Host and device alone prove nothing, since
 * containers and disks change them.
 */
export function isSameFile(one: FilePlace, other: FilePlace): boolean {
  if (one.bornNs !== null && other.bornNs !== null && !isWholeSeconds(one.bornNs))
    return one.bornNs === other.bornNs
  return one.inode === other.inode
}

const isWholeSeconds = (ns: string): boolean => ns.endsWith('000000000')

/** File systems store times in nanoseconds, microseconds or seconds, sometimes only once written to disk. */
function isSameTime(one: string, other: string): boolean {
  const digits = Math.min(countTrailingZeros(one), 9) > Math.min(countTrailingZeros(other), 9) ? one : other
  const cut = countTrailingZeros(digits) >= 9 ? 9 : countTrailingZeros(digits) >= 3 ? 3 : 0
  return one.slice(0, one.length - cut) === other.slice(0, other.length - cut)
}

const countTrailingZeros = (digits: string): number => digits.length - digits.replace(/0+$/, '').length
