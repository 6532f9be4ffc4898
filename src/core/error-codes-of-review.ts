/** Of decisions of people, and of those who make them; entries of the table of all errors. */
export const errorsOfReview = {
  DECISIONS_NOT_FOUND: {
    meaning: 'the file named with `--decisions` is not there',
    remedy: 'check the path; `enrich review` makes it',
  },
  DECISIONS_INVALID: {
    meaning:
      'the decisions cannot be read: an unknown column, a lookup, verdict, id or time that is none, a merge conflict left in them; the message names the line',
    remedy: 'mend the line; nothing was submitted',
  },
  DECISIONS_CONFLICT: {
    meaning: 'two lines of the decisions decide one lookup differently; the message names both',
    remedy: 'remove the one that does not hold',
  },
  DECISIONS_CHANGED: {
    meaning: 'the decisions changed again and again while they were read',
    remedy: 'wait until whatever writes them is done, and run the same command again',
  },
  DECISIONS_UNWRITABLE: {
    meaning: 'the decisions cannot be written, or another process keeps them locked',
    remedy: 'check folder and permissions; what was decided is in the review store',
  },
  REVIEW_STORE_INVALID: {
    meaning:
      'what stands where decisions and candidates are kept, beside the checkpoint, is something else, damaged or of a newer version',
    remedy: 'move it away; what the decisions file holds stands without it',
  },
  REVIEW_STORE_UNWRITABLE: {
    meaning: 'the review store cannot be opened or written',
    remedy: 'check folder and permissions',
  },
  CANDIDATES_UNAVAILABLE: {
    meaning:
      'the service was asked which companies a doubtful row may mean, and gave no answer; the message says why',
    remedy: 'the hint says; the row can be decided without',
  },
  REVIEW_NOTHING_ANSWERED: {
    meaning: '`review` found no answer to anything that the input asks',
    remedy: 'run first; with the same columns, service and registry',
  },
  REVIEW_CHECKPOINT_CHANGED: {
    meaning: 'the checkpoint was replaced, repaired or removed while its review was open',
    remedy: 'start `enrich review` again; what was decided is safe',
  },
  REVIEW_LOOKUP_UNKNOWN: {
    meaning: 'the review page asked for a lookup that is not in the input',
    remedy: 'load the page again',
  },
  REVIEW_CHOICE_INVALID: {
    meaning: 'a decision for a company that the lookup was never shown beside',
    remedy: 'choose among its candidates, or search for the company first',
  },
  REVIEW_ACCESS_REFUSED: {
    meaning: 'a request that the review page did not send, or from a browser that did not open its address',
    remedy: 'open the address that `enrich review` printed; each can be opened once',
  },
  REVIEW_REQUEST_INVALID: {
    meaning: 'the review page sent what its server does not take',
    remedy: 'load the page again',
  },
  VERDICTS_INVALID: {
    meaning:
      'a file of `enrich review --import` has verdicts that cannot be taken, or not the columns for them; the message names the rows, and nothing was imported',
    remedy: 'mend these rows, and import the file again',
  },
  VERDICTS_NOT_IMPORTED: {
    meaning: '`enrich review --export` would overwrite a file with verdicts that were not imported',
    remedy: '`--import` it first, or name another file',
  },
} as const
