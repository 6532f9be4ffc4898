import { html as css } from './html.js'
import { palette, variablesOf } from './palette.js'

/** What the pages of a run and of its review have in common; sizes are their own. */
export const baseStyle = css`
  :root {
    color-scheme: light dark;
    ${variablesOf(palette.light)}
  }
  @media (prefers-color-scheme: dark) {
    :root {
      ${variablesOf(palette.dark)}
    }
  }
  * {
    box-sizing: border-box;
  }
  html {
    -webkit-text-size-adjust: 100%;
  }
  body {
    background: var(--ground);
    color: var(--text);
    font-family:
      system-ui,
      -apple-system,
      'Segoe UI',
      sans-serif;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  a {
    color: var(--link);
  }
  .quiet {
    color: var(--quiet);
  }
`
