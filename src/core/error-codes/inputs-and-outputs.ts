/** Errors of inputs and outputs, in files, databases and stores, and of the disk. */
export const tableErrors = {
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
  INPUT_ROW_MISSING: {
    meaning: 'the file has fewer rows than the number of `--row`; the message has their count',
    remedy: 'pass a number from 1 to that count; the header is not counted',
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
    meaning: 'a cell of several lines ends with a quote and other text; the message names the line',
    remedy: 'close the quote on its line, or double the quotes in the cell',
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
    meaning:
      'the file contains bytes that are not valid in its encoding; the message names the line. Or the encoding is stated, and the file is UTF-8',
    remedy: 'pass the right `--encoding` or none, or convert the file',
  },
  INPUT_ENCODING_MIXED: {
    meaning: 'some lines are UTF-8 and others are not; the message names them',
    remedy: 'fix these lines, or pass the `--encoding` of the hint, such as `utf-8+windows-1252`',
  },
  INPUT_ENCODING_UNSURE: {
    meaning:
      'the file is not UTF-8, and its text fits several encodings; the message shows names in each possible encoding',
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
  ADDRESS_INVALID: {
    meaning: 'the address of an input or output cannot be read; the message names what is wrong',
    remedy: 'write it like the example in the hint',
  },
  ADDRESS_HAS_SECRET: {
    meaning: 'the address of an input or output contains a password, a key or a signature',
    remedy: 'set the credentials in the environment; the message does not repeat the address',
  },
  CREDENTIALS_MISSING: {
    meaning:
      'no credentials were found for a database or an object store; the message lists the places searched',
    remedy: 'set one of the environment variables in the hint',
  },
  ACCESS_DENIED: {
    exitCode: 4,
    meaning:
      'a database or an object store refused the credentials, or they lack a right; the message names it',
    remedy: 'check the credentials and their rights; nothing was replaced',
  },
  STORE_UNREACHABLE: {
    exitCode: 5,
    meaning: 'a database or an object store did not answer, or failed several times',
    remedy: 'run the same command again later; all answers are kept',
  },
  STORE_REFUSED: {
    exitCode: 5,
    meaning:
      'an object store refused a request for a reason other than the credentials; the message contains its error',
    remedy: 'read the hint, then run the same command again; all answers are kept',
  },
  INPUT_INCOMPLETE: {
    exitCode: 5,
    meaning:
      'an object store or web server sent another number of bytes than it announced, or bytes that do not match its checksum',
    remedy: 'run the same command again; if it fails again, the server or a proxy on the way is faulty',
  },
  CLOCK_WRONG: {
    meaning: 'an object store refused a request because the clock of this machine is wrong',
    remedy: 'set the clock of this machine',
  },
  QUERY_REFUSED: {
    meaning: 'the database refused the query of `--query`; the message has its reason',
    remedy: 'correct the query; it must be one SELECT',
  },
  OUTPUT_TABLE_UNFIT: {
    meaning:
      'the columns of the output do not fit the existing table, which `--mode append` and `upsert` need',
    remedy: 'the hint lists the columns; change the table, or use `--mode replace`',
  },
  OUTPUT_MISSING: { meaning: 'no output is named', remedy: 'pass `-o`' },
  OUTPUT_FORMAT_UNKNOWN: {
    meaning: 'the format cannot be detected from the file name, or that format cannot be compressed',
    remedy: 'pass `--format`, or use .csv, .tsv, .parquet, .ndjson, .xlsx, .csv.gz or .ndjson.gz',
  },
  OUTPUT_IS_INPUT: { meaning: 'the output would overwrite an input', remedy: 'name another output' },
  OUTPUT_UNWRITABLE: {
    meaning: 'the output file or its folder cannot be written',
    remedy: 'create the folder, check permissions',
  },
  OUTPUT_COLUMN_TAKEN: {
    meaning: 'the input already has a column with the name of an added column',
    remedy: 'pass `--prefix`',
  },
  OUTPUT_COLUMN_UNKNOWN: {
    meaning: '`--columns` names a column that `enrich` does not add',
    remedy: 'choose from the columns that the hint lists',
  },
  OUTPUT_COLUMN_UNFIT: {
    meaning:
      'the output format cannot hold a column. Parquet: an empty name, a NUL in the name, or the type GEOMETRY, GEOGRAPHY or VARIANT. Excel: a text of more than 32,767 characters',
    remedy: 'rename the column, shorten the text, or write CSV or NDJSON',
  },
  OUTPUT_IS_OURS: {
    meaning:
      'the output, or its basis file, would overwrite a file of `enrich` (checkpoint, config, registry, service data) or any other database; links and letter case are resolved',
    remedy: 'name another output',
  },
} as const
