import { isSafeNumber } from 'lossless-json'
import type { CellType } from './table.js'

/** What has been seen in one column of NDJSON; decides its type in Parquet. */
export class ColumnTally {
  private hasText = false
  private hasBoolean = false
  private hasInteger = false
  private hasUnsafeInteger = false
  private hasDouble = false
  private hasOther = false

  add(raw: string): void {
    const first = raw.charCodeAt(0)
    if (first === 0x22) this.hasText = true
    else if (first === 0x74 || first === 0x66) this.hasBoolean = true
    else if (first === 0x6e) return
    else if (first === 0x7b || first === 0x5b) this.hasOther = true
    else this.addNumber(raw)
  }

  /** The narrowest type that keeps every value exactly; JSON text where none does. A column of nulls is text. */
  get type(): CellType {
    const kinds = [this.hasText, this.hasBoolean, this.hasInteger || this.hasDouble, this.hasOther]
    if (this.hasOther || kinds.filter(Boolean).length > 1) return 'json'
    if (this.hasBoolean) return 'boolean'
    if (this.hasDouble) return this.hasUnsafeInteger ? 'json' : 'double'
    return this.hasInteger ? 'integer' : 'text'
  }

  private addNumber(raw: string): void {
    if (/^(?:0|-?[1-9]\d*)$/.test(raw)) {
      this.hasInteger = true
      if (raw.length > 15 && !Number.isSafeInteger(Number(raw))) {
        this.hasUnsafeInteger = true
        if (raw.length > 18 && !fitsInt64(raw)) this.hasOther = true
      }
    } else if (Number.isFinite(Number(raw)) && isSafeNumber(raw)) this.hasDouble = true
    else this.hasOther = true
  }
}

function fitsInt64(raw: string): boolean {
  if (raw.length > 20) return false
  const value = BigInt(raw)
  return value >= -(2n ** 63n) && value < 2n ** 63n
}
