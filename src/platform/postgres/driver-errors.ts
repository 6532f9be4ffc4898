import { explainLost, explainPassword, explainRefused, type DatabasePlace } from './explain.js'
import { PasswordMissingError } from './password.js'
import { ConnectionLostError, StatementError } from './postgres.js'

/** SQLSTATE of what ends a connection, or keeps one from being made for now. */
const lostStates = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300', '57014'])
const isLostState = (state: string) => lostStates.has(state) || state.startsWith('08')

/** What the driver says without a code, where a connection broke or was not to be had in time. */
const lostTexts =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered|Client was closed|Cannot use a pool)/

/**
 * What an error of the driver means to callers, in a user's words; an error that has nothing to do with the server or
 * its connection is returned unchanged.
 */
export function refusalOf(place: DatabasePlace, error: unknown): unknown {
  if (error instanceof PasswordMissingError) return explainPassword(place, error)
  if (!(error instanceof Error)) return error
  const lost = (systemCode: string | null) =>
    new ConnectionLostError(explainLost(place, systemCode), true, systemCode, error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  if ('severity' in error && code !== null) {
    return isLostState(code)
      ? lost(code)
      : new StatementError(explainRefused(place, code, error.message), code, error)
  }
  if (code !== null) return lost(code)
  if (lostTexts.test(error.message)) return lost(null)
  // Texts of its own about how it was to begin: the server speaks no TLS, or proves nothing of the password.
  if (/SSL/.test(error.message)) return lost('TLS_REFUSED')
  if (/^SASL/.test(error.message)) return lost('SASL')
  return error
}

/** The same of what was never sent, or is rolled back by the server on its own. */
export const certain = (error: unknown): unknown =>
  error instanceof ConnectionLostError && error.mayHaveTakenEffect
    ? new ConnectionLostError(error, false, error.systemCode, error.cause)
    : error
