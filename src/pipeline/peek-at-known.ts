import type { CheckpointReader } from './checkpoint/checkpoint.js'
import { peekAtCheckpoint } from './checkpoint/reader.js'
import type { PipelineDeps } from './deps.js'

/** What is known while a run goes on, or is about to; null where nothing is. */
export function peekAtKnown(
  { peek, checkpoint }: Pick<PipelineDeps, 'peek' | 'checkpoint'>,
  scope: string,
): CheckpointReader | null {
  return peek === undefined ? peekAtCheckpoint(checkpoint.path, scope) : peek(scope)
}
