import { parentNameOf, type Firm } from './firms.js'

/** A record that work was begun for, and what becomes of it. */
export interface AskedRecord {
  readonly kind: 'entity' | 'hierarchy' | 'domain'
  readonly name: string
  /** The company that it is about, or a domain leads to; null where nobody's. */
  readonly firm: Firm | null
  readonly fate: 'complete' | 'fails' | 'missing' | 'state_unknown'
  /** It was there when it was asked first. */
  readonly isHeld: boolean
  readonly begunAtMs: number
  readonly doneAtMs: number
  /** The same by the clock on the wall, as answers say it. */
  readonly doneAt: string
}

type Body = Record<string, unknown>

/** `siq_chain_3` was merged into `siq_chain_2`, and so on to 0; `siq_circle` into `siq_circle2` and back. */
export function mergedIntoOf(id: string): string | null {
  if (id === 'siq_circle') return 'siq_circle2'
  if (id === 'siq_circle2') return 'siq_circle'
  const step = Number(/^siq_chain_(\d+)$/.exec(id)?.[1] ?? 0)
  return step > 0 ? `siq_chain_${step - 1}` : null
}

/** The record of a merged id is that of the one it was merged into. */
export function entityBody({ name, fate, firm }: AskedRecord, isDone: boolean): Body {
  const next = mergedIntoOf(name)
  const entity = { id: next ?? name, ...(firm === null ? {} : { website: firm.website }) }
  const head = { status: next === null ? 'matched' : 'merged', merged_into: next }
  if (fate === 'state_unknown') return { ...head, entity }
  const status = isDone ? (fate === 'fails' ? 'failed' : 'complete') : 'building'
  return { ...head, entity, enrichment: { status, updated_at: null }, request_id: 'req_1' }
}

export function hierarchyBody({ name, fate, doneAt }: AskedRecord, isDone: boolean): Body {
  const head = { entity_id: name, request_id: 'req_1' }
  if (!isDone) return { ...head, status: 'in_progress', data: null, last_researched_at: null, message: null }
  if (fate === 'fails')
    return { ...head, status: 'failed', data: null, last_researched_at: null, message: 'nothing was found' }
  return {
    ...head,
    status: 'completed',
    data: {
      entities: [],
      relationships: [],
      ownership_chain: [],
      evidence: [],
      summary_short: 'owned',
      summary_long: 'owned',
      mermaid_diagram: '',
      target_entity: { id: 'e1', name },
      ultimate_parent: { id: 'e2', name: parentNameOf(name) },
    },
    last_researched_at: doneAt,
    message: null,
  }
}

export function domainBody({ name, fate, firm }: AskedRecord, isDone: boolean): Body {
  const head = { domain: name, message: null, request_id: 'req_1', metadata: {} }
  if (!isDone) return { ...head, status: name.length % 2 === 0 ? 'building' : 'pending', data: null }
  if (fate === 'fails') return { ...head, status: 'error', data: null }
  const data =
    firm === null
      ? { status: 'no_match', confidence: 12, entity: null, candidate: null }
      : { status: 'matched', confidence: 93, entity: { id: firm.entityId, website: firm.website } }
  return { ...head, status: 'complete', data: { ...data, domain_intelligence: { domain: name } } }
}
