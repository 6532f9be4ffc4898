import { expect } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { foreignWords } from '../../support/refusal.js'

/** A value of a row, and a password: no message may contain them. */
export const plantedValue = 'Planted-73519'
export const plantedSecret = 'Hidden-90211'

interface ExpectedRefusal {
  readonly code: string
  /** Part of the message: what the user can name. */
  readonly names: string
}

/** Runs an action that must be refused in our words, with a hint. Returns the error. */
export async function expectRefusal(
  action: () => Promise<unknown>,
  { code, names }: ExpectedRefusal,
): Promise<UserError> {
  const error: unknown = await action().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UserError)
  const refusal = error as UserError
  const text = `${refusal.message}; ${refusal.hint ?? ''}`
  expect(refusal.code, text).toBe(code)
  expect(refusal.hint, text).toBeTruthy()
  expect(text).toContain(names)
  expect(text).not.toMatch(foreignWords)
  expect(text).not.toMatch(/permission denied|ECONN|EAI_/)
  expect(text).not.toContain(plantedValue)
  expect(text).not.toContain(plantedSecret)
  expect(text).not.toContain('\n')
  return refusal
}

/** Returns the code that the engine gave to an error, at any depth. */
export function findEngineCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as Error & { code?: string }
    if (!(at instanceof UserError) && code !== undefined) return code
  }
  return null
}
