import type { NameComparison } from './compare-names.js'
import type { LocationHint, PlaceAgreement } from './place.js'

/** The companies among which one is chosen, as far as a name's evidence depends on the others. */
export interface Siblings {
  /** Companies with a name of this very core. */
  readonly exactCount: number
  /** Companies in the very town asked for whose names go on from this one. */
  readonly longerThereCount: number
  /** Companies of this very core that agree with the place better than this one does. */
  readonly betterPlacedCount: number
  /** Companies that have a name which begins with the variant's words, this one included. */
  readonly prefixCount: number
  readonly listedPrefixCount: number
  /** Of those with such a name, how many agree with the place as well as this one does. */
  readonly placedPrefixCount: number
  /** Companies whose names the text may have been cut out of. */
  readonly completedCount: number
  /** Of these, one of a series each, with its number behind the end of the column. */
  readonly seriesCount: number
  /** Companies found whose names begin with the first two words of the text: the more, the likelier is one not held. */
  readonly familyCount: number
  /** How few names the registry holds; see Vocabulary. */
  readonly fewness: number
  /** No other company has the rarest word in common in its name. */
  readonly ownsRarestWord: boolean
}

/** All that is known of one company for one query. */
export interface Evidence {
  readonly comparison: NameComparison
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  readonly siblings: Siblings
  /** Words of the caller's context that are known of the company besides its name. */
  readonly contextCount: number
}
