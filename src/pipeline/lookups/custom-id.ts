/** Identity of a submission, which the service echoes: one attempt at one lookup of one checkpoint. */
export interface SubmissionName {
  checkpointId: string
  scopeId: number
  /** The lookup's key, in lower-case hex. */
  keyHex: string
  attempt: number
  /** Number of accepted rollbacks, so that the id of a lost submission is not used again. */
  generation: number
}

/** Formats a custom_id of at most 111 characters (200 are allowed). Generation 0 is omitted, as in earlier versions. */
export function formatCustomId(name: SubmissionName): string {
  const generation = name.generation === 0 ? '' : `_${name.generation}`
  return `enr_${name.checkpointId}_${name.scopeId}_${name.keyHex}_${name.attempt}${generation}`
}

const pattern = /^enr_([0-9a-z-]{1,40})_([1-9]\d{0,9})_([0-9a-f]{32})_([1-9]\d{0,9})(?:_([1-9]\d{0,9}))?$/

/** Parses a custom_id; null if no checkpoint created it. */
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
