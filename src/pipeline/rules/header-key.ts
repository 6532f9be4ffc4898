/** Letters that no decomposition of Unicode takes apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/**
 * A header without case, width, marks, spaces and signs: `Billing State/Province`, `billing_state_province` and
 * `BillingStateProvince` are one, and so are `Razón social` and `razon_social`. Letters of every script stay.
 */
export function headerKey(header: string): string {
  return header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[ßøłđðıæœþ]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Keys of headers that are separated by bars. */
export function headerKeys(...lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split('|').map(headerKey))
}

/** `Company Name`, `company_name` and `COMPANY-NAME` are one header; marks tell headers apart. */
export const spellingKey = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
