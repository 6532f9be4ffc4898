/** Errors of decisions and of the review. */
export const reviewErrors = {
  DECISIONS_NOT_FOUND: {
    meaning: 'the file named with `--decisions` does not exist',
    remedy: 'check the path; `enrich review` creates the file',
  },
  DECISIONS_INVALID: {
    meaning:
      'the decisions file cannot be read: an unknown column, an invalid lookup, verdict, id or time, or an unresolved merge conflict; the message names the line',
    remedy: 'fix the line; nothing was submitted',
  },
  DECISIONS_CONFLICT: {
    meaning: 'two lines of the decisions file decide the same lookup differently; the message names both',
    remedy: 'remove the wrong line',
  },
  DECISIONS_CHANGED: {
    meaning: 'the decisions file kept changing while it was read',
    remedy: 'wait until the program that writes it has finished, then run the same command again',
  },
  DECISIONS_UNWRITABLE: {
    meaning: 'the decisions file cannot be written, or another process holds its lock',
    remedy: 'check the folder and its permissions; the decisions are safe in the review store',
  },
  REVIEW_STORE_INVALID: {
    meaning:
      'the review store next to the checkpoint is damaged, has a newer version, or is another kind of file',
    remedy: 'move it away; the decisions in the decisions file still apply',
  },
  REVIEW_STORE_UNWRITABLE: {
    meaning: 'the review store cannot be opened or written',
    remedy: 'check the folder and its permissions',
  },
  CANDIDATES_UNAVAILABLE: {
    meaning: 'the search for candidates of a doubtful row failed; the message gives the reason',
    remedy: 'read the hint; you can decide the row without candidates',
  },
  REVIEW_NOTHING_ANSWERED: {
    meaning: '`review` found no answers for this input',
    remedy: 'run `enrich` first, with the same columns, service and registry',
  },
  REVIEW_CHECKPOINT_CHANGED: {
    meaning: 'the checkpoint was replaced, repaired or removed while its review was open',
    remedy: 'start `enrich review` again; your decisions are safe',
  },
  REVIEW_LOOKUP_UNKNOWN: {
    meaning: 'the review page requested a lookup that is not in the input',
    remedy: 'reload the page',
  },
  REVIEW_CHOICE_INVALID: {
    meaning: 'a decision names a company that was not shown as a candidate of this lookup',
    remedy: 'choose one of its candidates, or search for the company first',
  },
  REVIEW_ACCESS_REFUSED: {
    meaning: 'the request did not come from the review page, or not from the browser that its URL admitted',
    remedy: 'open the URL that `enrich review` printed last; it admits only the first browser that opens it',
  },
  REVIEW_REQUEST_INVALID: {
    meaning: 'the review page sent a request that its server does not accept',
    remedy: 'reload the page',
  },
  VERDICTS_INVALID: {
    meaning:
      'a file for `enrich review --import` has invalid verdicts or lacks the required columns; the message names the rows, and nothing was imported',
    remedy: 'fix these rows and import the file again',
  },
  VERDICTS_NOT_IMPORTED: {
    meaning: '`enrich review --export` would overwrite a file that has verdicts not yet imported',
    remedy: 'run `--import` first, or name another file',
  },
} as const
