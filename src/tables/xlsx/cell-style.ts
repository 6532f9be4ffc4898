/** What a number of some format stands for. */
export type NumberKind =
  | { readonly kind: 'number' }
  /** Shown with leading zeros, up to so many digits: `000000`. */
  | { readonly kind: 'padded'; readonly digits: number }
  | { readonly kind: 'date' }
  /** Hours that go on beyond a day: `[h]:mm`. */
  | { readonly kind: 'duration' }

/** The number of a format that need not be spelled out, or its code. */
export type NumberFormat = number | string

/** What is shown of a number, and so what it means. */
export interface CellStyle {
  readonly kind: NumberKind
  readonly format: NumberFormat
}

const plain: NumberKind = { kind: 'number' }

export const generalStyle: CellStyle = { kind: plain, format: 0 }

export const builtInStyle = (id: number): CellStyle => ({ kind: builtInKind(id), format: id })

export const styleOfFormat = (code: string): CellStyle => ({ kind: kindOfFormat(code), format: code })

/** The formats that a file need not spell out; 27 to 36 and 50 to 58 are dates of East Asia. */
export function builtInKind(id: number): NumberKind {
  if (id === 46) return { kind: 'duration' }
  const isDate =
    (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
  return isDate ? { kind: 'date' } : plain
}

/** By the format's first section: what is quoted, escaped or in brackets is no part of a date. */
export function kindOfFormat(code: string): NumberKind {
  const section = (/^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return { kind: 'duration' }
  const bare = section.replace(/\[[^\]]*\]/g, '')
  if (/^0{2,}$/.test(bare)) return { kind: 'padded', digits: bare.length }
  if (/^general$/i.test(bare) || /[0#?]/.test(bare.replace(/[.,]0+/g, ''))) return plain
  return /[ymdhs]|gge|AM\/PM|A\/P/i.test(bare) ? { kind: 'date' } : plain
}
