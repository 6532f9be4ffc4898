import codes from './fund-and-trust-forms.json' with { type: 'json' }

/** Codes of ISO 20275 whose legal form is a trust or a fund by its own name: trust companies are not. */
const trustCodes = new Set(codes.trust)
const fundCodes = new Set(codes.fund)

/** What a code of ISO 20275 makes of its bearer; null for a company, a partnership and all else. */
export function fundOrTrustForm(code: string): 'fund' | 'trust' | null {
  if (trustCodes.has(code)) return 'trust'
  return fundCodes.has(code) ? 'fund' : null
}
