/** Every bound of the registry's matching in one place; what lies beyond is cut, never an error. */
export const matchLimits = {
  nameCharsMax: 400,
  locationCharsMax: 300,
  contextCharsMax: 2_000,
  tokensMax: 24,
  tokenCharsMax: 60,
  variantsMax: 6,
  candidateNamesMax: 240,
  tokenSpellingsMax: 4,
  spellingsScannedMax: 4_000,
} as const
