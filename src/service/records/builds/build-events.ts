import type { RunId } from '../../../contract/ids.js'
import type { NewEvent } from '../../deliveries/outbox.js'
import type { BuildKind, BuildState, BuildWaiter, EventData, StoredBuild } from './build.js'

/** What is written for a waiter of a build that has ended: its object stays to be polled. */
export type WaiterEnding = (
  build: StoredBuild,
  waiter: BuildWaiter,
  atMs: number,
) => { readonly object: string; readonly event: NewEvent }

/** In which states of a build a call gets its event at the end; that of a failed one is written at once. */
const eventStates: Readonly<Record<BuildKind, readonly BuildState[]>> = {
  entity: ['building'],
  domain: ['building', 'failed'],
  hierarchy: [],
}

export const isWaitedFor = ({ kind, state }: StoredBuild): boolean => eventStates[kind].includes(state)

const eventNames = { entity: 'entity', domain: 'domain_intelligence' } as const

export function waiterEndings(eventData: Readonly<Record<'entity' | 'domain', EventData>>): WaiterEnding {
  return (build, waiter, atMs) => {
    const { kind } = build
    if (kind === 'hierarchy') throw new Error('nobody waits for a hierarchy')
    const isFailed = build.state === 'failed'
    const data = eventData[kind](build, waiter)
    const object = runObjectOf(waiter.runId, isFailed ? 'FAILED' : 'COMPLETED', data)
    const { accountNumber, webhookUrl, runId } = waiter
    const type = `${eventNames[kind]}.${isFailed ? 'failed' : 'completed'}` as const
    const event = { accountNumber, type, webhookUrl, runId, customId: null, object, createdAtMs: atMs }
    return { object, event }
  }
}

/** JSON text, as the poll of the run shows it. */
export function runObjectOf(
  runId: RunId,
  status: 'PENDING' | 'COMPLETED' | 'FAILED',
  data: object | null,
): string {
  return JSON.stringify({ run_id: runId, status, data })
}
