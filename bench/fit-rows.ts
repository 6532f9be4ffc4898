import { createSeededFractions } from '../src/platform/clock.js'
import { dropForms, foldWords, type FitCompany, type FitIndex } from './fit-companies.js'
import type { FitQuery, FitSet } from './fit-data.js'
import {
  nearName,
  wordChanged,
  wordInFront,
  seriesSibling,
  groupSibling,
  formChanged,
  formWritten,
} from './fit-made-up.js'
import { addNoise, drawOperation } from './fit-noise.js'
import { countryNames } from './fit-words.js'
import { pick } from './name-pieces.js'

/** Number of generated rows of each kind; `scale` multiplies them. */
const counts = {
  clean: 700,
  noise: 3000,
  noiseAbsent: 1700,
  near: 600,
  changed: 500,
  form: 400,
  formWritten: 400,
  sibling: 250,
  groupSibling: 250,
  elsewhere: 300,
  headed: 400,
}

type Place = Pick<FitQuery, 'city' | 'region' | 'postcode' | 'country'>
const noPlace: Place = { city: '', region: '', postcode: '', country: '' }

/** Row of a kind, without what all rows of the kind share. */
interface Draft extends Place {
  readonly name: string
  readonly expected?: ReadonlySet<string>
  readonly leftOut?: ReadonlySet<string>
  readonly operations?: readonly string[]
}

const triesPerRow = 60
const companiesPerOperation = 200

/** Makes rows of the companies of a registry: one seed makes the same rows. */
export function generateFitRows(index: FitIndex, seed: number, scale: number): FitQuery[] {
  const maker = new RowMaker(index, createSeededFractions(seed))
  const make = (set: FitSet, kind: string, count: number, draft: () => Draft | null): FitQuery[] => {
    const rows: FitQuery[] = []
    const names = new Set<string>()
    for (let tries = 0; rows.length < count * scale && tries < count * scale * triesPerRow; tries++) {
      const made = draft()
      if (made === null || names.has(made.name)) continue
      names.add(made.name)
      rows.push({
        set,
        kind,
        weight: 1,
        expected: new Set(),
        leftOut: new Set(),
        operations: [],
        ...made,
        isAbsent: made.expected === undefined,
      })
    }
    return rows
  }
  return [
    ...make('noise', 'clean', counts.clean, () => maker.clean()),
    ...make('noise', 'noise', counts.noise, () => maker.noise(false)),
    ...make('noise', 'noise_absent', counts.noiseAbsent, () => maker.noise(true)),
    ...make('near', 'near', counts.near, () => maker.near()),
    ...make('changed', 'changed', counts.changed, () => maker.changed(wordChanged)),
    ...make('sibling', 'sibling_series', counts.sibling, () => maker.changed(seriesSibling)),
    ...make('sibling', 'sibling_group', counts.groupSibling, () => maker.changed(groupSibling)),
    ...make('form', 'form_changed', counts.form, () => maker.form()),
    ...make('form', 'form_written', counts.formWritten, () => maker.formWritten()),
    ...make('elsewhere', 'elsewhere', counts.elsewhere, () => maker.elsewhere()),
    ...make('headed', 'headed', counts.headed, () => maker.changed(wordInFront)),
  ]
}

class RowMaker {
  readonly #listed: readonly FitCompany[]
  readonly #british: readonly FitCompany[]
  readonly #foreign: readonly FitCompany[]
  readonly #placed: readonly FitCompany[]
  readonly #oneWord: readonly FitCompany[]

