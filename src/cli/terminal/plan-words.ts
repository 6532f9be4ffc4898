/** What is done with lookups, as a plan counts them. */
export const planWords: Readonly<Record<string, string>> = {
  submit: 'to submit',
  poll: 'running',
  answered: 'already answered',
  decided: 'decided by people',
  invalid: 'refused before as invalid',
  uncertain: 'uncertain (held)',
  failed: 'failed before',
}
