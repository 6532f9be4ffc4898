/** Where a checkpoint's file lies, as the operating system tells files apart. */
export interface FilePlace {
  host: string
  device: string
  inode: string
  /** Nanoseconds; null where the file system keeps no time of birth. */
  bornNs: string | null
}

/** What the head file says: how far the checkpoint had come. */
export interface Head {
  /** Of the schema, as the version that wrote it knew it. */
  version: number
  checkpointId: string
  generation: number
  /** Commits, counted. */
  sequence: number
  submissionCount: number
  /** Of the last submission; empty before the first. */
  chain: string
  /** When the last submission left; null before the first. */
  submittedAtMs: number | null
  /** Change time that this write was expected to give the head file, by the file system's clock; null if unknown. */
  expectedChangeMs: number | null
  place: FilePlace
}

/** What is known of the head file before it is trusted. */
export type FoundHead =
  | { kind: 'missing' }
  | { kind: 'unreadable' }
  /** `head`: the newest known, from the file or from its witness; `changedNs`: the file's change time. */
  | { kind: 'found'; head: Head; changedNs: string }

/** What the database says of itself. */
export interface DatabaseFacts {
  checkpointId: string
  generation: number
  sequence: number
  submissionCount: number
  submittedAtMs: number | null
  /** The chain's value at the submission that the head says was the last; null where there is no such submission. */
  chainAtHead: string | null
  /** It had a head file before. */
  hasHadHead: boolean
  /** The head's `changedNs` when the checkpoint was last closed; null where it was never closed since. */
  closedHeadNs: string | null
  place: FilePlace
}

/** How a checkpoint stands to its head. */
export type Standing =
  | { kind: 'ok' }
  /** Older than the head: what is missing left between these two times. */
  | {
      kind: 'behind'
      lostSubmissionCount: number
      lostCommitCount: number
      afterMs: number | null
      untilMs: number | null
      isAbsent: boolean
    }
  /** Another history than the head's. */
  | { kind: 'diverged'; isOtherCheckpoint: boolean }
  | { kind: 'head_missing'; isUnreadable: boolean }
  /** `moved`: another file than the one that was written last; `restored`: the head was put there by something else. */
  | { kind: 'copied'; how: 'moved' | 'restored' }

/**
 * Whether the database is the one that the head was written beside, and no older. A head that lags is as it
 * should be: it is written after the commit it describes. `facts` is null where there is no database, or an
 * empty one.
 */
export function judgeStanding(found: FoundHead, facts: DatabaseFacts | null): Standing {
  if (found.kind === 'unreadable') return { kind: 'head_missing', isUnreadable: true }
  if (found.kind === 'missing')
    return facts?.hasHadHead === true ? { kind: 'head_missing', isUnreadable: false } : { kind: 'ok' }
  const { head } = found
  if (facts === null) return head.submissionCount === 0 ? { kind: 'ok' } : behind(head, null)
  if (facts.checkpointId !== head.checkpointId) return { kind: 'diverged', isOtherCheckpoint: true }
  if (facts.submissionCount < head.submissionCount || facts.sequence < head.sequence)
    return behind(head, facts)
  if (head.submissionCount > 0 && facts.chainAtHead !== head.chain)
    return { kind: 'diverged', isOtherCheckpoint: false }
  if (!isSameFile(head.place, facts.place)) return { kind: 'copied', how: 'moved' }
  if (isChangedByOthers(head, facts, found.changedNs)) return { kind: 'copied', how: 'restored' }
  return { kind: 'ok' }
}

/**
 * Writing a copy over the head file gives it a new change time, which no program can set. A head that was closed is
 * compared exactly; one whose process was killed, with the time at which that process last wrote it.
 */
function isChangedByOthers(head: Head, facts: DatabaseFacts, changedNs: string): boolean {
  if (facts.closedHeadNs !== null) return !isSameTime(facts.closedHeadNs, changedNs)
  if (head.expectedChangeMs === null) return false
  return Number(changedNs) / 1e6 - head.expectedChangeMs > changeToleranceMs
}

/** Covers file systems that round times to two seconds, and a delay between taking the time and writing. */
const changeToleranceMs = 2_500

function behind(head: Head, facts: DatabaseFacts | null): Standing {
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
 * A copy is born anew, and nothing can give it another's time of birth: where both are known in fractions of a
 * second they decide, also where inodes change from mount to mount. The host and the device say nothing alone: a
 * container's host has a new name each day, a disk another number after a restart.
 */
export function isSameFile(one: FilePlace, other: FilePlace): boolean {
  if (one.bornNs !== null && other.bornNs !== null && !isWholeSeconds(one.bornNs))
    return one.bornNs === other.bornNs
  return one.inode === other.inode
}

const isWholeSeconds = (ns: string): boolean => ns.endsWith('000000000')

/** File systems keep times in nanoseconds, microseconds or seconds, and some only once they are written out. */
function isSameTime(one: string, other: string): boolean {
  const digits = Math.min(trailingZeros(one), 9) > Math.min(trailingZeros(other), 9) ? one : other
  const cut = trailingZeros(digits) >= 9 ? 9 : trailingZeros(digits) >= 3 ? 3 : 0
  return one.slice(0, one.length - cut) === other.slice(0, other.length - cut)
}

const trailingZeros = (digits: string): number => digits.length - digits.replace(/0+$/, '').length
