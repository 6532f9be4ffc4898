import { rmSync, statSync, writeFileSync } from 'node:fs'
import { keepToOwner } from '../../platform/durable-files.js'

/** An answer to a submission takes some 12 KiB to write down: room for all that can be in flight. */
const reserveBytes = 1024 * 1024

/** Room kept on the checkpoint's disk for what was billed before the disk was full. */
export interface Reserve {
  readonly isHeld: boolean
  /** Gives the room up, once; false where it was given up before. */
  readonly release: () => boolean
}

/** Takes the room, in a file beside the checkpoint that a killed process may have left. Throws ENOSPC. */
export function keepReserve(checkpointPath: string): Reserve {
  const path = `${checkpointPath}.reserve`
  let isHeld = true
  const release = () => {
    const wasHeld = isHeld
    isHeld = false
    rmSync(path, { force: true })
    return wasHeld
  }
  try {
    keepToOwner(path)
    if (statSync(path, { throwIfNoEntry: false })?.size !== reserveBytes)
      writeFileSync(path, Buffer.alloc(reserveBytes, 1))
  } catch (error) {
    release()
    throw error
  }
  return {
    get isHeld() {
      return isHeld
    },
    release,
  }
}
