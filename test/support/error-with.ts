import { expect } from 'vitest'

type Part = string | RegExp

/** Matches an error with this code, whose message and hint contain the text or match the pattern. */
export function errorWith(
  code: string,
  parts: { readonly message?: Part; readonly hint?: Part } = {},
): object {
  const match = (part: Part): unknown =>
    typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part)
  return expect.objectContaining({
    code,
    ...(parts.message !== undefined && { message: match(parts.message) }),
    ...(parts.hint !== undefined && { hint: match(parts.hint) }),
  }) as object
}
