import { plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import type { Standing } from '../figures/checkpoint-standing.js'

/** The checkpoint is one of ours and not as we wrote it. `what` says where, in a few words. */
export function damaged(path: string, cause?: unknown, what = ''): UserError {
  return new UserError('CHECKPOINT_DAMAGED', `the checkpoint ${path} is damaged${what && `: ${what}`}`, {
    hint: 'enrich checkpoint verify says what is wrong; enrich checkpoint repair keeps what is sound',
    cause,
  })
}

const wayOn =
  'enrich reconcile LEDGER.csv takes what is missing from the list of charges of the service; --accept-rollback goes on without, and what was lost may be billed again'

/** What is wrong between a checkpoint and its head, for people; null where nothing is. */
export function standingError(path: string, standing: Standing): UserError | null {
  switch (standing.kind) {
    case 'ok':
      return null
    case 'behind':
      return new UserError('CHECKPOINT_BEHIND', behindText(path, standing), { hint: wayOn })
    case 'diverged':
      return new UserError('CHECKPOINT_DIVERGED', `${path} ${divergedText(standing)}`, { hint: wayOn })
    case 'head_missing':
      return new UserError(
        'CHECKPOINT_HEAD_MISSING',
        `the head file ${path}.head ${standing.isUnreadable ? 'cannot be read' : 'is missing'}: whether the checkpoint is the newest cannot be told`,
        {
          hint: 'if it may be an older copy, enrich reconcile LEDGER.csv first; --accept-rollback goes on with it as it is',
        },
      )
    case 'copied':
      return new UserError('CHECKPOINT_COPIED', `the checkpoint ${path} ${copiedText(standing.how)}`, {
        hint: 'lookups submitted after the copy was made would be billed again: use the newest checkpoint, or compare with the list of charges of the service first (enrich reconcile LEDGER.csv); --accept-rollback continues with this one as it is',
      })
  }
}

function behindText(path: string, standing: Standing & { kind: 'behind' }): string {
  const { lostSubmissionCount, lostCommitCount, afterMs, untilMs, isAbsent } = standing
  const what = isAbsent
    ? `the checkpoint ${path} is missing, and its head file says that it held answers`
    : `the checkpoint ${path} is older than its head file says`
  const when = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  const span = `${afterMs === null ? '' : ` after ${when(afterMs)}`}${untilMs === null ? '' : ` until ${when(untilMs)}`}`
  return lostSubmissionCount === 0
    ? `${what}: no submission is missing, but the last ${plural(lostCommitCount, 'change')}`
    : `${what}: ${plural(lostSubmissionCount, 'submission')}${span} ${lostSubmissionCount === 1 ? 'is' : 'are'} missing, and may have been billed`
}

function divergedText({ isOtherCheckpoint }: Standing & { kind: 'diverged' }): string {
  return isOtherCheckpoint
    ? 'is another checkpoint than the one that its head file was written for'
    : 'does not hold the submissions that its head file was written after: another copy of it went on'
}

function copiedText(how: 'moved' | 'restored'): string {
  return how === 'moved'
    ? 'is a copy: not the file that was written last'
    : 'was restored from a copy after the last run wrote it, or its head file was changed'
}

export const moved = (path: string, to: string): UserError =>
  new UserError('CHECKPOINT_MOVED', `the checkpoint ${path} was moved to ${to}`, {
    hint: 'go on with that one; enrich checkpoint migrate FROM TO --undo makes this one usable again, where that one was not used since',
  })

export const arriving = (path: string, from: string): UserError =>
  new UserError('CHECKPOINT_ARRIVING', `not all of ${from} is moved to ${path} yet`, {
    hint: 'the same enrich checkpoint migrate FROM TO ends it; until then the other one is the checkpoint',
  })
