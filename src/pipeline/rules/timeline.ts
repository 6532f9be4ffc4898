import type { TimelinePoint } from './run-record.js'

/** A picture has no room for more. */
const pointsMax = 240

export interface Timeline {
  add(point: TimelinePoint): void
  /** In order; the newest is always among them. */
  points(): readonly TimelinePoint[]
}

/** What a run had done by moments that are evenly apart: half as many of them whenever there are too many. */
export function createTimeline(): Timeline {
  let kept: TimelinePoint[] = []
  let newest: TimelinePoint | null = null
  /** Of so many points that come, one is kept. */
  let every = 1
  let count = 0
  return {
    add: (point) => {
      newest = point
      if (count++ % every !== 0) return
      kept.push(point)
      // One place is the newest one's.
      if (kept.length < pointsMax) return
      kept = kept.filter((_, index) => index % 2 === 0)
      every *= 2
    },
    points: () => (newest === null || kept.at(-1) === newest ? kept : [...kept, newest]),
  }
}
