/** A 95 % confidence interval of a share. */
export type Interval = readonly [least: number, most: number]

/** 95 % of a normal distribution lie within this number of standard deviations. */
const deviations95 = 1.959964

/** The 95 % confidence interval of a share by Wilson's formula, for few queries too; `null` for none. */
export function calculateInterval(part: number, whole: number): Interval | null {
  if (whole === 0) return null
  const mean = part / whole
  const square = deviations95 ** 2
  const scale = 1 + square / whole
  const middle = (mean + square / (2 * whole)) / scale
  const half = (deviations95 / scale) * Math.sqrt((mean * (1 - mean) + square / (4 * whole)) / whole)
  return [Math.max(0, Math.min(mean, middle - half)), Math.min(1, Math.max(mean, middle + half))]
}
