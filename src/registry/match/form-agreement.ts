import type { CandidateName } from './candidate.js'
import type { FormClass } from '../normalize/legal-forms.js'
import { parseForm } from '../normalize/parsed-name.js'

/** `foreign`: the company's country does not know the form of the query; if that country is unknown, no country knows both forms. */
export type FormAgreement =
  'same' | 'unknown' | 'unstated_partnership' | 'soft_conflict' | 'hard_conflict' | 'foreign'

/** The form that a text states for a name. */
interface TextForm {
  readonly formClass: FormClass | null
  readonly formCountries: readonly string[]
}

export function compareForms(stated: TextForm, candidate: CandidateName): FormAgreement {
  const [query, held] = [stated.formClass, candidate.formClass]
  if (isForeignForm(stated, candidate)) return 'foreign'
  if (query === held) return query === null ? 'unknown' : 'same'
  if (query === null && held === 'partnership') return 'unstated_partnership'
  if (query === null || held === null || query === 'company' || held === 'company') return 'unknown'
  const isCorporate = (form: FormClass) => form === 'limited' || form === 'stock'
  return isCorporate(query) && isCorporate(held) ? 'soft_conflict' : 'hard_conflict'
}

/**
 * Companies of one group have one name in many countries, with different forms: "Norvane GmbH" is not the British
 * "Norvane Limited". A name without a form ("Norvane") has that of the registered name. A form is not foreign if the
 * company's own country knows it, since registers translate forms, or if it is the very same form, since registers do
 * not always know a company's country.
 */
function isForeignForm(
  { formCountries, formClass }: TextForm,
  { name, registeredName, formClass: heldClass, place }: CandidateName,
): boolean {
  if (formCountries.length === 0) return false
  const isKnownIn = (country: string) => formCountries.includes(country)
  // Without reading the other form, which takes time.
  if (isKnownIn(place.countryCode)) return false
  const isFormless = heldClass === null && name === registeredName
  const held = isFormless ? noForm : parseForm(heldClass === null ? registeredName : name)
  const heldCountries = held.formCountries
  // A register that lists companies of other countries may name its own for them: no Danish "A/S" is American.
  const isRegisteredThere = heldCountries.length === 0 || heldCountries.includes(place.jurisdictionCountry)
  const registered = isRegisteredThere ? place.jurisdictionCountry : ''
  const ownCountries = [place.countryCode, registered].filter((code) => code !== '')
  if (ownCountries.some(isKnownIn)) return false
  if (heldCountries.length === 0) return ownCountries.length > 0
  const isSameForm = formClass === held.formClass && heldCountries.join() === formCountries.join()
  return !isSameForm && (ownCountries.length > 0 || !heldCountries.some(isKnownIn))
}

const noForm = { formClass: null, formCountries: [] } as const
