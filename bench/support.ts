import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Prints a line. */
export type Say = (line: string) => void

export const ratio = (value: number): string => value.toFixed(3)
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

/** What Linux calls a file system in memory. */
const tmpfsMagic = 0x01021994

/** A folder for temporary files where a sync reaches a disk, as far as can be told. */
export function diskFolder(): string {
  const isInMemory = (path: string) => statfsSync(path).type === tmpfsMagic
  return isInMemory(tmpdir()) ? process.cwd() : tmpdir()
}

/** A line of CSV, without its end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
}
