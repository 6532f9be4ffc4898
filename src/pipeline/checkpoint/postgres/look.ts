import type { CloseLater } from '../../../platform/close-stack.js'
import type { CheckpointReader } from '../checkpoint.js'
import { peekAtCheckpoint } from '../reader.js'
import { copyKnown, copyLookups } from './copying.js'
import { LocalCopy } from './local-copy.js'
import { openSharedToRead, type OpenSharedDeps, type SharedDatabase, type SharedToRead } from './open.js'
import { repeated, type RepeatingDeps } from './repeating.js'

/** What is known of a scope: it is in the copy once it was fetched. */
export type Peek = (scope: string) => CheckpointReader | null

export function peekInto(
  { postgres, explain }: Pick<SharedDatabase, 'postgres' | 'explain'>,
  copy: LocalCopy,
  deps: RepeatingDeps,
): Peek {
  const copying = (work: () => Promise<void>) =>
    repeated(deps, work).catch((error: unknown) => {
      throw explain(error)
    })
  return (scope) =>
    peekAtCheckpoint(copy.path, scope, {
      fetch: (kind, keys) => copying(() => copyKnown(postgres, copy, { base: scope, kind }, keys)),
      fetchLookups: (ids) => copying(() => copyLookups(postgres, copy, ids)),
    })
}

/** What is known in a shared checkpoint, for commands that only look. */
export interface SharedLook extends Pick<SharedToRead, 'problem'> {
  /** Of the copy; gone when this is closed. */
  readonly path: string
  readonly peek: Peek
  /** Closed with it. */
  readonly database: Pick<SharedDatabase, 'postgres' | 'explain'>
}

export interface SharedLookDeps extends RepeatingDeps, Pick<OpenSharedDeps, 'environment'> {
  readonly url: string
  readonly folder: string
}

/** Changes nothing there; null where nothing is known yet. Throws CHECKPOINT_*. */
export async function lookAtShared(deps: SharedLookDeps, closeLater: CloseLater): Promise<SharedLook | null> {
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
    database: shared,
    peek: peekInto(shared, copy, deps),
  }
}
