/** Codes of ISO 20275 whose legal form is a trust or a fund by its own name: trust companies are not. */
const trustCodes = `
7TPC YCQM ZKTC 8VZ0 2QMJ 8ZLF W9FI 95AW LA66 NY3P PBQH T5HS T635 TGWE IKBN 4XY9 JJ1V I03S 1RPE BB5Y FJG4 6D9L UGVB L26C
P24O SHCN 4FSX SQOE EW9A WC8Q 85YQ OFGO EO9A NV9X Z73Z 8OK2 QB0A SUEQ S97G JF6D NJA5 T2DF B12O BOEX O9MN ZXZ7 RDQZ`

const fundCodes = `
ADXG SNWJ EX8U HBQK JKJX OYDA U8NM VX5J W0G7 OQ8C AHJG AIR5 JHK5 LJJW 6L6P XMXM 3QSR FCJF FH4R JTV5 QMUM S0Z5 UJ35 XYGP
FLNB`

const kinds = new Map<string, 'fund' | 'trust'>([
  ...codesOf(trustCodes).map((code): [string, 'trust'] => [code, 'trust']),
  ...codesOf(fundCodes).map((code): [string, 'fund'] => [code, 'fund']),
])

function codesOf(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** What a code of ISO 20275 makes of its bearer; null for a company, a partnership and all else. */
export function fundOrTrustForm(code: string): 'fund' | 'trust' | null {
  return kinds.get(code) ?? null
}
