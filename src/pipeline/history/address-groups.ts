const addressBytes = 16

/**
 * Numbers addresses of 16 bytes from 0 on, equal ones alike, in 24 to 32 bytes an address. They are hashes, so their
 * first bytes say where to look.
 */
export class AddressGroups {
  readonly #slots: Uint32Array
  readonly #addresses: Uint8Array
  #count = 0

  constructor(addressesMax: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * addressesMax + 2)))
    this.#addresses = new Uint8Array(addressesMax * addressBytes)
  }

  get count(): number {
    return this.#count
  }

  /** The number of an address, which is a new one where it was not seen before. */
  add(address: Uint8Array): number {
    if (address.length !== addressBytes) throw new Error(`an address of ${address.length} bytes`)
    const mask = this.#slots.length - 1
    const [a = 0, b = 0, c = 0, d = 0] = address
    for (let slot = ((a << 24) | (b << 16) | (c << 8) | d) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? 0
      if (found === 0) return this.#insert(slot, address)
      if (this.#isAt(found - 1, address)) return found - 1
    }
  }

  #insert(slot: number, address: Uint8Array): number {
    this.#addresses.set(address, this.#count * addressBytes)
    this.#slots[slot] = ++this.#count
    return this.#count - 1
  }

  #isAt(group: number, address: Uint8Array): boolean {
    const start = group * addressBytes
    for (let at = 0; at < addressBytes; at++) if (this.#addresses[start + at] !== address[at]) return false
    return true
  }
}
