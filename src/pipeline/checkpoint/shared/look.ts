import type { CloseLater } from '../../../platform/close-stack.js'
import { peekAtCheckpoint } from '../reader.js'
import { fetchingInto } from './copying.js'
import { LocalCopy } from './local-copy.js'
import { openSharedToRead, type SharedToRead } from './open.js'
import type { SharedRun, SharedRunDeps } from './shared-run.js'

/** What is known in a shared checkpoint, for commands that only look. */
export interface SharedLook extends Pick<SharedRun, 'path' | 'peek'>, Pick<SharedToRead, 'problem'> {}

/** Changes nothing there; null where nothing is known yet. Throws CHECKPOINT_*. */
export async function lookAtShared(
  deps: Pick<SharedRunDeps, 'url' | 'environment' | 'folder' | 'clock' | 'random'>,
  closeLater: CloseLater,
): Promise<SharedLook | null> {
  const shared = await openSharedToRead(deps.url, deps)
  if (shared === null) return null
  closeLater(() => shared.close())
  const { clock, random, folder } = deps
  const copy = new LocalCopy(folder, { scope: 'copy', job: 'copy', nowMs: clock.nowMs(), random })
  closeLater(() => {
    copy.close()
  })
  return {
    path: copy.path,
    problem: shared.problem,
    peek: (scope) => peekAtCheckpoint(copy.path, scope, fetchingInto(copy, scope, shared, deps)),
  }
}
