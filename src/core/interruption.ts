/** Why an interrupted run stops, and what its process then ends with: 130, or 143 where it was SIGTERM. */
export class Interruption extends Error {
  override readonly name = 'AbortError'

  constructor(readonly exitCode: 130 | 143) {
    super('This operation was aborted')
  }
}

/** By the reason of the signal that was aborted; whoever aborts from code gives another, or none. */
export const interruptionCode = (reason: unknown): 130 | 143 =>
  reason instanceof Interruption ? reason.exitCode : 130
