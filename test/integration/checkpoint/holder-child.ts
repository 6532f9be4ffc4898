import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { job, keyOf, scope } from './support.js'

/**
 * Opens the checkpoint, submits what it is told and never learns what came of the last of them: `intend` is
 * durable, nothing follows. Says each custom id, and its own process id, until it is killed.
 */
export async function main(path: string, ...names: string[]): Promise<void> {
  const nowMs = systemClock.nowMs()
  const checkpoint = openCheckpoint({ path, scope, job, nowMs, random: systemRandom })
  const ids = await checkpoint.store.register(
    names.map((name) => ({
      kind: 'resolution' as const,
      key: keyOf(name),
      lookup: { name, location: null, context: null },
    })),
  )
  for (const [index, lookupId] of ids.entries()) {
    const { customId } = await checkpoint.intend(lookupId, nowMs)
    if (index < ids.length - 1)
      await checkpoint.apply({ event: 'accept', lookupId, customId, runId: `run_${index}`, nowMs })
    process.stdout.write(`${customId}\n`)
  }
  process.stdout.write(`${process.pid}\n`)
  setInterval(() => undefined, 60_000)
}
