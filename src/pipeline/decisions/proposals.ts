import { extname } from 'node:path'
import type { Decision } from '../answers/decision.js'
import {
  changeDecisionsFile,
  isUnchanged,
  readDecisionsFile,
  withDecisionsLock,
  type DecisionsFile,
} from './decisions-file.js'

/** Returns the path of the proposals next to a decisions file: `enrich.decisions.proposed.csv`. */
export function getProposalsPath(decisionsPath: string): string {
  const extension = extname(decisionsPath)
  return `${decisionsPath.slice(0, decisionsPath.length - extension.length)}.proposed${extension}`
}

/**
 * Decisions that assistants proposed for one service. Their file has the format of decisions, but only reviews read it:
 * a proposal changes nothing until a reviewer decides.
 */
export class Proposals {
  readonly path: string
  readonly #service: string
  #file: DecisionsFile | null = null
  #byLookup: ReadonlyMap<string, Decision> = new Map()

  constructor(decisionsPath: string, service: string) {
    this.path = getProposalsPath(decisionsPath)
    this.#service = service
  }

  get lookups(): readonly string[] {
    return [...this.#byLookup.keys()]
  }

  /** Reads the file if it changed. Returns whether it did. Throws DECISIONS_*. */
  async refresh(): Promise<boolean> {
    if (isUnchanged(this.path, this.#file)) return false
    this.#file = await readDecisionsFile(this.path)
    const own = (this.#file?.decisions ?? []).filter(({ service }) => service === this.#service)
    this.#byLookup = new Map(own.map((proposal) => [proposal.lookup, proposal]))
    return true
  }

  /** Returns the proposal for a lookup; `null` without one, or if `decision` was made after it. */
  find(lookup: string, decision: Pick<Decision, 'decidedAtMs'> | null): Decision | null {
    const proposal = this.#byLookup.get(lookup) ?? null
    return proposal !== null && (decision?.decidedAtMs ?? -Infinity) < proposal.decidedAtMs ? proposal : null
  }

  /** Replaces earlier proposals for the same lookups. Durable when it resolves. Throws DECISIONS_* and DISK_FULL. */
  async add(proposals: readonly Decision[]): Promise<void> {
    const lookups = new Set(proposals.map(({ lookup }) => lookup))
    await withDecisionsLock(this.path, async () => {
      for (;;) {
        await this.refresh()
        const isReplaced = ({ lookup, service }: Decision) => service === this.#service && lookups.has(lookup)
        const drop = new Set(this.#file?.decisions.filter(isReplaced))
        // Another program saved the file without the lock, so it is read again.
        if (changeDecisionsFile(this.path, this.#file, { add: proposals, drop }) !== null) return
      }
    })
  }
}
