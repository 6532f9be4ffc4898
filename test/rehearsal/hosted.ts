import type { Fault, StrangeAnswer, RecordedRequest } from '../support/strange-service.js'
import type { Dice } from './dice.js'
import type { FirmChange } from './list-of-rows.js'

interface Firm {
  readonly name: string
  id: string
  confidence: number
  /** Where it was merged into, in the nights in which the service says so. */
  mergedInto: string | null
  status: 'matched' | 'partial_match' | 'no_match' | 'merged'
  /** The answer to its last submission was lost. */
  isLost: boolean
}

/** A hosted service over the nights, by a script that says what changed as the list of changes has to say it. */
export class HostedWorld {
  readonly #firms: Firm[]
  #idCount = 0

  constructor(firmCount: number) {
    this.#firms = Array.from({ length: firmCount }, (_, firm) => ({
      name: `Company ${firm} Limited`,
      id: this.#newId(),
      confidence: 91,
      mergedInto: null,
      status: 'matched',
      isLost: false,
    }))
  }

  get firms(): number[] {
    return this.#firms.map((_, firm) => firm)
  }

  asked(firm: number): { readonly name: string; readonly city: string } {
    return { name: this.#firm(firm).name, city: 'London' }
  }

  answers(): Record<string, StrangeAnswer> {
    return Object.fromEntries(this.#firms.map((firm) => [firm.name, answerOf(firm)]))
  }

  entities(): Record<string, Record<string, unknown>> {
    const ids = this.#firms.flatMap(({ id, mergedInto }) => [
      id,
      ...(mergedInto === null ? [] : [mergedInto]),
    ])
    return Object.fromEntries(ids.map((id) => [id, { id, display_name: id, legal_name: id }]))
  }

  /** A submission of a company whose answer is to be lost is billed, and nobody hears of it. */
  readonly faults = ({ method, body }: RecordedRequest): Fault | undefined => {
    if (method !== 'POST') return undefined
    const { name } = JSON.parse(body) as { name: string }
    return this.#firms.some((firm) => firm.isLost && firm.name === name) ? 'accept_then_reset' : undefined
  }

  /** What was lost is found again; then answers are lost, companies merge, are others, are doubted and are not found. */
  edit(dice: Dice): FirmChange[] {
    const found = this.firms.filter((firm) => this.#firm(firm).isLost).map((firm) => this.#find(firm))
    const merging = this.firms.filter((firm) => this.#firm(firm).mergedInto !== null)
    for (const firm of merging) this.#settle(firm)
    const untouched = this.firms.filter(
      (firm) => !merging.includes(firm) && !found.some((change) => change.firm === firm),
    )
    const [lost, merged, replaced, ...turned] = dice.some(untouched, 6)
    return [
      ...found,
      ...changesOf(lost, (firm) => this.#lose(firm)),
      ...changesOf(merged, (firm) => this.#merge(firm)),
      ...changesOf(replaced, (firm) => this.#replace(firm)),
      ...turned.flatMap((firm) => this.#turn(firm, dice)),
    ]
  }

  #find(firm: number): FirmChange {
    const own = this.#firm(firm)
    own.isLost = false
    return { firm, kind: 'gained_match', values: ['status', 'uncertain', 'matched'] }
  }

  #lose(firm: number): FirmChange[] {
    const own = this.#firm(firm)
    if (own.status !== 'matched') return []
    own.isLost = true
    return [{ firm, kind: 'lost_match', values: ['status', 'matched', 'uncertain'] }]
  }

  #merge(firm: number): FirmChange[] {
    const own = this.#firm(firm)
    if (own.status !== 'matched') return []
    own.mergedInto = this.#newId()
    own.status = 'merged'
    return [{ firm, kind: 'merged', values: ['merged_into', '', own.mergedInto] }]
  }

  /** A night after a merger the company is answered under its new id: nothing is left to tell. */
  #settle(firm: number): void {
    const own = this.#firm(firm)
    own.id = own.mergedInto ?? own.id
    own.mergedInto = null
    own.status = 'matched'
  }

  #replace(firm: number): FirmChange[] {
    const own = this.#firm(firm)
    if (own.status !== 'matched') return []
    const before = own.id
    own.id = this.#newId()
    return [{ firm, kind: 'entity_changed', values: ['entity_id', before, own.id] }]
  }

  #turn(firm: number, dice: Dice): FirmChange[] {
    const own = this.#firm(firm)
    const before = own.status
    if (before === 'merged') return []
    const [now = before] = dice.some(['matched', 'partial_match', 'no_match'] as const, 1)
    own.status = now
    own.confidence = now === 'matched' ? 91 : 60
    if (before === now || (before !== 'matched' && now !== 'matched')) return []
    return [
      { firm, kind: now === 'matched' ? 'gained_match' : 'lost_match', values: ['status', before, now] },
    ]
  }

  #newId = (): string => `siq_${++this.#idCount}`

  #firm(firm: number): Firm {
    const found = this.#firms[firm]
    if (found === undefined) throw new Error(`no company ${firm}`)
    return found
  }
}

const changesOf = (firm: number | undefined, edit: (firm: number) => FirmChange[]): FirmChange[] =>
  firm === undefined ? [] : edit(firm)

function answerOf({ name, id, confidence, status, mergedInto }: Firm): StrangeAnswer {
  if (status === 'no_match') return { status }
  return {
    status,
    match_confidence: confidence,
    subtype: 'incorporated_entity',
    merged_into: mergedInto,
    entity: { id, display_name: name, legal_name: name, status: 'active', identifiers: [] },
  }
}
