import { getOrCompute } from '../normalize/normalize-name.js'
import { countAllowedTypos, createDistance } from '../../core/edit-distance.js'
import { matchLimits } from '../model/limits.js'

/**
 * Common words of company names: occurrences in 100,000 names of American and British registers, each family of names
 * counted once. A small registry cannot provide them.
 */
const wordsByCount: readonly (readonly [count: number, words: string])[] = [
  [10240, 'fund'],
  [5120, 'capital holdings management of series'],
  [2560, 'group investment partners trust'],
  [
    1280,
    'acquisition advisors asset co financial funds global ia international investments services technology uk ventures wealth',
  ],
  [
    640,
    'bank credit energy equity estate feeder ft income invest investors master offshore opportunities opportunity private real reit solutions spv us venture',
  ],
  [
    320,
    'academy access advisory ai alpha angellist associates bancorp care cayman center corp de development enterprises europe finance first funding gold gp growth health healthcare industries infrastructure insurance laboratories life llc lp markets masterworks medical mortgage multi new one park partnership pharmaceuticals portfolio properties raiffeisenbank resources roll securities sparkasse strategic strategies street systems therapeutics up value vehicles volksbank west',
  ],
  [
    160,
    'account al alternative america american asia at auto bio blue bond brands business cap china city com commercial communications community consulting core creek debt digital direct diversified dst east education egen emerging entertainment etf family foods for foundation gaingels gas general green high hill holdco home homes hotel housing in inc india industrial institutional investor learning lending loan logistics london long ltd market media metals municipal mv national network north oil onshore pacific parallel planning plus point power products qp realty research restaurants retail saint sc school sciences security select senior service software south sp spc special storage strategy trading united variable vc world',
  ],
  [
    80,
    'ab absolute academies advanced advantage ag aggregator all alliance am angel angels annuity apartments apollo as assets association assure atlantic atlas automotive avenue ax banca bancshares banque bay biosciences biotech blackrock bridge brothers building ca california canada carlyle central cleaning climate clo club collective college companies construction cooperativo corporate counsel county credito crown data delaware depositor di distribution dynamic eagle electric employee engineering enhanced european evergreen exchange fc fidelity food franklin frontier ginsburg golden harbor heritage horizon hospital hospitality hotels house icapital impact innovation innovations integrated invesco james japan john joint jv kkr kreissparkasse la lake land lane legacy leisure liability liberty liquid living lux luxembourg macro managed manufacturing marketing minerals mining money motor motors mountain multifamily mutual natural nb net networks no nov nuveen oak oct office on operating operations opportunistic osuuspankki owner oxford parent pass pe petroleum phoenix pimco platform preferred premier prime productions project public quality quantum raif re recruitment red residential retirement return ridge river riverside road rock royal sa schools science scotland secondary self sep separate ser short sicav silver small smith society solar specialty sports square star state stepstone stone structured sub summit support syndicate tax te term texas total transport two union university usd va valley vehicle village vision water white yield york zachary',
  ],
  [
    40,
    'aa abrdn abs ac acquisitions active ad adr advised advisor aerospace agency air airport aiv allocation alpine alpinvest alternatives americas analytics ap apartment apex applied aqr ar arbitrage ares asp aspen aurora austin australia aviation avsf ba backed banco banka banking bankshares barings bc bdc beach beacon beheer bell beschrankter beta big biopharma bioscience bitcoin black blackstone blockchain blocker boston br brewing british broadway brookfield brown builders by cambridge canyon car carbon card carolina cash castle catalyst catering catholic cc centers century cert certificates cf childrens church ci cifc circle class clean cloud coast coffee coinvest coinvestment colorado columbia commerce commodity commonwealth company compass concepts consultants consumer continental contract convertible cooperative copper cornerstone country cove cp creative crypto cs cv david davis day dc deep defense del delta dental der des design diagnostics diamond discovery distressed dividend domestic dr drilling drive du duration eastern edge educational el electronics empire employment england environmental equipment estates eu eur euro ex exempt exploration express facilities farm farms federal ff fi field financing fintech five fixed fl florida focus forest fortress founders four france free freedom fs furniture future futures ga gabelli games gaming garden gate gateway gb generation genesis genossenschaft go golf good government grand granite grayscale great grove gs guardian haftung hall hamilton harvest hedge highland hills hk hong hospice hudson im imaging independent index information infra insight institute intelligence interactive intermediate investco ireland iron island it jackson jersey jones keystone king kong kumar le lease leasing lee light limited lincoln line ls ma madison main manager managers manchester manor marine mark martin materials mc merger meridian mexico mezzanine mid middle midlands midstream midwest mill millennium mission mit mobile mobility morgan mort mount ms music my nc neutral next nexus non nord northern northwest nova ny oaktree odpowiedzialnoscia ograniczona ohio old oncology only op open overseas pa packaging pag pantheon partner pay pbc peak pension people performance personnel pine pinnacle pioneer pipeline place plan platinum plaza portfolios post pr precision premium principal pro professional program projects prospect prudential putnam rahman rail ranch rate receivables recovery redwood regional registrierte rehabilitation renewable republic resorts restaurant rise risk rl rn robert robotics royalty sage sajid sales san sca scott scsp se sea sec secondaries secured seed segregated semiconductor seven shares shell shipping si sidecar sierra singapore singh situations sky sl slp smart smarttrust so social societa sons southern space spectrum spoka sponsor spring sr sri ss ssg standard station steel sterling stock stores studio studios sun supply surgery surgical sustainable systematic tactical target taylor team telecom terra th third thomas thr three through titan to topco tower tpg trade transition transportation travel tree trinity tv tx uag ubs umbrella unit universal urban van vanguard vintage virginia vista warehouse washington waste wave wellington wellness western william williams wood woods works worldwide',
  ],
  [
    20,
    'aberdeen abpcic acadian acorn acp acretrader activity adams add advance adviser aero af affiliates affinity africa agricultural agriculture agro aim aip aircraft airlines alexander alextar allen allianz allied allocate alt alta alto amundi an anchor anderson andrew animal annex app apple appreciation apptronik arbor arc arch arena arizona ark armstrong arriva arrow art arts ascend ascent aspire assurance athena atlanta au aug autism automation automobiles av avalon ave axa axiom axis babcock baker bakery balanced bam bankers bankhaus bar based battery bayview bcc bcp bd be bear beauty behalf benchmark benefit berkeley berkshire berry best better beverage beyond bh bi bidco biologics biomedical biotechnologies biotechnology biotherapeutics birmingham bitwise bl bloom bmo board box bp branch brand brewery bright bristol broad broadcasting brokerage brook bt btc build bus bvi bw cable cafe call campus canadian canary cancer cannabis capita capstone cardinal cars cassa cb cbre ccof ccv cd ce cedar cell cg ch chain champion channel charitable charity charles charter chase chemical chemicals chesapeake chicago choice churchill cinemas citizens civ cl clark classic clear clearwater client clinical clutch cm coal coastal coatue cold collins colony columbus commodities common commons communities components computing concentrated concord connect connecticut consolidated constellation constructions consultancy continuation contracting contractors control cooper cooperativa corporation council court cr crane cre crescent crest critical cross crossing crystal culture cumberland custom cw cypress da dakota datapower davidson db dba dcm deal deals dean defined dennis denver designated designs deutsche deutschland developers developments devices dg discretionary dislocation distributors district division do dominion douglas dpv dragon dream driven dv dvc dw dws dynamics early earth ec echo eco ecp eden edison edward ef eg electrical element elevate elite ellington em emerald employees en encore end endurance engineers entrepreneurs eq eqt equitybee er es esg essential essex est etfs europa ev evans event everest evolution executive exeter exitfund extension facility factory falcon falls farmers fashion fast fe federation fg fiduciary fifth fig film films fire fisher fitness flagship fleet flex flexible floating flow fm fo football ford forge fort fortune forum forward fossil foster foundry fourth fox fp fr franchise fresh friends fuel fuels fundamental fur fusion galaxy gc ge gem george georgia gestion gf gh gi glasgow glass gmbh gordon grade graham grant gray greater groq grosvenor ground grupo gsbackers guggenheim hack harbour harris harrison hartford haven hawk hc hcm heart hedged hedgeforum heights heron hf hi hire homecare horizons houston howard hr hsbc hub human hunt hustle hw ib ic ice icg id idaho idf if il illinois independence indiana indigo industry infinite infinity ing inn innovative insured integrity intelligent interest interests internet inv investing io iowa ip islands israel issuer its ivy jack jacobs jain jasons jay jefferson jewellers jmwtx johnson joseph jp jr jul jun juniper jupiter just ka kb kent kentucky key kings knight lakes landfill landing landmark large lasalle lawrence lazard lb leaders leaf legal lender lenders leonis level levered lewis lexington li libremax license lifestyle lighthouse link lion liquidity lithium little live liverpool lloyd lo loans local lodging logic los low magnolia maintenance malta man maple mar marathon marina maritime marshall mason massachusetts matrix max may mb md me meadow medicine member members merchant mercury mesa metal metro mf mfs mh mhc mhp mi michael michigan micro midland milestone miller mills mineral mines minnesota missouri mitie mitte mm mo modern molecular momentum monarch monroe moore morris mosaic moving mp mr muzinich mvp na nationwide ne nevada newco newport news nexpoint nicholas nine nippon noble nordic northeast northstar not note notes nottingham nu nuclear nurseries nursing nw oaks oasis oca ocean odyssey oklahoma omega onex online ontario opco operator oppenheimer option or orange orchard organic origin orion os outdoor ownership oz palm pan paper paradigm paragon parker parks parts pas pathfinder patriot paul payroll pc pearl peg penn pennsylvania peoples perfect personal pet peter pf pg pgim phase physical pi pictures pizza pl plains planet plant plastics play plc plymouth pm pointe polaris pool port portland prairie pre prestige primary principals processing produce production protection provident ps publishing puerto pure pv qof qualified quant quantitative queen quest ra racing raiffeisen raiffeisenkasse railway ram rare rated rbc rc rcp rd realisations realtyshares recursos recycling reed regency renaissance renewables rental reserve resort rh rice richard richmond rico rio rivers rm robinson rocky rolling room rose ross round row royalties rp rs run rural russell rv safe safety sai sali santa santander savings saxecap sb sbic scf sci scientific scottish scp scs second sector securitization sentinel settlement sf sfr sg sh share shared shaw shield shop shopping shore shree shri side sif sigma signature silicon silverstone six sk sm sma sof solicitors son sound source southeast southwest sovereign spac spacex spark spe specialist spire spirits springs squad squared stadtsparkasse staff staffing stage startengine stellar stephen store stream student su subsidiary sud sunrise sunshine super supplies sv sw swan swiss syndicates synergy ta taiwan tc tcw td technical templeton ten tennessee terrace therapy thompson thrivent tiger timber time title tn token toll top town traded traders trail training trans transfer transmission treasury trident triple triumph truck true trustee ts turner twin ultra umami unity unlevered unpopular uranium utah utilities utility vale valor vaneck vantage vauban vb ve vector velocity verde via victory vida view viking virtus volatility voya vr vs vuvp wa wagmi wales warehousing way we wefunds well wells westwood wi wild will willow wilshire wilson wind windsor wireless wisconsin wise with worth wp xix xviii xxi xxiv yorkshire young your ys zero zone zweckverbandssparkasse',
  ],
  [
    10,
    'acceptance ace act action adaptive advent advertising ae agent ah alabama alaska align angle antares antonio apr apts argentina arlington arthur asian astra athletic austria authority automobile bad base bath baxter bbh bedford bella beteiligungs bird bishop boulder brain bravo brazil bridgewater brigade builder burst buyout caixa cal calamos calvert can capitol cascade caz cbl ccp cer chandler change charlotte cherry cincinnati clarion clarke cohen coin commonfund complete computer connection container contracts covenant craft crossroads ct currency cvr cyber daily dairy dallas dated dec delivery delphi derby dividenz dl dollar double dreyfus ea eb eclipse edinburgh elm emea empower environment ep era ethereum events expansion experience eye fa fairfield farmland fit focused fof frank freight fruit full fun fundrise fw gamma gardens gathering germany gestao giant gift gl glen goldentree gps gr grammar greenwich grey gulf gupta ha hampshire hanover harmony harvey he henry hg hig highlands hl ho hollow hope host hps hughes hunter huntington hy hydro icf icon ig imports indonesia inland integral intrepid iqvia iris ironwood ishares jan jpmorgan kansas kingdom korea kw lafayette lakeside landesbank latitude law lc leeds legend lg lighting lincolnshire lineage lm logan louisiana mac macquarie magellan magic magnetar managment maryland matthew mcm mercer metropolitan miami midco midway mile mimg mini mitchell mj mob moon morrison mpc mustang nano natixis nelson nest netherlands newton ni nj nomura norse np number nv october oha oliver options opus oregon origination orlando osprey parkway party path pegasus per perpetual ph pnc po popular precious preservation princeton product prosperity protective proteus providence pub puma purpose rainier range rb reach reinsurance rent repair response rhino ride ro rush saastopankki sandy sapphire sas sax scotia scout search sei sept sheffield siemens signal signet single skyline sociedad sofi sol solana spirit spot spruce spvs stack stanley start stichting stonebridge stonepeak summer superior surrey susquehanna tampa tandem taxable tb tea teachers thru ti together tools tour townhomes tractors trend triton trusts tsi tu unipessoal unique vault vertical vg victoria vp walker walter warren waters westminster wh what wholesale win wine winston wr wright xai xl xvii xx xxii ze zenith',
  ],
]

