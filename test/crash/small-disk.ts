import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  /** Takes all room but so many bytes. */
  fillBut(freeBytes: number): void
  /** Gives it back. */
  empty(): void
  unmount(): void
}

/** A disk of its own at a path, in memory. Null where mounting is not permitted. */
export function mountSmallDisk(path: string, size: string): SmallDisk | null {
  mkdirSync(path, { recursive: true })
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'enrich-small', path])
  if (status !== 0) return null
  const fillerPath = join(path, 'filler')
  return {
    fillBut: (freeBytes) => {
      const disk = statfsSync(path)
      try {
        writeFileSync(fillerPath, Buffer.alloc(Math.max(0, disk.bavail * disk.bsize - freeBytes)))
      } catch (error) {
        // Somebody else wrote meanwhile: there is less room than was meant, or none.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => {
      rmSync(fillerPath, { force: true })
    },
    unmount: () => {
      spawnSync('umount', [path])
    },
  }
}

/** Mounting takes a superuser, and a kernel that lets them. */
export function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'enrich-mount-'))
  const disk = mountSmallDisk(path, '64k')
  disk?.unmount()
  rmdirSync(path)
  return disk !== null
}
