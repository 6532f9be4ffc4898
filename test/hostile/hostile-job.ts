import { onTestFinished } from 'vitest'
import type { EnrichConfig, EnrichOptions, RunSummary } from '../../src/index.js'
import type { LookupState } from '../../src/core/lookup-state.js'
import { hurriedClock } from '../support/hurried-clock.js'
import { createWorkplace, type Workplace } from '../support/pipeline-job.js'
import { intactStates } from './checkpoint-state.js'
import { startHostileServer, type HostileOptions, type HostileServer } from './hostile-server.js'

/** Bounds that a test reaches in a moment; the real ones are generous. */
const lowBounds = { exchangeMsMax: 1_500, responseBytesMax: 200_000 } as const

/** A hurried clock reaches every deadline at once: no run is left for being late. */
const polling = { deadlineMinutes: 100_000 } as const

export interface HostileJob {
  readonly place: Workplace
  readonly server: HostileServer
  /** Waits of minutes pass in moments; bounds are low until the server behaves. */
  run(config?: EnrichConfig, options?: EnrichOptions): Promise<RunSummary>
  /** From here on the server does what the interface says. */
  behave(): void
  states(): Record<string, LookupState>
}

/** The real pipeline over rows of these names, against a server that misbehaves as told. */
export async function hostileJob(names: readonly string[], options: HostileOptions): Promise<HostileJob> {
  const place = createWorkplace()
  const server = await startHostileServer(options)
  onTestFinished(() => server.close())
  place.writeRows(names.map((name) => `${name},`))
  let answerBounds: NonNullable<EnrichOptions['answerBounds']> = lowBounds
  return {
    place,
    server,
    run: (config = {}, runOptions = {}) =>
      place.run(server, { polling, ...config }, { clock: hurriedClock(500), answerBounds, ...runOptions }),
    behave: () => {
      server.behave()
      answerBounds = {}
    },
    states: () => intactStates(place.path('checkpoint.sqlite')),
  }
}
