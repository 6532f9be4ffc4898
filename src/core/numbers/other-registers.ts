import { toHeaderKeys, toHeaderKey } from '../text.js'
import numberForms from './number-forms.json' with { type: 'json' }

/** Forms by kind, country and header: numbers of companies, although persons have such numbers too, and those of other registers. */
const below = new Map(
  numberForms.below.flatMap(({ kind, countries, headers, form }) =>
    toHeaderKeys(headers).flatMap((key) =>
      countries
        .split(' ')
        .map((one) => [`${kind} ${one} ${key}`, new RegExp(`^\\s*(?:${form})\\s*$`)] as const),
    ),
  ),
)

/** Whether numbers of a form, or of any known one, below a header are only those of companies of a country, or of another of its registers. */
export function isBelow(kind: 'company' | 'other', country: string, header: string, text?: string): boolean {
  const forms = [toHeaderKey(header), ''].map((key) => below.get(`${kind} ${country.slice(0, 2)} ${key}`))
  return forms.some((form) => form !== undefined && (text === undefined || form.test(text)))
}
