/**
 * `waiting`: the registration it adds to is not held yet. `renamed`: updated, under another name than before.
 * `together`: another row of this file stated the registration already. `superseded`: the source states it
 * as of a later day.
 */
export type ClaimOutcome = 'imported' | 'updated' | 'renamed' | 'together' | 'waiting' | 'superseded'

export interface ClaimOptions {
  /** The day it was stated, where the file says so; else that of the file. */
  readonly statedOn: string | null
  /** Adds to what this import stated of the registration before, instead of taking its place. */
  readonly addsUp: boolean
}

/** The import that rows come from. */
export interface ImportOrigin {
  readonly sourceNumber: number
  /** Of an import of an older file below zero, so that it counts as none of the source's newest. */
  readonly importSequence: number
  /** ISO 8601. */
  readonly fileDate: string
  /** `whole`: what the source's newest file does not name is removed from it. */
  readonly isWhole: boolean
  /** The sequence of the import of the source's newest file: this one, unless that file is newer. */
  readonly newestSequence: number
}
