import type { Fact } from './facts.js'

/** Of a job on a server that has parts. */
interface CarriedJob {
  readonly what: 'job'
  readonly job_id: number
  readonly partition_count: number
  readonly partition_input: string | null
}

/** A count of a kind within a job on a server: in a file it is the job `own_job_id`. */
interface CarriedKind {
  readonly what: 'kind'
  readonly job_id: number
  readonly scope_id: number
  readonly own_job_id: number
  readonly reserved_before: number
}

/** A part that was published. */
interface CarriedOutput {
  readonly what: 'output'
  readonly job_id: number
  readonly part: number
  readonly [column: string]: string | number | null
}

export type Carried = CarriedJob | CarriedKind | CarriedOutput

export const carriedFact = (carried: Carried, position: number): Fact => {
  const { what, ...fact } = carried
  return { position, what, fact: JSON.stringify(fact) }
}

export const readCarried = (fact: Fact): Carried =>
  ({ ...(JSON.parse(String(fact['fact'])) as object), what: fact['what'] }) as Carried
