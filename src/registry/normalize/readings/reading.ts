/** Another text that stands for the whole name: abbreviations written out, another script, errors of a scan undone. */
export interface Reading {
  readonly text: string
  /**
   * `whole`: the same words, by rule. `mended`: with errors undone that may be none. `site`: without the town at its
   * end. `security`: without the title of the class.
   */
  readonly kind: 'whole' | 'mended' | 'site' | 'security'
  /** How a reason says that the name was read: "in Latin letters". */
  readonly how: string
  /** Width of the column that the name came from; `null` if unknown. */
  readonly columnChars: number | null
}
