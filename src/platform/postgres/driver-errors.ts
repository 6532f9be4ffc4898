import { PasswordMissingError } from './password.js'
import { ConnectionLostError, StatementError } from './postgres.js'

/** SQLSTATE of what ends a connection, or keeps one from being made for now. */
const lostStates = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300', '57014'])
const isLostState = (state: string) => lostStates.has(state) || state.startsWith('08')

/** What the driver says without a code, where a connection broke or was not to be had in time. */
const lostTexts =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered|Client was closed|Cannot use a pool)/

/** What an error of the driver means to callers; what is none of the server or its connection is given back as it is. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PasswordMissingError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  if ('severity' in error && code !== null) {
    return isLostState(code)
      ? new ConnectionLostError(`the server ended it: ${error.message}`, true, code)
      : new StatementError(error.message, code)
  }
  if (code !== null) return new ConnectionLostError(`no connection (${code})`, true, code)
  if (lostTexts.test(error.message)) return new ConnectionLostError(error.message, true)
  // Texts of its own about how it was to begin: the server speaks no TLS, or proves nothing of the password.
  if (/SSL/.test(error.message))
    return new ConnectionLostError('the server does not speak TLS', true, 'TLS_REFUSED')
  if (/^SASL/.test(error.message))
    return new ConnectionLostError('the server does not know the password', true, 'SASL')
  return error
}

/** The same of what was never sent, or is rolled back by the server on its own. */
export const certain = (error: unknown): unknown =>
  error instanceof ConnectionLostError && error.mayHaveTakenEffect
    ? new ConnectionLostError(error.message, false, error.code)
    : error
