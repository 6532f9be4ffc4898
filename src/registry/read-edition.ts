import { editionOf, readSources } from './edition.js'
import { openStore } from './store/open-store.js'

/** The edition of the registry at `path`, without all that answering takes. Errors: those of `openRegistry`. */
export function readEdition(path: string): string {
  const database = openStore(path, 'readonly')
  try {
    return editionOf(readSources(database))
  } finally {
    database.close()
  }
}
