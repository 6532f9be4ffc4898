/** Colours by scheme. Those of text stand out 4.5 to 1 from every ground, those of marks 3 to 1; a test holds them to it. */
export const palette = {
  light: {
    grounds: { ground: '#ffffff', soft: '#f4f6f8' },
    /** Between rows, where nothing is lost if it is not seen. */
    hairs: { hair: '#dde1e5' },
    texts: { text: '#1c2024', quiet: '#545c64', link: '#0b57a8', alarm: '#a3201a' },
    marks: {
      line: '#828a92',
      matched: '#0b63b8',
      doubtful: '#a25d00',
      none: '#66707a',
      open: '#7344ad',
      failed: '#b3261e',
    },
  },
  dark: {
    grounds: { ground: '#14171a', soft: '#1d2125' },
    hairs: { hair: '#353c43' },
    texts: { text: '#e4e7ea', quiet: '#a9b1b9', link: '#8cc0ff', alarm: '#ffa199' },
    marks: {
      line: '#717a84',
      matched: '#5fa8f5',
      doubtful: '#e5ad55',
      none: '#98a2ac',
      open: '#bd98f2',
      failed: '#f5857b',
    },
  },
} as const

/** As variables of CSS: `--ground: #ffffff; …` */
export function variablesOf({ grounds, hairs, texts, marks }: (typeof palette)['light' | 'dark']): string {
  return Object.entries({ ...grounds, ...hairs, ...texts, ...marks })
    .map(([name, color]) => `--${name}: ${color}`)
    .join('; ')
}
