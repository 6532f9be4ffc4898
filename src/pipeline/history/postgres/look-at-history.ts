import type { CloseLater } from '../../../platform/close-stack.js'
import { LocalCopy } from '../../checkpoint/postgres/local-copy.js'
import type { SharedLookDeps } from '../../checkpoint/postgres/look.js'
import { openSharedToRead } from '../../checkpoint/postgres/open.js'
import { repeated } from '../../checkpoint/postgres/repeating.js'
import type { HistoryReader, KnownHistory } from '../history.js'
import { openHistory } from '../reader.js'
import { copyOutputs } from './copy-outputs.js'
import { querySubmissions, rememberedShared, settledRunsOf } from './shared-runs.js'

/**
 * What a checkpoint on PostgreSQL remembers of its runs, for commands that only look; null where nothing is known yet.
 * What is read of outputs is in a copy, thrown away with it. Throws CHECKPOINT_*.
 */
export async function lookAtHistory(
  deps: SharedLookDeps,
  closeLater: CloseLater,
): Promise<KnownHistory | null> {
  const shared = await openSharedToRead(deps.url, deps)
  if (shared === null) return null
  closeLater(() => shared.close())
  const { clock, random, folder } = deps
  const asking = <Result>(work: () => Promise<Result>) =>
    repeated(deps, work).catch((error: unknown) => {
      throw shared.explain(error)
    })
  const rows = await asking(() => settledRunsOf(shared.postgres, null))
  const submissions = await asking(() => querySubmissions(shared.postgres, null))
  const runs = rows.map(rememberedShared)
  let copy: LocalCopy | null = null
  let reader: HistoryReader | null = null
  closeLater(() => {
    reader?.close()
    copy?.close()
  })
  return {
    runs: () => runs,
    submissions: () => submissions,
    published: (run) => reader?.published(run) ?? null,
    fetch: async (wanted) => {
      const to = (copy ??= new LocalCopy(folder, {
        scope: 'copy',
        job: 'copy',
        nowMs: clock.nowMs(),
        random,
      }))
      await asking(() => shared.postgres.transaction((statements) => copyOutputs(statements, to, wanted)))
      reader ??= openHistory(to.path)
    },
    close: () => undefined,
  }
}
