/** Codes of `enrich review` and its page: part of `errorTable`. */
export const reviewErrorTable = {
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
