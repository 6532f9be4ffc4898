import { readBankName } from './bank-names.js'
import { readCardDescriptor } from './card-descriptors.js'
import { readNativeName } from './native-scripts.js'
import type { Reading } from './reading.js'
import { readScannedName } from './scan-errors.js'
import { readSecurityName } from './security-names.js'
import { readVendorLine } from './vendor-numbers.js'

/** More are not compared: each costs as much as the name itself. */
const readingsMax = 4

/** Other texts that stand for the whole name, the surest first. */
export function readingsOf(text: string): Reading[] {
  return [
    ...readNativeName(text),
    ...readCardDescriptor(text),
    ...readVendorLine(text),
    ...readBankName(text),
    ...readSecurityName(text),
    ...readScannedName(text),
  ].slice(0, readingsMax)
}
