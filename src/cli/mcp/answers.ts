import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { CommanderError } from 'commander'
import { resolveApiKey } from '../../config/settings.js'
import { getErrorStack, UserError } from '../../core/errors.js'
import { redactAddresses } from '../../core/local-path.js'
import { omittedText } from '../../core/secret.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { CliIo } from '../terminal/command-io.js'

/** Names of variables whose values no answer contains. */
const secretName = /KEY|SECRET|TOKEN|PASS|AUTHORIZATION|CREDENTIAL|NOTIFY_URL|CONNECTION_STRING/i
/** Shorter values are words that answers may contain for other reasons. */
const secretCharsMin = 6

/** Returns a function that replaces the secrets of the environment in JSON by an ellipsis. */
export function createRedactor({ environment }: Pick<CliIo, 'environment'>): (json: string) => string {
  const values = Object.entries(environment).flatMap(([name, value = '']) =>
    secretName.test(name) ? [value, ...value.split(/\s+/)] : [],
  )
  try {
    values.push(resolveApiKey(environment).reveal())
  } catch {
    // There is no key, or none that can be read.
  }
  const secrets = values
    .filter((value) => value.length >= secretCharsMin)
    .map((value) => JSON.stringify(value).slice(1, -1))
    // A secret may contain another one.
    .sort((one, other) => other.length - one.length)
  return (json) => secrets.reduce((text, secret) => text.replaceAll(secret, omittedText), json)
}

/** Builds the answer of a tool. */
export function toResult(value: object, redact: (json: string) => string, isError = false): CallToolResult {
  const text = redact(JSON.stringify(value))
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return { content: [{ type: 'text', text }], structuredContent, isError }
}

/** Describes an error like `--json`. Details of a bug go to standard error only. */
export function describeError(thrown: unknown, io: Pick<CliIo, 'err'>): object {
  const error = explainSystemFailure(thrown)
  const describe = (code: string, message: string, hint: string | null = null) => ({
    type: 'error',
    code,
    message: redactAddresses(message),
    hint: hint === null ? null : redactAddresses(hint),
  })
  if (error instanceof UserError) return describe(error.code, error.message, error.hint)
  if (error instanceof CommanderError) return describe('USAGE_INVALID', error.message)
  if (error instanceof Error && error.name === 'AbortError')
    return describe('INTERRUPTED', 'the call was cancelled')
  io.err(`This is a bug in enrich.\n${getErrorStack(error)}\n`)
  return describe('BUG', 'a bug in enrich; standard error has the details')
}
