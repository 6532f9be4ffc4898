import { UserError } from '../../../core/errors.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { arriving, moved } from '../moved-error.js'

interface Moves {
  readonly movedTo: string | null
  readonly arrivingFrom: string | null
  /** Another process is at it, now. */
  readonly isMoving: boolean
}

const movesSql = `SELECT moved_to AS "movedTo", arriving_from AS "arrivingFrom",
    coalesce(moving_until > clock_timestamp(), false) AS "isMoving" FROM enrich.checkpoint`

/** Of `enrich.checkpoint c`: whether processes may join it. */
export const isOpenSql = `c.moved_to IS NULL AND c.arriving_from IS NULL
    AND coalesce(c.moving_until <= clock_timestamp(), true)`

/** Throws CHECKPOINT_MOVED, CHECKPOINT_ARRIVING and, unless it is only read, CHECKPOINT_IN_USE. */
export async function assertNotMoved(
  { query }: PostgresStatements,
  url: string,
  use: 'read' | 'write',
): Promise<void> {
  const [moves] = await query<Moves>(movesSql)
  if (moves !== undefined) assertNo(moves, url, use)
}

/** The same to write, and it stays so until the transaction ends. */
export async function assertNotMoving({ query }: PostgresStatements, url: string): Promise<void> {
  const [moves] = await query<Moves>(`${movesSql} FOR SHARE`)
  if (moves !== undefined) assertNo(moves, url, 'write')
}

function assertNo({ movedTo, arrivingFrom, isMoving }: Moves, url: string, use: 'read' | 'write'): void {
  if (movedTo !== null) throw moved(url, movedTo)
  if (arrivingFrom !== null) throw arriving(url, arrivingFrom)
  if (isMoving && use === 'write')
    throw new UserError('CHECKPOINT_IN_USE', `the checkpoint ${url} is being moved`, {
      hint: 'wait for that to end; then go on with the checkpoint that it was moved to',
    })
}
