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
} as const
