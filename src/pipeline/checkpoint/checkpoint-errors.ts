import { plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import type { Standing } from './checkpoint-standing.js'

/** Returns the error for a checkpoint with unexpected content. `what` names the place, in a few words. */
export function createDamagedError(path: string, cause?: unknown, what = ''): UserError {
  return new UserError('CHECKPOINT_DAMAGED', `the checkpoint ${path} is damaged${what && `: ${what}`}`, {
    hint: 'enrich checkpoint verify lists the damage; enrich checkpoint repair keeps all rows that are intact',
    cause,
  })
}

const rollbackHint =
  'enrich reconcile LEDGER.csv restores the missing submissions from the list of charges; --accept-rollback continues without them, and they may be billed again'

/** Returns the error for a mismatch between a checkpoint and its head file; `null` if they agree. */
export function createHeadError(path: string, standing: Standing): UserError | null {
  switch (standing.kind) {
    case 'ok':
      return null
    case 'behind':
      return new UserError('CHECKPOINT_BEHIND', describeBehind(path, standing), { hint: rollbackHint })
    case 'diverged':
      return new UserError('CHECKPOINT_DIVERGED', `${path} ${describeDiverged(standing)}`, {
        hint: rollbackHint,
      })
    case 'head_missing':
      return new UserError(
        'CHECKPOINT_HEAD_MISSING',
        `the head file ${path}.head ${standing.isUnreadable ? 'cannot be read' : 'is missing'}: it is unknown whether this checkpoint is the newest copy`,
        {
          hint: 'if it may be an older copy, enrich reconcile LEDGER.csv first; --accept-rollback continues with it unchanged',
        },
      )
    case 'copied':
      return new UserError('CHECKPOINT_COPIED', `the checkpoint ${path} ${describeCopied(standing.how)}`, {
        hint: 'lookups submitted after the copy was made would be billed again: use the newest checkpoint, or compare with the list of charges of the service first (enrich reconcile LEDGER.csv); --accept-rollback continues with this one unchanged',
      })
  }
}

function describeBehind(path: string, standing: Standing & { kind: 'behind' }): string {
  const { lostSubmissionCount, lostCommitCount, afterMs, untilMs, isAbsent } = standing
  const what = isAbsent
    ? `the checkpoint ${path} is missing, although its head file, or the copy in your state folder, records answers`
    : `the checkpoint ${path} is older than its head file`
  const formatTime = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  const span = `${afterMs === null ? '' : ` after ${formatTime(afterMs)}`}${untilMs === null ? '' : ` until ${formatTime(untilMs)}`}`
  return lostSubmissionCount === 0
    ? `${what}: no submission is missing, but the last ${plural(lostCommitCount, 'change')}`
    : `${what}: ${plural(lostSubmissionCount, 'submission')}${span} ${lostSubmissionCount === 1 ? 'is' : 'are'} missing, and may have been billed`
}

function describeDiverged({ isOtherCheckpoint }: Standing & { kind: 'diverged' }): string {
  return isOtherCheckpoint
    ? 'is not the checkpoint that its head file was written for'
    : 'does not contain the submissions that its head file records: another copy of it was used later'
}

function describeCopied(how: 'moved' | 'restored'): string {
  return how === 'moved'
    ? 'is a copy, not the file that was written last'
    : 'was restored from a copy after the last run wrote it, or its head file was changed'
}

export const createMovedError = (path: string, to: string): UserError =>
  new UserError('CHECKPOINT_MOVED', `the checkpoint ${path} was moved to ${to}`, {
    hint: 'continue with that one; if it was not used since, enrich checkpoint migrate FROM TO --undo makes this one usable again',
  })

export const createArrivingError = (path: string, from: string): UserError =>
  new UserError('CHECKPOINT_ARRIVING', `the migration of ${from} to ${path} is not complete yet`, {
    hint: 'run the same enrich checkpoint migrate FROM TO again to complete it; until then use the other checkpoint',
  })
