/** API keys of the accounts that test services have. */
export const keys = { alice: 'key-of-alice', bob: 'key-of-bob', closed: 'key-of-closed' } as const
