/** What the browser loads, and nothing else: the page, its style and its script. */
export const pageHtml = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Review</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<body></body>
</html>
`
export const pageCss = ''
export const pageScript = ''
