import type { Lookup } from '../core/identity.js'
import type { CheckpointReader } from './checkpoint/checkpoint.js'
import { resolutionKey } from './checkpoint/lookup-key.js'

/** Whether a name was submitted, or answered, in the scope of a reader. */
export function wasAskedIn(reader: CheckpointReader, lookup: Lookup): boolean {
  const ids = reader.find('resolution', [resolutionKey(lookup)]).filter((id) => id !== 0)
  const [known] = reader.known(ids)
  return known !== undefined && known !== null && known.state !== 'new'
}

/** The same by a reader that is opened with the first question. */
export function askedBefore(open: () => CheckpointReader | null): {
  wasAsked: (lookup: Lookup) => boolean
  close: () => void
} {
  // Where there is none, that is not looked for again: a list may hold a million such names.
  let reader: CheckpointReader | null | undefined
  return {
    wasAsked: (lookup) => {
      if (reader === undefined) reader = open()
      return reader !== null && wasAskedIn(reader, lookup)
    },
    close: () => reader?.close(),
  }
}
