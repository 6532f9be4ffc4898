import type { RegistrationOutline, StoredEntity } from '../store/reader.js'

/** Whether a registration stands, and how that is known. */
export interface Standing<Registration> {
  readonly status: string | null
  /** Whose registration says so. */
  readonly holder: Registration
  /** A source has a word for it; else it follows from the listed share. */
  readonly isStated: boolean
}

/**
 * What its sources say; where they say nothing, a listed company stands. A registration that its source's newest
 * file does not name is not known to be active.
 */
export function statusOf({
  status,
  exchange,
  removedFromSource,
}: Pick<RegistrationOutline, 'status' | 'exchange' | 'removedFromSource'>): string | null {
  if (removedFromSource) return status === 'inactive' ? status : null
  return status ?? (exchange === null ? null : 'active')
}

/**
 * The standing of a company by the registration it is shown by, and by its listing: what is listed is active, unless a
 * source that is not older says otherwise.
 */
export function standingOf<Registration extends RegistrationOutline>(
  primary: Registration,
  stored: StoredEntity<Registration>,
): Standing<Registration> {
  const status = primary.removedFromSource ? statusOf(primary) : primary.status
  const stated = { status, holder: primary, isStated: true }
  if (status === 'active') return stated
  const listed = stored.legalEntities.find(
    ({ exchange, removedFromSource, sourceDate }) =>
      exchange !== null && !removedFromSource && (status === null || sourceDate > primary.sourceDate),
  )
  return listed === undefined ? stated : { status: 'active', holder: listed, isStated: false }
}
