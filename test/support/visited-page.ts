import type { Browser, Page, Route } from 'playwright-core'

export interface Visit {
  readonly page: Page
  /** What went wrong on the page, and requests that left for elsewhere than where it is from. */
  readonly complaints: string[]
}

export interface VisitOptions {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

/** Opens an address in a window of its own. */
export async function visit(
  browser: Browser,
  address: string,
  { width = 1200, scheme = 'light' }: VisitOptions = {},
): Promise<Visit> {
  const complaints: string[] = []
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme })
  const home = new URL(address)
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    const isHome = home.protocol === 'file:' ? url.href === home.href : url.origin === home.origin
    if (!isHome && url.protocol !== 'data:') complaints.push(`left for ${request.url()}`)
  })
  await page.goto(address)
  return { page, complaints }
}

/**
 * `page.route`, and waits until it has an effect. Chromium lets some requests through for a moment after `page.route`
 * resolves.
 */
export async function interceptRequests(
  page: Page,
  address: string | RegExp,
  handler: (route: Route) => unknown,
): Promise<void> {
  const marker = 'intercepted'
  const probe = '**/review.css'
  await page.route(address, handler)
  await page.route(probe, (route) => route.fulfill({ body: marker }))
  await page.waitForFunction(
    `fetch('/review.css').then((reply) => reply.text()).then((text) => text === '${marker}')`,
  )
  await page.unroute(probe)
}
