import type { Lookup } from '../core/identity.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import { resolutionKey } from './checkpoint/lookup-key.js'
import type { EarlierNames } from './row-reader.js'

/** Names that were submitted, or answered, in the scope of a reader; none where there is no reader. */
export function earlierNamesIn(reader: CheckpointReader | null): EarlierNames {
  return {
    fetch: async (lookups) => {
      if (reader === null || lookups.length === 0) return
      await reader.fetch(
        'resolution',
        lookups.map((lookup) => resolutionKey(lookup)),
      )
    },
    wasAsked: (lookup) => reader !== null && wasAskedIn(reader, lookup),
  }
}

function wasAskedIn(reader: CheckpointReader, lookup: Lookup): boolean {
  const ids = reader.find('resolution', [resolutionKey(lookup)]).filter((id) => id !== 0)
  const [known] = reader.known(ids)
  return known !== undefined && known !== null && known.state !== 'new'
}

/** The same by a reader that is opened with the first question. */
export function askedBefore(
  open: () => CheckpointReader | null | Promise<CheckpointReader | null>,
): EarlierNames & { close: () => void } {
  // Where there is none, that is not looked for again: a list may hold a million such names.
  let reader: CheckpointReader | null | undefined
  return {
    fetch: async (lookups) => {
      if (lookups.length === 0) return
      if (reader === undefined) reader = await open()
      await earlierNamesIn(reader).fetch(lookups)
    },
    wasAsked: (lookup) => earlierNamesIn(reader ?? null).wasAsked(lookup),
    close: () => reader?.close(),
  }
}
