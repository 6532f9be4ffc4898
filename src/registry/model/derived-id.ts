import { hash } from 'node:crypto'

/** Ids are made of the source's own key, so that another import, here or elsewhere, gives the same. */
export function derivedId(prefix: 'le_' | 'siq_', sourceKey: string): string {
  return prefix + hash('sha256', `${prefix}${sourceKey}`, 'hex').slice(0, 24)
}
