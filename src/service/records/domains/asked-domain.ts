import { domainNameOf } from '../../../core/domain-name.js'
import { badRequest } from '../../refusal.js'

/** The root domain that a request means. Throws 400. */
export function askedDomain(text: string): string {
  const domain = domainNameOf(text)
  if (domain === null) {
    throw badRequest('domain: a domain, a URL or an e-mail address is needed, under a name of the internet')
  }
  return domain
}
