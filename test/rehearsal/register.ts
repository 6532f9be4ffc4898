import { stringify } from 'csv-stringify/sync'
import type { Dice } from './dice.js'
import type { FirmChange } from './list-of-rows.js'

interface Firm {
  readonly id: string
  /** By which it is asked, for good. */
  readonly asked: string
  readonly city: string
  name: string
  street: string
  isActive: boolean
  duns: string
  parent: number | null
  isListed: boolean
}

const cities = ['Leeds', 'York', 'Bath', 'Derby', 'Truro', 'Wells', 'Ripon', 'Ely']
const syllables = 'ba ke li mo nu ra se ti vo zu pha gre dro sti klu wex yor juv'.split(' ')

/** Two words that no other name has, and that look like none of its. */
function coinedName(firm: number): string {
  const at = (place: number) => syllables[place % syllables.length] ?? ''
  const wordOf = (number: number) =>
    [number, 5 * number + 3, 7 * number + 11 * Math.floor(number / syllables.length)].map(at).join('')
  return [wordOf(firm), wordOf(firm + 100)]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .concat('Limited')
    .join(' ')
}

/** Entered later: until then no name in the register looks like theirs. */
const laterNames = [
  'Quixotic Falcon',
  'Wizened Jackdaw',
  'Obsidian Puffin',
  'Crimson Ptarmigan',
  'Umber Egret',
  'Fjord Chough',
  'Aquiline Dotterel',
  'Izard Hoopoe',
]

/** A register that a script edits by night: it says what it changed, as the list of changes has to say it. */
export class Register {
  readonly #firms: Firm[]
  #streetCount = 0
  #dunsCount = 0
  #renamedCount = 0

  constructor(firmCount: number) {
    this.#firms = Array.from({ length: firmCount }, (_, firm) => {
      const later = laterNames[firm - (firmCount - laterNames.length)]
      const asked = later === undefined ? coinedName(firm) : `${later} Limited`
      return {
        asked,
        name: asked,
        city: cities[firm % cities.length] ?? '',
        id: String(firm + 1).padStart(8, '0'),
        street: this.#newStreet(),
        isActive: true,
        duns: firm % 3 === 0 ? '' : this.#newDuns(),
        parent: null,
        isListed: later === undefined,
      }
    })
  }

  get firms(): number[] {
    return this.#firms.map((_, firm) => firm)
  }

  asked(firm: number): { readonly name: string; readonly city: string } {
    const { asked, city } = this.#firm(firm)
    return { name: asked, city }
  }

  /** The register as its file. Who bears another name now is found by the one before as well. */
  csv(): string {
    const listed = this.#firms.filter(({ isListed }) => isListed)
    const rows = listed.map(({ id, asked, name, street, city, isActive, parent, duns }) => [
      id,
      name,
      name === asked ? '' : asked,
      street,
      city,
      isActive ? 'active' : 'inactive',
      parent === null ? '' : this.#firm(parent).id,
      duns,
    ])
    return stringify([['id', 'name', 'former', 'street', 'city', 'status', 'parent', 'duns'], ...rows])
  }

  /** Companies are renamed, closed, opened, moved, sold, numbered and entered. */
  edit(dice: Dice): FirmChange[] {
    const listed = this.firms.filter((firm) => this.#firm(firm).isListed)
    const renamed = dice.some(listed, 2).flatMap((firm) => this.#rename(firm))
    const isResold = (firm: number) =>
      renamed.some((change) => change.firm === firm && change.kind === 'parent_changed')
    // Whose parent has another name is not sold in the same night: that would be one change, and not two.
    const sellable = listed.filter((firm) => !isResold(firm))
    return [
      ...renamed,
      ...dice.some(listed, 2).map((firm) => this.#openOrClose(firm)),
      ...dice.some(listed, 2).map((firm) => this.#move(firm)),
      ...dice.some(listed, 2).map((firm) => this.#number(firm, dice)),
      ...dice.some(sellable, 3).flatMap((firm) => this.#sell(firm, dice)),
      ...dice
        .some(
          this.firms.filter((firm) => !listed.includes(firm)),
          1,
        )
        .map((firm) => this.#enter(firm)),
    ]
  }

  /** Its subsidiaries have another parent by name. */
  #rename(firm: number): FirmChange[] {
    const own = this.#firm(firm)
    const before = own.name
    own.name = own.asked.replace('Limited', `Group${++this.#renamedCount} Limited`)
    const subsidiaries = this.firms.filter((one) => this.#firm(one).parent === firm)
    return [
      { firm, kind: 'renamed', values: ['legal_name', before, own.name] },
      ...subsidiaries.map((one) => this.#parentChange(one, before, own.name)),
    ]
  }

  #openOrClose(firm: number): FirmChange {
    const own = this.#firm(firm)
    own.isActive = !own.isActive
    return own.isActive
      ? { firm, kind: 'became_active', values: ['entity_status', 'inactive', 'active'] }
      : { firm, kind: 'became_inactive', values: ['entity_status', 'active', 'inactive'] }
  }

  #move(firm: number): FirmChange {
    const own = this.#firm(firm)
    const addressOf = () => `${own.street}, ${own.city}, United Kingdom`
    const before = addressOf()
    own.street = this.#newStreet()
    return { firm, kind: 'address_changed', values: ['formatted_address', before, addressOf()] }
  }

  #number(firm: number, dice: Dice): FirmChange {
    const own = this.#firm(firm)
    const before = own.duns
    own.duns = before !== '' && dice.fraction() < 0.4 ? '' : this.#newDuns()
    return { firm, kind: 'identifier_changed', values: ['duns', before, own.duns] }
  }

  #sell(firm: number, dice: Dice): FirmChange[] {
    const own = this.#firm(firm)
    const before = own.parent
    const [parent = null] = dice.some(
      this.firms.filter((one) => one < firm && this.#firm(one).isListed),
      1,
    )
    own.parent = before !== null && dice.fraction() < 0.4 ? null : parent
    const nameOf = (one: number | null) => (one === null ? '' : this.#firm(one).name)
    return before === own.parent ? [] : [this.#parentChange(firm, nameOf(before), nameOf(own.parent))]
  }

  #enter(firm: number): FirmChange {
    this.#firm(firm).isListed = true
    return { firm, kind: 'gained_match', values: ['status', 'no_match', 'matched'] }
  }

  #parentChange(firm: number, before: string, now: string): FirmChange {
    return { firm, kind: 'parent_changed', values: ['parent_name', before, now] }
  }

  #newStreet = (): string => `${++this.#streetCount} Station Road`
  #newDuns = (): string => String(100_000_000 + ++this.#dunsCount)

  #firm(firm: number): Firm {
    const found = this.#firms[firm]
    if (found === undefined) throw new Error(`no company ${firm}`)
    return found
  }
}
