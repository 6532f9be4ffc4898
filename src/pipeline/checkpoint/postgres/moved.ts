import { UserError } from '../../../core/errors.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'

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

export const moved = (path: string, to: string): UserError =>
  new UserError('CHECKPOINT_MOVED', `the checkpoint ${path} was moved to ${to}`, {
    hint: 'go on with that one; enrich checkpoint migrate FROM TO --undo makes this one usable again where that one was not used',
  })

export const arriving = (path: string, from: string): UserError =>
  new UserError('CHECKPOINT_ARRIVING', `${from} is not moved to ${path} whole yet`, {
    hint: 'enrich checkpoint migrate FROM TO, as before, ends it; until then the other one is the checkpoint',
  })
