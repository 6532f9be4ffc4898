/** Words that name a trade, a shape or a place rather than a company. One of them alone names nobody. */
const genericWords = new Set(
  `acquisition advanced advisors america american asia asset associates australia automotive bancorp bancshares bank
  british building business canada capital care center central chemical china city cleaning college communications community
  companies company construction consultants consulting data delivery design development digital direct distribution
  eastern education electric electronics energy engineering enterprises entertainment environmental equity estate
  europe european express federal finance financial first food foods foundation france fund funding funds garage
  gas general germany global gold green group health healthcare holdings home homes hospital hotel hotels india
  industrial industries infrastructure innovation institute insurance international investment investments investors
  japan laboratories leasing life limited logistics london management manufacturing marine marketing materials media
  medical metals mining mortgage motor motors mutual national natural network networks new north northern oil one online
  pacific partners petroleum pharmaceuticals pharmacy plastics power power products professional properties property
  public realty recruitment renewable research resources restaurant retail royal royalty savings school sciences
  securities security services shipping shop society software solar solutions south southern sports state steel
  store stores strategic studio supply support systems technology telecom television trade trading training transport
  travel trust uk union united universal university us usa utilities ventures water wealth western wireless world
  worldwide`.split(/\s+/),
)

/** Words a company's name gains and loses without becoming another company. */
const lightWords = new Set('group holdings company companies usa us uk corporate reit com'.split(' '))

export function isGenericWord(word: string): boolean {
  return genericWords.has(word)
}

export function isLightWord(word: string): boolean {
  return lightWords.has(word)
}
