import type { FactSource, FactTarget } from './facts.js'

/** A checkpoint that has moved already. */
export interface MovedSource {
  readonly place: string
  /** As it was when it moved. */
  readonly facts: FactSource
  readonly movedTo: string
  /** Makes it usable again. */
  undo(): Promise<void>
}

/** A checkpoint that is to be moved, and that nobody else works on until it is closed. */
export interface LockedSource {
  readonly place: string
  readonly facts: FactSource
  readonly movedTo: null
  /** What a checkpoint of the other kind has no room for, for people. */
  readonly staysBehind: readonly string[]
  /** False where others may have taken it meanwhile. */
  isHeld(): boolean
  /** No delivery is received into it from here on. */
  seal(): Promise<void>
  /** The last step: from here on nobody goes on with it. */
  markMoved(to: string): Promise<void>
  /** It is as it was. */
  giveUp(): Promise<void>
}

export type SourceSide = MovedSource | LockedSource

/** Where it goes; nobody's before it is published. */
export interface TargetSide {
  readonly target: FactTarget
  isHeld(): boolean
  publish(): Promise<void>
}
