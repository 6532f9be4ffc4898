import { packingOf } from '../../tables/bytes.js'
import { zipMembers } from '../../tables/zip-members.js'

/** Whether a file is an Excel file (.xlsx), by what is in it. Errors: those of files, INPUT_COMPRESSION_CORRUPT. */
export async function isWorkbook(path: string): Promise<boolean> {
  if ((await packingOf(path, path)) !== 'zip') return false
  for await (const { name } of zipMembers(path)) if (name === 'xl/workbook.xml') return true
  return false
}
