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

/** Words of a trade that people leave out of a name that is known without them. Beside the generic ones. */
const tradeWords = new Set(
  `academy aerospace agency air aircraft airlines airways analytics apparel associates audio aviation bakery beauty
  beverage beverages bioscience biosciences biopharma biotech biotechnology books brands brewery brewing broadcasting
  brothers builders cable cars casino casinos cement ceramics chemicals classic clinical clothing club coal coffee collection
  college commerce computer computers concrete cosmetics couriers courier creative credit cruise dairy dental devices diagnostics
  distributors drilling dynamics ecommerce electrical electricity engines equipment exchange exploration express farms fashion
  fitness flooring foundry freight fresh frozen furniture gaming games genetics genomics glass golf grocery guitars gym haulage
  homecare homeware hospitality housing imaging implants instruments insights interactive interiors jewellery jewelers kitchens
  lawyers leisure letting lettings lighting limo lines linen loans lumber machinery magazine markets meat meats mills minerals
  mobile mobility music nurseries nutrition oils oncology optical optics orthopedics outdoor packaging paint paints paper
  payments pets petcare photonics pictures pipeline pipelines pipes pizza poultry precision press printing processing produce
  productions publications publishing racing radio rail railroad railway railways rental rentals rescue resorts restaurants
  robotics roofing rubber salons salon savings school seafood seeds semiconductor semiconductors sensors shoes signs software
  solicitors space spirits sportswear staffing stationers superstores surgical surveys tankers tea tech technical textiles
  theaters therapeutics timber tire tires tobacco tools tours toys tractors transit transportation travel trucking trucks vaccines
  vehicles ventures veterinary video vision waste watches web wealth windows wines wine wood works yachts`.split(
    /\s+/,
  ),
)

/** Words a company's name gains and loses without becoming another company. */
const lightWords = new Set('group holdings company companies usa us uk corporate reit com'.split(' '))

/** What a group calls the companies that work for it alone: "Larkmoor Services (UK) Ltd" beside "Larkmoor plc". */
const inHouseWords = new Set(
  'services service finance financing funding credit treasury trustee trustees nominees pension pensions leasing receivables employees'.split(
    ' ',
  ),
)

/** Words of which one says that the company works for its group, and the others tell nothing else. */
export function nameInHouseCompany(words: readonly string[]): boolean {
  return (
    words.some((word) => inHouseWords.has(word)) &&
    words.every((word) => inHouseWords.has(word) || lightWords.has(word))
  )
}

/** All words that tell no company from others. */
export function everydayWords(): string[] {
  return [...genericWords, ...tradeWords, ...lightWords]
}

export function isGenericWord(word: string): boolean {
  return genericWords.has(word)
}

export function isLightWord(word: string): boolean {
  return lightWords.has(word)
}

/** A word that tells the trade, and not the company. */
export function isTradeWord(word: string): boolean {
  return genericWords.has(word) || tradeWords.has(word)
}
