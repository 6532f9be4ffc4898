/** Errors of the run history. */
export const historyErrors = {
  RUN_NOT_FOUND: {
    meaning: '`diff`, `report` or `runs` named a run that is not in the history, or the history is empty',
    remedy: 'run `enrich runs` to list the runs',
  },
  RUN_OUTPUT_UNKNOWN: {
    meaning:
      'the run published no output, its output is no longer kept (`history.keep`), or it was not compared with an earlier run',
    remedy: 'choose another run; `enrich runs` lists them',
  },
  RUNS_NOT_COMPARABLE: {
    meaning: 'the runs have different inputs or jobs, or identify their rows differently (`--row-key`)',
    remedy: 'choose two runs of the same input',
  },
  HISTORY_VERSION: {
    meaning: 'another version of `enrich` recorded the output in a different form',
    remedy: 'use that version, or compare later runs',
  },
  ROW_KEY_DUPLICATE: {
    meaning: 'two rows have the same key in the `--row-key` column; the message names both',
    remedy: 'fix the input, or name a column with unique values',
  },
  ROW_KEY_MISSING: {
    meaning: 'a row has an empty key in the `--row-key` column; the message names the row',
    remedy: 'fill in the cell, or name another column',
  },
} as const
