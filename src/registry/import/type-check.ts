import { entityType } from '../../contract/enums.js'
import { UserError } from '../../core/errors.js'
import { codeOf } from './read-row.js'

/**
 * Whether the column mapped to `type` holds types: other files' kinds ("FUND", "operating") would make companies
 * of no known type, which no answer may name. Here and there a value that is none is dropped with its line; where
 * at least half of the different values are none, the column is another.
 */
export function createTypeCheck(): {
  look(cells: readonly string[], column: number | undefined): void
  check(name: string): void
} {
  const sound = new Set<string>()
  const other = new Set<string>()
  return {
    look(cells, column) {
      if (column === undefined || other.size >= othersMax) return
      const text = (cells[column] ?? '').trim()
      if (text === '') return
      const type = entityType.safeParse(codeOf(text))
      if (type.success) sound.add(type.data)
      else other.add(text)
    },
    check(name) {
      if (other.size === 0 || other.size < sound.size) return
      const shown = [...other].slice(0, shownMax).map((text) => `"${text.slice(0, 30)}"`)
      throw new UserError(
        'REGISTRY_IMPORT_INVALID',
        `column ${name} is mapped to type and holds ${shown.join(', ')}${other.size > shownMax ? ', …' : ''}`,
        {
          hint: `type takes ${entityType.options.join(', ')}; leave it out of --map, and rows are companies`,
        },
      )
    },
  }
}

const othersMax = 100
const shownMax = 5