const counts = new Map(
  wordsByCount.flatMap(([count, words]) => words.split(' ').map((word) => [word, count] as const)),
)

/** Number of 100,000 names with a word, about; 0 for rare words. */
const getUsualCount = (word: string): number => counts.get(word) ?? 0

/** Names share words, so results are cached. */
const rememberedWordsMax = 20_000

/** Longer words are seldom abbreviations. */
const abbreviationCharsMax = 9

/** Prior for small registries: common words count as if this many more names were stored. */
const usualNamesTotal = 50_000

/**
 * The words of all names and their frequencies. Answers from memory, faster than a full-text index, how rare a word
 * is, and its possible spellings and completions.
 */
export class Vocabulary {
  readonly #words: WordList
  readonly #namesTotal: number
  readonly #counts = new Map<string, number>()
  readonly #weights = new Map<string, number>()
  readonly #spellings = new Map<string, readonly string[]>()
  readonly #expansions = new Map<string, readonly string[]>()

  constructor(words: WordList | ReadonlyMap<string, number>, namesTotal: number) {
    this.#words = words instanceof WordList ? words : new WordList(buildWordLists(words))
    this.#namesTotal = namesTotal
  }

  get namesTotal(): number {
    return this.#namesTotal
  }

  countNames(word: string): number {
    return getOrCompute(this.#counts, rememberedWordsMax, word, this.#findCount)
  }

  /** Number of names with a word, including the prior. */
  estimateCount(word: string): number {
    return this.countNames(word) + (getUsualCount(word) * usualNamesTotal) / 100_000
  }

  /**
   * Share of 100,000 names that a smaller registry does not have, 0 to 1. The model was fitted on a registry of that size:
   * its evidence presumes that companies of like names would be found.
   */
  get unseenShare(): number {
    return Math.max(0, 1 - this.#namesTotal / 100_000)
  }

  /** Whether a word is in at least 10 of 100,000 names, whatever the registry has. */
  isUsual(word: string): boolean {
    return getUsualCount(word) > 0
  }

  /** Weight of a word, at least 0.2; the rarer, the higher. */
  weight(word: string): number {
    return getOrCompute(this.#weights, rememberedWordsMax, word, this.#findWeight)
  }

  readonly #findCount = (word: string): number => {
    const at = this.#words.find(word)
    return at < 0 ? 0 : this.#words.count(at)
  }

  readonly #findWeight = (word: string): number =>
    Math.max(0.2, Math.log((this.#namesTotal + usualNamesTotal) / (this.estimateCount(word) + 1)))

  /** Known words within the typing errors allowed for the length of the word, nearest first. */
  findSpellings(word: string): readonly string[] {
    const distanceMax = countAllowedTypos(word.length)
    if (distanceMax === 0) return []
    return getOrCompute(this.#spellings, rememberedWordsMax, word, () => this.#findNearest(word, distanceMax))
  }

  /** Known words that begin with `stem`, at most `completionsMax`. */
  findCompletions(stem: string): string[] {
    const found: string[] = []
    let at = this.#words.findFirstNotBefore(stem)
    for (; found.length < matchLimits.completionsMax && this.#words.beginsWith(at, stem); at++) {
      const word = this.#words.getWord(at)
      if (word !== stem) found.push(word)
    }
    return found
  }

  /** Known words that `short` may abbreviate: the same first letter, its letters in order, at least two more; the most frequent first. */
  findExpansions(short: string): readonly string[] {
    if (short.length < 3 || short.length > abbreviationCharsMax) return []
    return getOrCompute(this.#expansions, rememberedWordsMax, short, () => this.#listExpansions(short))
  }

  #listExpansions(short: string): string[] {
    const words = this.#words
    let [from, end] = words.findRange(short.charAt(0))
    if (end - from > matchLimits.abbreviationsScannedMax) [from, end] = words.findRange(short.slice(0, 2))
    end = Math.min(end, from + matchLimits.abbreviationsScannedMax)
    const found: number[] = []
    for (let at = from; at < end; at++) {
      const charCount = words.getCharCount(at)
      if (charCount < short.length + 2 || charCount > short.length * 3 + 2) continue
      if (words.hasLetters(at, short)) found.push(at)
    }
    return found
      .sort((a, b) => words.count(b) - words.count(a))
      .slice(0, matchLimits.expansionsMax)
      .map((at) => words.getWord(at))
  }

  /** Typing errors in one place keep the beginning or the end: only words that share either are compared. */
  #findNearest(word: string, distanceMax: 1 | 2): string[] {
    const words = this.#words
    const { spellingsScannedMax } = matchLimits
    // For a single error: the length before and after it, minus a letter for a swap.
    const headCount = Math.max(distanceMax + 1, Math.floor((word.length - 1) / (distanceMax + 1)))
    const tailCount = distanceMax === 1 ? word.length - 1 - headCount : headCount
    const distanceTo = createDistance(word, distanceMax)
    const near = new Map<number, number>()
    let comparedCount = 0
    const compare = (at: number) => {
      if (Math.abs(words.getCharCount(at) - word.length) > distanceMax) return
      comparedCount++
      const distance = distanceTo(words.getCodes(at))
      if (distance <= distanceMax && distance > 0) near.set(at, distance)
    }
    const [first, last] = words.findRange(word.slice(0, headCount))
    for (let at = first; at < last && comparedCount < spellingsScannedMax; at++) compare(at)
    comparedCount = 0
    const [from, end] = words.findBackwardRange(word.slice(-tailCount))
    for (let order = from; order < end && comparedCount < spellingsScannedMax; order++) {
      compare(words.atBackward(order))
    }
    return [...near]
      .sort(([a, distanceA], [b, distanceB]) => distanceA - distanceB || words.count(b) - words.count(a))
      .slice(0, matchLimits.tokenSpellingsMax)
      .map(([at]) => words.getWord(at))
  }
}

/** Sorted ASCII words in flat arrays: a Map of a million words takes ten times the memory and seconds to build. */
export interface WordLists {
  /** The words in byte order, each followed by a line feed. */
  readonly words: Uint8Array
  readonly counts: Uint32Array
  /** Numbers of the words, sorted by their letters from last to first. */
  readonly backward: Uint32Array
}

const lineFeed = 10

export class WordList {
  readonly size: number
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #counts: Uint32Array
  readonly #backward: Uint32Array

  constructor({ words, counts, backward }: WordLists) {
    this.size = counts.length
    this.#bytes = words
    this.#counts = counts
    this.#backward = backward
    this.#starts = findStarts(words, counts.length)
  }

  count(at: number): number {
    return this.#counts[at] ?? 0
  }

  getWord(at: number): string {
    return String.fromCharCode(...this.getCodes(at))
  }

  getCodes(at: number): Uint8Array {
    return this.#bytes.subarray(this.start(at), this.start(at + 1) - 1)
  }

  start(at: number): number {
    return this.#starts[at] ?? 0
  }

  getCharCount(at: number): number {
    return this.start(at + 1) - this.start(at) - 1
  }

  /** True if a word has these letters in this order. */
  hasLetters(at: number, letters: string): boolean {
    let index = 0
    for (
      let byte = this.start(at), end = this.start(at + 1) - 1;
      byte < end && index < letters.length;
      byte++
    )
      if (this.#bytes[byte] === letters.charCodeAt(index)) index++
    return index === letters.length
  }

  /** The code of a letter, by its offset from the start of all words. */
  getCode(byteAt: number): number {
    return this.#bytes[byteAt] ?? lineFeed
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const at = this.findFirstNotBefore(word)
    return at < this.size && this.#compare(at, word) === 0 && this.getCharCount(at) === word.length ? at : -1
  }

  /** The first word not less than `stem`; words that begin with it follow. */
  findFirstNotBefore(stem: string): number {
    return lowerBound(this.size, (at) => this.#compare(at, stem) < 0)
  }

  beginsWith(at: number, stem: string): boolean {
    return at < this.size && this.#compare(at, stem) === 0
  }

  /** The words that begin with `stem`: first, and last + 1. */
  findRange(stem: string): readonly [number, number] {
    return [this.findFirstNotBefore(stem), lowerBound(this.size, (at) => this.#compare(at, stem) <= 0)]
  }

  /** The words that end with `tail`, in backward order: first, and last + 1. */
  findBackwardRange(tail: string): readonly [number, number] {
    const isBelow = (order: number, isAfterToo: boolean) => {
      const compared = this.#compareTail(this.#backward[order] ?? 0, tail)
      return isAfterToo ? compared <= 0 : compared < 0
    }
    const from = lowerBound(this.size, (order) => isBelow(order, false))
    return [from, lowerBound(this.size, (order) => isBelow(order, true))]
  }

  atBackward(order: number): number {
    return this.#backward[order] ?? 0
  }

  /** 0 if the word begins with `stem`. */
  #compare(at: number, stem: string): number {
    const start = this.start(at)
    for (let index = 0; index < stem.length; index++) {
      const difference = this.getCode(start + index) - stem.charCodeAt(index)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** 0 if the word ends with `tail`. */
  #compareTail(at: number, tail: string): number {
    const charCount = this.getCharCount(at)
    const end = this.start(at) + charCount
    for (let index = 1; index <= tail.length; index++) {
      const code = index > charCount ? 0 : this.getCode(end - index)
      const difference = code - tail.charCodeAt(tail.length - index)
      if (difference !== 0) return difference
    }
    return 0
  }
}

/** Builds the lists from distinct words in any order. Words with other characters are left out. */
export function buildWordLists(counts: Iterable<readonly [word: string, count: number]>): WordLists {
  return buildSortedWordLists([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Builds the word lists from words in byte order, without keeping all of them as strings. */
export function buildSortedWordLists(sorted: Iterable<readonly [word: string, count: number]>): WordLists {
  let bytes = Buffer.allocUnsafe(65_536)
  let byteCount = 0
  const counts: number[] = []
  const tailKeys: number[] = []
  for (const [word, count] of sorted) {
    if (!/^[\x21-\x7e]+$/.test(word)) continue
    if (byteCount + word.length + 1 > bytes.length) {
      const room = Math.max(2 * bytes.length, byteCount + word.length + 1)
      bytes = Buffer.concat([bytes.subarray(0, byteCount)], room)
    }
    byteCount += bytes.write(`${word}\n`, byteCount, 'latin1')
    counts.push(count)
    tailKeys.push(toTailKey(word))
  }
  const words = bytes.subarray(0, byteCount)
  return { words, counts: Uint32Array.from(counts), backward: sortBackward(words, tailKeys) }
}

/** The last six letters as a number, last letter first: different for nearly all words. */
function toTailKey(word: string): number {
  let key = 0
  for (let index = 1; index <= 6; index++)
    key = key * 256 + (index > word.length ? 0 : word.charCodeAt(word.length - index))
  return key
}

function sortBackward(words: Uint8Array, tailKeys: readonly number[]): Uint32Array {
  const starts = findStarts(words, tailKeys.length)
  const compareBackward = (a: number, b: number): number => {
    const [startA = 0, startB = 0] = [starts[a], starts[b]]
    let [endA, endB] = [(starts[a + 1] ?? 0) - 1, (starts[b + 1] ?? 0) - 1]
    while (endA > startA && endB > startB) {
      const difference = (words[--endA] ?? 0) - (words[--endB] ?? 0)
      if (difference !== 0) return difference
    }
    return endA - startA - (endB - startB)
  }
  return Uint32Array.from(tailKeys.keys()).sort(
    (a, b) => (tailKeys[a] ?? 0) - (tailKeys[b] ?? 0) || compareBackward(a, b),
  )
}

function findStarts(words: Uint8Array, wordCount: number): Uint32Array {
  const starts = new Uint32Array(wordCount + 1)
  let at = 0
  for (let index = 0; index < words.length; index++) {
    if (words[index] === lineFeed) starts[++at] = index + 1
  }
  return starts
}

/** The first of `count` positions for which `isBefore` is false; it must be true exactly up to some position. */
function lowerBound(count: number, isBefore: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
