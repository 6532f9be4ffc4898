/** Nobody's LEI, with the check digits that ISO 7064 asks for. */
export function leiOf(number: number): string {
  const base = `0000TESTX${String(number).padStart(9, '0')}`
  let remainder = 0
  for (const character of `${base}00`)
    for (const digit of String(parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  return base + String(98 - remainder).padStart(2, '0')
}
