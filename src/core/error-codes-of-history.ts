/** Of what is remembered of runs; entries of the table of all errors. */
export const errorsOfHistory = {
  RUN_NOT_FOUND: {
    meaning: '`diff`, `report` or `runs` was asked for a run that is not remembered, or there are none yet',
    remedy: '`enrich runs` lists them',
  },
  RUN_OUTPUT_UNKNOWN: {
    meaning: 'the run published no output, or it is no longer remembered (`history.keep`)',
    remedy: 'choose another run; `enrich runs` lists them',
  },
  RUNS_NOT_COMPARABLE: {
    meaning: 'the runs are of different inputs or jobs, or know their rows differently (`--row-key`)',
    remedy: 'choose two runs of one input',
  },
  HISTORY_VERSION: {
    meaning: 'an output is remembered in a form of another version of enrich',
    remedy: 'use that version, or compare later runs',
  },
  ROW_KEY_DUPLICATE: {
    meaning: 'two rows have the same key in the column of `--row-key`; the message names both',
    remedy: 'mend the input, or name a column in which each value stands once',
  },
  ROW_KEY_MISSING: {
    meaning: 'a row has no key in the column of `--row-key`; the message names the row',
    remedy: 'fill the cell in, or name another column',
  },
} as const
