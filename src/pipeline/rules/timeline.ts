import type { TimelinePoint } from './run-record.js'

/** Points that are kept of a run, however long it goes on. */
const pointsMax = 240

/** The course of a run in few points: once there are too many, every other one goes, and later ones come half as often. */
export class Timeline {
  #points: TimelinePoint[] = []
  #last: TimelinePoint | null = null
  /** Of the points that are given, each so-and-so-many-th is kept. */
  #every = 1
  #sinceKept = 0

  /** Given at about equal intervals. */
  add(point: TimelinePoint): void {
    this.#last = point
    if (++this.#sinceKept < this.#every) return
    this.#sinceKept = 0
    this.#points.push(point)
    if (this.#points.length < pointsMax) return
    this.#points = this.#points.filter((_, index) => index % 2 === 1)
    this.#every *= 2
  }

  /** In their order, with the last that was given. */
  get points(): readonly TimelinePoint[] {
    const last = this.#last
    return last === null || this.#points.at(-1) === last ? this.#points : [...this.#points, last]
  }
}
