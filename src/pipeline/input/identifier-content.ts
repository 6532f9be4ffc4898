import { toCanonicalIdentifier, type IdentifierKey } from '../../core/identifiers.js'
import { isPlaceholder } from '../../core/lookup-identity.js'

/** Returns the text of a cell; null if it is blank or a placeholder. */
export function toFilledCell(cell: string | null | undefined): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are no part of an identifier
  const text = (cell ?? '').replace(/[\s\x00-\x1f\x7f-\x9f\u200b\ufeff]+/g, ' ').trim()
  return text === '' || isPlaceholder(text) ? null : text
}

// Most cells have no dot, and the first use of a pattern with letters of all scripts takes milliseconds.
const isEmail = (text: string): boolean =>
  text.includes('@') && /^(?:mailto:)?[^\s@]+@[^\s@]+\.\p{L}{2,}>?$/iu.test(text)

const isSite = (text: string): boolean =>
  text.includes('.') &&
  /^(?:https?:\/\/|\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\.?(?::\d+)?(?:[/?#]\S*)?$/iu.test(
    text,
  )

const isUrl = (text: string): boolean => /^(?:https?:\/\/|www\.)/i.test(text) && isSite(text)

/** Phone numbers: a country prefix, brackets, or a leading zero and an area code. */
const isPhone = (text: string): boolean => /^[+(]|^0\d{1,5}[\s/-]\d/.test(text)

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(text)

const isRegistration = (text: string): boolean =>
  /^[\p{L}\d][\p{L}\d ./-]{2,39}$/u.test(text) && /\d/.test(text) && !isPhone(text) && !isDate(text)

const createCanonicalTest = (type: Parameters<typeof toCanonicalIdentifier>[0]) => (text: string) =>
  'value' in toCanonicalIdentifier(type, text)

const fitting: Readonly<Record<IdentifierKey, (text: string) => boolean>> = {
  lei: createCanonicalTest('lei'),
  cik: createCanonicalTest('cik'),
  registration_id: isRegistration,
  ein: createCanonicalTest('ein'),
  bic: createCanonicalTest('bic'),
  ticker: (text) => /^(?:[A-Z][A-Z0-9 ]{1,19}:\s*)?[A-Z0-9][A-Z0-9.\-/]{0,9}$/i.test(text),
  website: isSite,
  email: isEmail,
}

/** Identifiers with check digits or a distinct form may be wrong in more cells. */
const shareMin: Readonly<Record<IdentifierKey, number>> = {
  lei: 0.5,
  website: 0.5,
  email: 0.5,
  cik: 0.8,
  registration_id: 0.8,
  ein: 0.8,
  bic: 0.8,
  ticker: 0.8,
}

/** Returns the reason why cells under an identifier header are not used; null if they are. */
export function findContentFault(
  key: IdentifierKey,
  cells: readonly string[],
  names: readonly string[] | null,
): string | null {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  if (values.length === 0) return null
  if (calculateShare(values, fitting[key]) < shareMin[key]) {
    return key === 'lei' ? 'most cells have wrong check digits' : 'most cells have another form'
  }
  if (key !== 'website' && key !== 'email') return null
  const hosts = values.map(toHost)
  if (
    key === 'email' &&
    isMost(hosts, (host) => ['mail provider', 'disposable'].includes(getSharedKind(host) ?? ''))
  )
    return 'most are in domains of mail providers, not of companies'
  if (key === 'website' && isMost(hosts, (host) => getSharedKind(host) === 'platform'))
    return 'most are pages on sites shared by many companies'
  return names !== null && isOneForAll(hosts, names) ? 'most names have the same domain' : null
}

/** Fewer cells than this prove nothing. */
const cellsMin = 3

/** Whether the cells prove the identifier by themselves, whatever their header. */
export function isCertainly(key: 'lei' | 'website' | 'email', cells: readonly string[]): boolean {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  if (values.length < cellsMin) return false
  switch (key) {
    case 'lei':
      return calculateShare(values, fitting.lei) >= 0.8
    case 'email':
      return calculateShare(values, isEmail) >= 0.8
    case 'website':
      // Pages deep in a site may belong to another company; home pages do not.
      return calculateShare(values, (text) => isUrl(text) && /^[^/]*(?:\/\/)?[^/?#]+\/?$/.test(text)) >= 0.8
  }
}

function getSharedKind(host: string): ReturnType<typeof classifyDomain> {
  return classifyDomain(host) ?? classifyDomain(host.split('.').slice(-2).join('.'))
}

/** Returns the approximate host; the exact domain is determined per row, with the list of suffixes. */
function toHost(text: string): string {
  const address = text.toLowerCase().replace(/^(?:mailto:)?(?:[a-z]+:)?(?:\/\/)?/, '')
  const authority = /^[^/?#]*/.exec(address)?.[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/^www\.|[>.]+$|:\d+$/g, '')
}

/**
 * Whether one domain covers most rows although most names differ: it belongs to the owner of the list, an agency or a
 * platform.
 */
function isOneForAll(hosts: readonly string[], names: readonly string[]): boolean {
  if (hosts.length < 5) return false
  const counts = new Map<string, number>()
  for (const host of hosts) counts.set(host, (counts.get(host) ?? 0) + 1)
  const namesDiffer = new Set(names.map((name) => name.toLowerCase())).size > names.length / 2
  return namesDiffer && Math.max(...counts.values()) > hosts.length / 2
}

const isMost = (values: readonly string[], is: (value: string) => boolean): boolean =>
  values.length >= cellsMin && calculateShare(values, is) >= 0.8

const calculateShare = (values: readonly string[], is: (value: string) => boolean): number =>
  values.filter(is).length / values.length

/** Faults of an identifier in a row; it is not submitted. */
export type IdentifierFault = Exclude<IdentifierKey, 'lei'> | 'lei_form' | 'lei_checksum'

/** Reasons why a row without other data is not submitted. */
export const faultReasons: Readonly<Record<IdentifierFault, string>> = {
  lei_checksum: 'the LEI has wrong check digits',
  lei_form: 'the LEI does not have the form of one',
  cik: 'the CIK is no number of at most ten digits',
  registration_id: 'the company number does not have the form of one',
  ein: 'the EIN does not have nine digits',
  bic: 'the BIC does not have the form of one',
  ticker: 'the ticker is not one symbol',
  website: 'the website is no domain',
  email: 'the e-mail address has no domain',
}

/**
 * Domains shared by many people or companies, which therefore identify no company: providers of free and disposable
 * mailboxes, and sites with company pages.
 */
const splitList = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Free mailboxes, and those of internet access providers. */
const mailProviders = splitList(`
gmail.com googlemail.com outlook.com outlook.de outlook.fr outlook.es outlook.it outlook.jp outlook.com.br hotmail.com
hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.nl hotmail.be hotmail.se hotmail.no hotmail.dk hotmail.ca hotmail.co.uk
hotmail.com.br hotmail.com.ar live.com live.de live.fr live.it live.nl live.be live.se live.no live.dk live.ca live.cn
live.co.uk live.com.au live.com.mx live.com.pt msn.com windowslive.com passport.com
yahoo.com yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.ca yahoo.in yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.co.id yahoo.co.kr
yahoo.co.nz yahoo.co.za yahoo.com.br yahoo.com.ar yahoo.com.mx yahoo.com.au yahoo.com.cn yahoo.com.hk yahoo.com.ph
yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.gr yahoo.ie yahoo.no yahoo.pl yahoo.ro yahoo.se yahoo.dk yahoo.cn
ymail.com rocketmail.com myyahoo.com aol.com aol.de aol.fr aol.co.uk aim.com netscape.net
icloud.com me.com mac.com proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com
zohomail.com fastmail.com fastmail.fm hushmail.com hush.com mailfence.com posteo.de posteo.net mailbox.org runbox.com
disroot.org riseup.net startmail.com hey.com duck.com mail.com email.com usa.com post.com consultant.com engineer.com
europe.com iname.com myself.com techie.com lycos.com excite.com juno.com netzero.net netzero.com inbox.com gmx.com
gmx.net gmx.de gmx.at gmx.ch gmx.fr gmx.es gmx.co.uk gmx.us web.de freenet.de t-online.de arcor.de online.de email.de
kabelmail.de 1und1.de ewetel.net chello.at aon.at bluewin.ch hispeed.ch sunrise.ch
orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr numericable.fr bbox.fr aliceadsl.fr club-internet.fr voila.fr
caramail.com skynet.be telenet.be proximus.be scarlet.be ziggo.nl kpnmail.nl kpnplanet.nl planet.nl xs4all.nl hetnet.nl
home.nl upcmail.nl casema.nl chello.nl quicknet.nl solcon.nl tele2.nl
libero.it virgilio.it alice.it tin.it tiscali.it inwind.it iol.it fastwebnet.it email.it teletu.it
pec.it legalmail.it arubapec.it telefonica.net terra.es ono.com ya.com sapo.pt clix.pt netcabo.pt
btinternet.com btopenworld.com sky.com virginmedia.com ntlworld.com blueyonder.co.uk talktalk.net tiscali.co.uk
plusnet.com o2.co.uk eircom.net iolfree.ie
comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net
windstream.net centurylink.net roadrunner.com rr.com twc.com pacbell.net ameritech.net swbell.net prodigy.net mindspring.com
shaw.ca rogers.com sympatico.ca telus.net videotron.ca bell.net cogeco.ca
bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au westnet.com.au xtra.co.nz
spray.se tele2.se bredband.net comhem.se home.se online.no frisurf.no broadpark.no getmail.no
jubii.dk tdcadsl.dk mail.dk ofir.dk kolumbus.fi luukku.com suomi24.fi elisanet.fi inet.fi
mail.ru bk.ru list.ru inbox.ru internet.ru yandex.ru yandex.com yandex.by yandex.kz yandex.ua ya.ru rambler.ru lenta.ru
ukr.net i.ua bigmir.net meta.ua tut.by mail.by inbox.lv
wp.pl o2.pl onet.pl onet.eu interia.pl interia.eu op.pl gazeta.pl tlen.pl poczta.fm vp.pl autograf.pl
seznam.cz email.cz post.cz centrum.cz volny.cz atlas.cz azet.sk zoznam.sk centrum.sk pobox.sk
freemail.hu citromail.hu indamail.hu vipmail.hu t-online.hu abv.bg mail.bg dir.bg otenet.gr forthnet.gr hol.gr
net.hr siol.net mynet.com superonline.com ttmail.com walla.com walla.co.il bezeqint.net netvision.net.il
qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com tom.com 139.com 189.cn wo.cn aliyun.com 21cn.com
naver.com daum.net hanmail.net nate.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com biglobe.ne.jp
ocn.ne.jp so-net.ne.jp plala.or.jp hi-net.net hinet.net pchome.com.tw seed.net.tw
rediffmail.com rediff.com indiatimes.com sify.com vsnl.com vsnl.net bsnl.in airtelmail.in
uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br r7.com zipmail.com.br
fibertel.com.ar arnet.com.ar speedy.com.ar ciudad.com.ar prodigy.net.mx une.net.co vtr.net entelchile.net
mweb.co.za telkomsa.net vodamail.co.za webmail.co.za iafrica.com emirates.net.ae
`)

/** Disposable mailboxes. */
const disposable = splitList(`
mailinator.com guerrillamail.com guerrillamail.net guerrillamail.org guerrillamail.biz guerrillamail.de guerrillamailblock.com
sharklasers.com grr.la pokemail.net spam4.me 10minutemail.com 10minutemail.net 10minmail.com 20minutemail.com tempmail.com
temp-mail.org temp-mail.io tempmail.net tempmail.dev tempmailo.com tempr.email tempinbox.com temporary-mail.net
throwawaymail.com throwam.com trashmail.com trashmail.de trashmail.net trashmail.me trash-mail.com trash-mail.de
wegwerfmail.de wegwerfmail.net wegwerfemail.de yopmail.com yopmail.fr yopmail.net jetable.org jetable.com
jetable.net maildrop.cc mailnesia.com mailcatch.com mailnull.com mytrashmail.com mailexpire.com mailmoat.com
dispostable.com discard.email discardmail.com discardmail.de getairmail.com getnada.com nada.email fakeinbox.com
fakemailgenerator.com mohmal.com moakt.com moakt.cc emailondeck.com emailfake.com generator.email burnermail.io
incognitomail.org anonbox.net spamgourmet.com spambox.us spamex.com spamfree24.org spam.la spamdecoy.net
mintemail.com mt2015.com mailforspam.com inboxkitten.com inboxbear.com minuteinbox.com luxusmail.org
linshiyouxiang.net harakirimail.com tmail.ws tmailor.com dropmail.me 33mail.com armyspy.com cuvox.de dayrep.com
einrot.com fleckens.hu gustr.com jourrapide.com rhyta.com superrito.com teleworm.us mailsac.com tmpmail.org
tmpmail.net internxt.com eyepaste.com crazymailing.com owlymail.com nospam.today byom.de muellmail.com sofort-mail.de
`)

/** Social networks, marketplaces, site builders and link shorteners. */
const platforms = splitList(`
facebook.com fb.com fb.me m.me instagram.com linkedin.com lnkd.in twitter.com x.com t.co youtube.com youtu.be vimeo.com
tiktok.com pinterest.com snapchat.com threads.net tumblr.com reddit.com vk.com ok.ru weibo.com xing.com
t.me telegram.me whatsapp.com wa.me discord.gg discord.com medium.com substack.com linktr.ee linktree.com bio.link
crunchbase.com wikipedia.org wikidata.org github.com gitlab.com bitbucket.org goo.gl g.co g.page bit.ly tinyurl.com
google.com google.de google.co.uk business.site blogspot.com wordpress.com wixsite.com wix.com weebly.com squarespace.com
jimdo.com jimdofree.com jimdosite.com webnode.com webs.com site123.me strikingly.com godaddysites.com webflow.io
notion.site carrd.co shopify.com myshopify.com etsy.com ebay.com ebay.de ebay.co.uk amazon.com amazon.de amazon.co.uk
alibaba.com aliexpress.com 1688.com taobao.com indiamart.com yelp.com yelp.de tripadvisor.com trustpilot.com glassdoor.com
indeed.com bloomberg.com zoominfo.com apollo.io dnb.com opencorporates.com northdata.de northdata.com yellowpages.com
gelbeseiten.de pagesjaunes.fr paginegialle.it yell.com foursquare.com booking.com airbnb.com opentable.com doordash.com
ubereats.com eventbrite.com kickstarter.com gofundme.com paypal.me behance.net dribbble.com soundcloud.com spotify.com
dropbox.com calendly.com typeform.com
`)

type SharedDomain = 'mail provider' | 'disposable' | 'platform'

const kinds = new Map<string, SharedDomain>([
  ...platforms.map((domain) => [domain, 'platform'] as const),
  ...disposable.map((domain) => [domain, 'disposable'] as const),
  ...mailProviders.map((domain) => [domain, 'mail provider'] as const),
])

/** Returns the kind of a shared root domain; null if it is not shared. */
export const classifyDomain = (rootDomain: string): SharedDomain | null => kinds.get(rootDomain) ?? null

/**
 * Whether a name cell may be an identifier: an LEI, a web or an e-mail address. Cheap, since it is called for every
 * row.
 */
export function mayBeIdentifier(cell: string | null): boolean {
  if (cell === null || cell.length > addressCharsMax) return false
  return cell.includes('@') || /^\s*(?:https?:\/\/|www\.|mailto:)/i.test(cell) || findLei(cell) !== null
}

const addressCharsMax = 2_048

/** Returns the LEI that fills a text; with wrong check digits only if the text cannot be a word. */
export function findLei(text: string): string | null {
  if (text.length < leiChars || text.length > leiChars * 2) return null
  const compact = text.replace(/\s+/g, '')
  if (compact.length !== leiChars || !/^[A-Z0-9]{18}\d{2}$/.test(compact)) return null
  const isWordless = compact.replace(/\D/g, '').length >= digitsMin
  return isWordless || 'value' in toCanonicalIdentifier('lei', compact) ? compact : null
}

const leiChars = 20

/** Company names of that length have fewer digits. */
const digitsMin = 6
