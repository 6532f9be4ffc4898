import { formatAmount } from '../pipeline/figures/money.js'
import { html, type Html } from '../web/html.js'

/** Formats a share: `96.4 %`; 0 and 100 only if exact. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const share = (part / whole) * 100
  if (share > 0 && share < 0.1) return 'under 0.1 %'
  if (share < 100 && share > 99.9) return 'over 99.9 %'
  return `${share.toFixed(1)} %`
}

/** `EUR 12.30`, without line breaks. */
export const formatMoney = (units: number, currency: string | null): string =>
  formatAmount(units, currency).replaceAll(' ', '\u00a0')

/** Renders a time in UTC: `2026-01-31 04:05 UTC` */
export function renderMoment(atMs: number): Html {
  const text = new Date(atMs).toISOString()
  return html`<time datetime="${text}">${formatMoment(atMs)}</time>`
}

const formatMoment = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `2026-01-31` */
export const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
