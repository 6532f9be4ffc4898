/** Errors of the input. */
export const inputErrors = {
  INPUT_NOT_FOUND: {
    meaning: 'the file does not exist, or no file matches the pattern',
    remedy: 'check the path',
  },
  INPUT_IS_FOLDER: { meaning: 'the input is a folder', remedy: 'name the files in it, or use a glob' },
  INPUT_UNREADABLE: {
    meaning: 'the input cannot be read: missing permission, disk error, or not a regular file',
    remedy: 'check the file; pipe other sources in as `-`',
  },
  INPUT_FORMAT_UNKNOWN: {
    meaning:
      'the format cannot be detected from the file name, or the spreadsheet is encrypted or an .xls, .xlsb or .ods file',
    remedy: 'pass `--input-format`; save the spreadsheet as .xlsx',
  },
  INPUT_FORMAT_WRONG: {
    meaning:
      'the content of the input is of another kind than its name or `--input-format` says, such as a page of HTML, an archive or a PDF; the message names it',
    remedy: 'read the hint: download the table again, unpack the archive, or name the right format',
  },
  INPUT_FORMATS_MIXED: { meaning: 'the inputs have different formats', remedy: 'run once for each format' },
  INPUT_EMPTY: { meaning: 'the input is empty', remedy: 'provide a header and rows' },
  INPUT_NO_ROWS: {
    meaning: 'the input has a header and no rows',
    remedy: 'check whether the export that wrote it is complete',
  },
  INPUT_COLUMN_MISSING: {
    meaning: 'no column with company names was found, or a named column does not exist',
    remedy: 'pass `--name-column`; the hint lists the columns',
  },
  INPUT_HEADER_MISSING: {
    meaning: 'the first row looks like data and not like a header; the message shows it',
    remedy: 'pass `--no-header`; if it is a header, pass `--name-column`',
  },
  INPUT_DOUBTFUL: {
    exitCode: 7,
    meaning:
      'the input may be read wrongly, and the run would be billed: rows with more or fewer cells than the header, lines left out, another delimiter; the message names each',
    remedy: 'correct the file or the flags; if the reading is right, pass `--accept-doubtful-input`',
  },
  INPUT_COLUMN_NESTED: {
    meaning: 'a struct, list, map, object or array is named as the column of names, locations or identifiers',
    remedy: 'name one of its members, like `--name-column company.name`; the hint lists them',
  },
  INPUT_COLUMNS_DUPLICATE: {
    meaning: 'two columns have the same name; for Parquet output, also names that differ only in case',
    remedy: 'rename one of them',
  },
  INPUT_COLUMNS_TOO_MANY: {
    meaning: 'the input has more than 10,000 columns',
    remedy: 'check the delimiter',
  },
  INPUT_QUOTE_UNCLOSED: {
    meaning: 'a quote is never closed; the message names its line',
    remedy: 'close the quote, or double it',
  },
  INPUT_CSV_INVALID: {
    meaning: 'a quote is in a place where CSV does not allow it; the message names the line',
    remedy: 'quote the cell and double the quotes in it',
  },
  INPUT_NUL_BYTE: {
    meaning: 'a text file contains a NUL byte',
    remedy: 'check that it is text, and pass its encoding with `--encoding`',
  },
  INPUT_RECORD_TOO_LARGE: {
    meaning: 'a record or line is larger than 16 MiB',
    remedy: 'check that the file is a table',
  },
  INPUT_ENCODING_WRONG: {
    meaning: 'the file contains bytes that are not valid in its encoding; the message names the line',
    remedy: 'pass `--encoding`, or convert the file',
  },
  INPUT_ENCODING_MIXED: {
    meaning: 'some lines are UTF-8 and others are not; the message names them',
    remedy: 'fix these lines, or pass `--encoding utf-8+windows-1252`',
  },
  INPUT_ENCODING_UNSURE: {
    meaning:
      'the file is not UTF-8 and has too little text to detect its encoding; the message shows names in each possible encoding',
    remedy: 'pass `--encoding` with the encoding whose names look right',
  },
  INPUT_COMPRESSION_CORRUPT: {
    meaning:
      'a .gz, .zst, .zip or .xlsx file does not decompress, or decompresses to far more data than allowed',
    remedy: 'download the file again',
  },
  INPUT_EXCEL_INVALID: {
    meaning: 'the .xlsx file is truncated, corrupt or too large',
    remedy: 'save it again, or save it as CSV',
  },
  INPUT_SHEET_MISSING: {
    meaning: 'the .xlsx file has no sheet of that name; the hint lists its sheets',
    remedy: 'name one of these sheets',
  },
  INPUT_WITHOUT_SHEETS: {
    meaning: '`--sheet` is set and the input is not an Excel file',
    remedy: 'name the Excel file, or remove `--sheet`',
  },
  INPUT_HEADER_UNCLEAR: {
    meaning: 'the .xlsx sheet has merged cells in its header, or two header rows; the message names the row',
    remedy: 'write one header row with one name for each column',
  },
  INPUT_PARQUET_INVALID: {
    meaning: 'the Parquet file is truncated, corrupt or unsupported',
    remedy: 'write the file again',
  },
  INPUT_JSON_INVALID: {
    meaning:
      'a line is not a JSON object, or a .json file is not an array of objects; the message names the line',
    remedy: 'fix the line',
  },
  INPUT_CHANGED: {
    exitCode: 5,
    meaning: 'the input changed during the run',
    remedy: 'run the same command again; all answers are kept',
  },
} as const
