import { isEntityId } from '../../core/entity-id.js'

/** What a person typed into a cell for verdicts. */
export type TypedVerdict =
  | { readonly kind: 'undecided' }
  /** The candidate of this number, which need not be there. */
  | { readonly kind: 'candidate'; readonly number: number }
  /** The only candidate that is shown. */
  | { readonly kind: 'yes' }
  | { readonly kind: 'none' }
  | { readonly kind: 'company'; readonly entityId: string }
  | { readonly kind: 'unreadable' }

const yesWords: ReadonlySet<string> = new Set(['yes', 'y', 'true', 'ok', 'accept', 'accepted'])
const noneWords: ReadonlySet<string> = new Set(['none', 'none of these', 'no', 'n'])

/** Case, width and spaces do not matter, and a number may be one of a cell of numbers: `1.0`. */
export function readVerdict(cell: string): TypedVerdict {
  const text = cell.normalize('NFKC').replace(/\s+/g, ' ').trim()
  const word = text.toLowerCase()
  if (word === '') return { kind: 'undecided' }
  if (yesWords.has(word)) return { kind: 'yes' }
  if (noneWords.has(word)) return { kind: 'none' }
  const [, digits] = /^(\d{1,9})(?:[.,]0+)?$/.exec(word) ?? []
  if (digits !== undefined) return { kind: 'candidate', number: Number(digits) }
  // A spreadsheet begins what is typed with a capital letter.
  const entityId = text.replace(/^siq_/i, 'siq_')
  return isEntityId(entityId) ? { kind: 'company', entityId } : { kind: 'unreadable' }
}
