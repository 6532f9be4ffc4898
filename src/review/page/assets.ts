/** Where the page finds what it is made of. */
export const pagePaths = { page: '/', style: '/review.css', scripts: '/scripts/' } as const

/** What a browser loads of the review page. */
export interface PageAssets {
  readonly pageHtml: string
  readonly pageCss: string
  /** JavaScript by the name that follows `pagePaths.scripts`; names hold slashes, and import each other by them. */
  readonly scripts: ReadonlyMap<string, string>
}

export function readPageAssets(): PageAssets {
  return {
    pageHtml: '<!doctype html><html lang="en"><meta charset="utf-8"><title>Review</title></html>',
    pageCss: '',
    scripts: new Map(),
  }
}
