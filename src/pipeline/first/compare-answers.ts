import { at, toText } from '../../core/json.js'
import { foldText } from '../../core/lookup-identity.js'

/** How the service's answer to a lookup relates to the registry's match. */
export type Comparison = 'same' | 'other' | 'no_match'

/** Identifiers that one company has only once. */
const uniqueColumns = ['lei', 'cik', 'ein'] as const

/**
 * Compares a match of the registry with the service's answer, both as answer lines. The ids of companies are not
 * enough, because each service has its own: one equal identifier decides, then a different one, then the registered
 * name with its country.
 */
export function compareAnswers(registryLine: string, serviceLine: string): Comparison {
  const own: unknown = JSON.parse(registryLine)
  const other: unknown = JSON.parse(serviceLine)
  const read = (line: unknown, column: string) => foldText(toText(at(line, column)))
  if (!['matched', 'merged'].includes(read(other, 'status'))) return 'no_match'
  const isEqual = (column: string) => read(own, column) !== '' && read(own, column) === read(other, column)
  const isDifferent = (column: string) =>
    ![read(own, column), read(other, column)].includes('') && read(own, column) !== read(other, column)
  const isSameRegistration = isEqual('registration_id') && isEqual('jurisdiction')
  if (isEqual('entity_id') || uniqueColumns.some(isEqual) || isSameRegistration) return 'same'
  if (uniqueColumns.some(isDifferent) || isDifferent('country_code')) return 'other'
  return isEqual('legal_name') ? 'same' : 'other'
}