  constructor(
    readonly index: FitIndex,
    readonly fraction: () => number,
  ) {
    const { companies } = index
    this.#listed = companies.filter(({ ticker }) => ticker !== '')
    this.#british = companies.filter(({ country }) => country === 'GB')
    this.#foreign = companies.filter(({ country }) => !['', 'GB', 'US'].includes(country))
    this.#placed = companies.filter(({ city }) => city !== '')
    this.#oneWord = companies.filter(({ legalName }) => {
      const core = dropForms(foldWords(legalName))
      return core.length === 1 && /^[a-z]{4,}$/.test(core[0] ?? '')
    })
  }

  /** Lists have well-known and placed companies more often than registers do. */
  company(): FitCompany {
    const at = this.fraction()
    const of =
      at < 0.25
        ? this.#listed
        : at < 0.42
          ? this.#british
          : at < 0.62
            ? this.#foreign
            : at < 0.85
              ? this.#placed
              : this.index.companies
    const company = pick(of.length === 0 ? this.index.companies : of, this.fraction)
    if (company === undefined) throw new Error('the registry has no companies')
    return company
  }

  /** The company under its legal name, sometimes another of its names. */
  #nameOf(company: FitCompany): string {
    return this.fraction() < 0.85
      ? company.legalName
      : (pick(company.names, this.fraction) ?? company.legalName)
  }

  #countryOf(code: string): string {
    return this.fraction() < 0.7 ? code : (pick(countryNames[code] ?? [code], this.fraction) ?? code)
  }

  place({ city, region, postcode, country }: FitCompany): Place {
    const at = this.fraction()
    if (at < 0.38 || country === '') return noPlace
    const titled = city.toLowerCase().replace(/(^|[\s-])\p{L}/gu, (start) => start.toUpperCase())
    const stated = at < 0.9 ? this.#countryOf(country) : ''
    if (at < 0.6) return { ...noPlace, country: stated }
    return {
      city: titled,
      region: this.fraction() < 0.7 ? region : '',
      postcode: this.fraction() < 0.4 ? postcode : '',
      country: stated,
    }
  }

  /** A place that is not the company's, or only its country. */
  #looksElsewhere(company: FitCompany): Place {
    const other = this.company()
    return this.fraction() < 0.5 ? this.place(company) : this.place(other)
  }

  /** Rows of the registry that are this company, as far as names and places tell. */
  #twinsOf(company: FitCompany): FitCompany[] {
    const full = foldWords(company.legalName).join('')
    return this.index.listNamesakes(company).filter((other) => {
      const isNamed = other.names.some((name) => foldWords(name).join('') === full)
      const isThere = [company, other].some(({ city }) => city === '') || isSame(other.city, company.city)
      const isInCountry =
        [company, other].some(({ country }) => country === '') || other.country === company.country
      return other === company || (isNamed && isThere && isInCountry)
    })
  }

  #expect(company: FitCompany): ReadonlySet<string> {
    return new Set(this.#twinsOf(company).flatMap(({ ids }) => ids))
  }

  /** A name that another company has, or that several have, is no label for one. */
  #isClear(name: string, company: FitCompany, place: Place): boolean {
    const bearers = this.index.listBearers(name)
    const twins = new Set(this.#twinsOf(company))
    if (bearers.length > 0 && !bearers.includes(company)) return false
    const others = this.index.listNamesakes(company).filter((other) => !twins.has(other))
    return (
      others.length === 0 || (place.city !== '' && others.every(({ city }) => !isSame(city, company.city)))
    )
  }

  clean(): Draft | null {
    const company = this.company()
    const place = this.place(company)
    const { legalName: name } = company
    return this.#isClear(name, company, place) ? { ...place, name, expected: this.#expect(company) } : null
  }

  /** Every operation is as frequent as its weight says: companies are tried until it applies to one's name. */
  noise(isAbsent: boolean): Draft | null {
    const operation = drawOperation(this.fraction)
    for (let tries = 0; tries < companiesPerOperation; tries++) {
      const draft = this.#noisy(operation, isAbsent)
      if (draft !== null) return draft
    }
    return null
  }

  #noisy(operation: string, isAbsent: boolean): Draft | null {
    const company = this.company()
    const source = { fraction: this.fraction, company, index: this.index }
    const noisy = addNoise(this.#nameOf(company), operation, source)
    if (noisy === null) return null
    const place = this.place(company)
    if (isAbsent) {
      const removed = new Set(this.index.listNamesakes(company).flatMap(({ ids }) => ids))
      const isKnown = this.index.listBearers(noisy.name).some(({ id }) => !removed.has(id))
      return isKnown ? null : { ...place, ...noisy, leftOut: removed }
    }
    return this.#isClear(noisy.name, company, place)
      ? { ...place, ...noisy, expected: this.#expect(company) }
      : null
  }

  near(): Draft | null {
    const company = pick(this.#oneWord, this.fraction)
    const name = company === undefined ? null : nearName(company.legalName, this.index, this.fraction)
    if (company === undefined || name === null || this.index.isName(name)) return null
    return { ...(this.fraction() < 0.75 ? noPlace : this.#looksElsewhere(company)), name }
  }

  /** A name made of a registered one that no company has. */
  changed(change: (name: string, other: string, fraction: () => number) => string | null): Draft | null {
    const company = this.company()
    const name = change(company.legalName, this.company().legalName, this.fraction)
    return name === null || this.index.isName(name) ? null : { ...this.place(company), name }
  }

  form(): Draft | null {
    const company = this.company()
    const made = formChanged(company.legalName, company.country, this.fraction)
    if (made === null || this.index.companies.length === 0) return null
    const words = foldWords(made.name).join('')
    const isHeld = this.index
      .listBearers(made.name)
      .some(
        (other) =>
          other.country === made.country || other.names.some((name) => foldWords(name).join('') === words),
      )
    const country = this.fraction() < 0.5 ? this.#countryOf(made.country) : ''
    return isHeld ? null : { ...noPlace, country, name: made.name }
  }

  formWritten(): Draft | null {
    const company = this.fraction() < 0.6 ? pick(this.#foreign, this.fraction) : this.company()
    const name = company === undefined ? null : formWritten(company.legalName, this.fraction)
    if (company === undefined || name === null) return null
    const place = this.place(company)
    return this.#isClear(name, company, place) ? { ...place, name, expected: this.#expect(company) } : null
  }

  /** The core of a name that only a company of another country has, in a town of that other one. */
  elsewhere(): Draft | null {
    const [company, there] = [this.company(), this.company()]
    const core = dropForms(foldWords(company.legalName))
    const isMisplaced = company.country !== '' && there.country !== '' && there.country !== company.country
    if (!isMisplaced || company.ticker !== '' || core.length > 2 || there.city === '') return null
    const name = core.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
    const isThere = this.index.listBearers(name).some(({ country }) => country === there.country)
    return isThere
      ? null
      : { ...this.place(there), city: there.city, country: this.#countryOf(there.country), name }
  }
}

function isSame(city: string, other: string): boolean {
  return city !== '' && city.toLowerCase() === other.toLowerCase()
}
