/** What a submission bears, and an echo of it names: one attempt at one lookup of one checkpoint. */
export interface SubmissionName {
  checkpointId: string
  scopeId: number
  /** The lookup's key, in lower-case hex. */
  keyHex: string
  attempt: number
  /** How often a rollback was accepted before: so that no name of a lost submission is given again. */
  generation: number
}

/** At most 111 characters: 200 are allowed. The first generation is not written, as in earlier versions. */
export function formatCustomId(name: SubmissionName): string {
  const generation = name.generation === 0 ? '' : `_${name.generation}`
  return `enr_${name.checkpointId}_${name.scopeId}_${name.keyHex}_${name.attempt}${generation}`
}

const pattern = /^enr_([0-9a-z-]{1,40})_([1-9]\d{0,9})_([0-9a-f]{32})_([1-9]\d{0,9})(?:_([1-9]\d{0,9}))?$/

/** Null for whatever no checkpoint of ours gave out. */
export function parseCustomId(text: string): SubmissionName | null {
  const [, checkpointId, scopeId, keyHex, attempt, generation = '0'] = pattern.exec(text) ?? []
  if (checkpointId === undefined || scopeId === undefined || keyHex === undefined) return null
  return {
    checkpointId,
    scopeId: Number(scopeId),
    keyHex,
    attempt: Number(attempt),
    generation: Number(generation),
  }
}
