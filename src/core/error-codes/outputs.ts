/** Errors of the output, and of the disk and the machine. */
export const outputErrors = {
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
  DISK_FULL: {
    meaning: 'the disk is full',
    remedy: 'free some space and run the same command again; everything that was acknowledged is safe',
  },
  FILE_TOO_LARGE: {
    meaning: 'the file size limit of this process is reached (`ulimit -f`)',
    remedy: 'run `ulimit -f unlimited`, then the same command again',
  },
  FILES_TOO_MANY: {
    meaning: 'the limit of open files of this process is reached (`ulimit -n`); 512 are enough',
    remedy: 'run `ulimit -n 2048`, then the same command again',
  },
  NATIVE_PACKAGE_MISSING: {
    meaning:
      'npm installed SQLite or DuckDB without its binary, because `ignore-scripts`, `allow-scripts` or `omit=optional` is set, or because a build failed',
    remedy: 'install what the hint says is missing, then run its command',
  },
  MEMORY_SHORT: {
    meaning: '`--memory` is too small, either for the columns of a table or for any table',
    remedy: 'use fewer columns, smaller row groups or CSV, or raise `--memory`',
  },
} as const
