import { UserError } from '../../core/errors.js'
import type { StoreClient, StoreFailure } from './store-client.js'

export type Operation = 'read' | 'list' | 'write' | 'delete'

interface FailureContext {
  readonly operation: Operation
  /** Address in messages. */
  readonly label: string
  readonly use: 'input' | 'output'
}

const deniedCodes = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'])
const missingContainerCodes = new Set(['NoSuchBucket', 'ContainerNotFound', 'ContainerBeingDeleted'])

export const isContainerMissing = ({ status, code }: StoreFailure): boolean =>
  status === 404 && missingContainerCodes.has(code ?? '')

/** Returns the error for a refusal. */
export function explainFailure(
  failure: StoreFailure,
  client: StoreClient,
  context: FailureContext,
): UserError {
  const { operation, label, use } = context
  const { status, code } = failure
  const { label: container } = client.service
  const create = (errorCode: UserError['code'], message: string, hint: string) =>
    new UserError(errorCode, message, { hint, cause: failure })
  if (status === 401 || status === 403 || deniedCodes.has(code ?? '')) {
    return (
      findClockError(failure, client) ??
      create(
        'ACCESS_DENIED',
        `${container} refused to ${operation} ${label === container ? 'it' : label} (${failure.message})`,
        deniedHints[code ?? ''] ??
          `give these credentials the right to ${operation} there; some stores also answer so if the name does not exist`,
      )
    )
  }
  if (isContainerMissing(failure)) {
    return create(
      use === 'input' ? 'INPUT_NOT_FOUND' : 'OUTPUT_UNWRITABLE',
      `${container} does not exist (${failure.message})`,
      'check the name, the account and the endpoint',
    )
  }
  if (use === 'input' && status === 404) {
    return create('INPUT_NOT_FOUND', `${label} does not exist`, 'check the address; names are case-sensitive')
  }
  return create(
    use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE',
    `${container} cannot ${operation} ${label === container ? 'it' : label} (${failure.message})`,
    'look up this error in the documentation of the store',
  )
}

const deniedHints: Readonly<Record<string, string>> = {
  ExpiredToken: 'the credentials have expired: renew them',
  InvalidObjectState: 'the object is archived: restore it first',
  InvalidAccessKeyId: 'the store does not know this access key: check the credentials and the endpoint',
  InvalidToken: 'the session token is wrong: copy all three values of the credentials again',
  SignatureDoesNotMatch: 'the secret key does not belong to the access key: copy it again',
  AuthenticationFailed: 'the key or the SAS token is wrong or has expired: copy it again',
}

/** A refusal by a store whose clock differs much from ours. */
function findClockError(failure: StoreFailure, { service, platform }: StoreClient): UserError | null {
  const nowMs = platform.clock.nowMs()
  const theirMs = failure.dateMs
  if (Number.isNaN(theirMs) || Math.abs(theirMs - nowMs) <= platform.limits.clockSkewMsMax) return null
  const show = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
  return new UserError(
    'CLOCK_WRONG',
    `the clock of this machine shows ${show(nowMs)}, and the clock of ${service.label} shows ${show(theirMs)}`,
    { hint: 'set the clock of this machine, for example by NTP', cause: failure },
  )
}

/** The reply is not that of a store. */
export function createUnexpectedError({ service }: StoreClient, use: 'input' | 'output'): UserError {
  return new UserError(
    use === 'input' ? 'INPUT_UNREADABLE' : 'OUTPUT_UNWRITABLE',
    `${service.label} answered with something else than a store`,
    { hint: 'check the endpoint: it may lead to a proxy or a web page' },
  )
}
