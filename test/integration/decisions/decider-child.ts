import { DecisionSync } from '../../../src/pipeline/decisions/decision-sync.js'
import { openReviewStore } from '../../../src/pipeline/decisions/review-store.js'
import { decisionOf, service } from './support.js'

/**
 * A reviewer in a process of its own: decides companies one after another, the third of each four anew, and says of each
 * when it is durable, until it is killed.
 */
export async function main(checkpoint: string, path: string, reviewer: string): Promise<void> {
  const store = openReviewStore(checkpoint)
  const book = new DecisionSync(store.decisions, path, service)
  for (let index = 0; ; index++) {
    const decide = async (entityId: string, seen: number) => {
      const decision = decisionOf(`${reviewer} ${index}`, { entityId, decidedBy: reviewer })
      const outcome = await store.decisions.decide([decision], new Map([[decision.lookup, seen]]))
      if (outcome.kind !== 'decided') throw new Error('somebody else decided it')
      await book.sync()
      return outcome.decisions[0]?.sequence ?? 0
    }
    const sequence = await decide('siq_first', 0)
    if (index % 4 === 2) await decide('siq_second', sequence)
    process.stdout.write(`${index}\n`)
  }
}
