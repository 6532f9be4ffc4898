import { UserError } from '../../core/errors.js'

export function damagedWorkbook(label: string, reason: string, cause?: unknown): UserError {
  return new UserError('INPUT_EXCEL_INVALID', `${label} cannot be read as an Excel file: ${reason}`, {
    hint: 'open it in a spreadsheet program and save it anew as .xlsx, or as CSV',
    cause,
  })
}

export function otherSpreadsheet(
  label: string,
  what: string,
  hint = 'save it as .xlsx, or as CSV',
): UserError {
  return new UserError('INPUT_FORMAT_UNKNOWN', `${label} is ${what}, not an .xlsx file`, {
    hint,
  })
}
