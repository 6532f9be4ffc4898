import { baseStyle } from './base-style.js'
import { html as css } from './html.js'
import { chartStyle } from './charts/style.js'
import { palette, variablesOf } from './palette.js'

/** The only style of every page: nothing is loaded from elsewhere. */
export const styleText = css`
  ${baseStyle}
  html {
    scroll-padding-top: 1rem;
  }
  body {
    margin: 0 auto;
    max-width: 68rem;
    padding: 0 1.25rem 4rem;
    font-size: 16px;
    line-height: 1.55;
  }
  :is(a, summary, .scroll):focus-visible {
    outline: 2px solid var(--link);
    outline-offset: 2px;
    border-radius: 2px;
  }
  h1 {
    font-size: 1.7rem;
    line-height: 1.25;
    margin: 1.75rem 0 0;
  }
  header p {
    margin: 0.15rem 0 0;
  }
  h2 {
    font-size: 1.25rem;
    margin: 2.75rem 0 0.75rem;
    padding-bottom: 0.3rem;
    border-bottom: 1px solid var(--line);
  }
  p {
    margin: 0.5rem 0;
    max-width: 52rem;
  }
  .lead {
    font-size: 1.12rem;
    margin: 1.25rem 0;
  }
  code {
    font:
      0.88em/1.5 ui-monospace,
      SFMono-Regular,
      Menlo,
      Consolas,
      monospace;
  }
  nav ul {
    list-style: none;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.1rem;
    margin: 1rem 0 0;
    padding: 0.6rem 0;
    border-block: 1px solid var(--line);
  }
  nav a {
    display: inline-block;
    padding: 0.2rem 0;
  }
  .tiles {
    display: flex;
    flex-wrap: wrap;
    gap: 0.6rem;
    margin: 1rem 0;
  }
  .tiles div {
    flex: 1 1 7.9rem;
    background: var(--soft);
    border-radius: 6px;
    padding: 0.55rem 0.8rem;
  }
  .tiles dt {
    color: var(--quiet);
    font-size: 0.85rem;
  }
  .tiles dd {
    margin: 0;
    font-size: 1.15rem;
    font-weight: 600;
    white-space: nowrap;
  }
  .alarms {
    border: 2px solid var(--alarm);
    border-radius: 6px;
    padding: 0.5rem 1rem;
    margin: 1rem 0;
  }
  .alarms strong {
    color: var(--alarm);
  }
  .alarms ul {
    margin: 0.25rem 0;
    padding-left: 1.2rem;
  }
  .facts {
    margin: 0.5rem 0 1rem;
  }
  .facts div {
    display: grid;
    grid-template-columns: minmax(7rem, 12rem) minmax(0, 1fr);
    gap: 0.15rem 1rem;
    padding: 0.25rem 0;
  }
  .facts dt {
    color: var(--quiet);
  }
  .facts dd {
    margin: 0;
  }
  .scroll {
    overflow: auto;
    max-height: 30rem;
    margin: 0.5rem 0 1rem;
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  table {
    border-collapse: collapse;
    width: 100%;
    font-size: 0.92rem;
  }
  th {
    text-align: left;
    font-weight: 600;
    color: var(--quiet);
    background: var(--soft);
    position: sticky;
    top: 0;
    white-space: nowrap;
  }
  th,
  td {
    padding: 0.4rem 0.8rem;
    vertical-align: top;
  }
  tbody tr {
    border-top: 1px solid var(--hair);
  }
  td code {
    white-space: nowrap;
  }
  td {
    min-width: 6rem;
    max-width: 24rem;
  }
  .n {
    text-align: right;
    white-space: nowrap;
  }
  td.n {
    min-width: 0;
  }
  .status {
    white-space: nowrap;
  }
  .place {
    white-space: nowrap;
    font-size: 0.88em;
  }
  .place bdi {
    white-space: normal;
  }
  bdi {
    unicode-bidi: isolate;
  }
  td > bdi {
    display: inline-block;
    max-width: 100%;
    overflow: clip;
    overflow-clip-margin: 0.2em;
  }
  details {
    margin: 0.5rem 0;
  }
  summary {
    cursor: pointer;
    padding: 0.25rem 0;
  }
  section > details > summary {
    font-weight: 600;
  }
  .connection:not(:empty) {
    position: sticky;
    top: 0;
    z-index: 1;
    background: var(--soft);
    border: 1px solid var(--line);
    border-radius: 6px;
    padding: 0.4rem 0.8rem;
    margin-top: 0.75rem;
  }
  .messages {
    padding-left: 1.2rem;
  }
  .defs {
    position: absolute;
    width: 0;
    height: 0;
  }
  ${chartStyle}
  footer {
    margin-top: 3rem;
    border-top: 1px solid var(--line);
    font-size: 0.92rem;
  }
  @media (max-width: 40rem) {
    body {
      padding: 0 0.9rem 3rem;
    }
    .tiles div {
      flex-basis: 7rem;
    }
    .wide {
      min-width: 44rem;
    }
    .facts div {
      grid-template-columns: minmax(0, 1fr);
    }
    .bars li {
      grid-template-columns: minmax(0, 1fr) auto;
    }
    .bar {
      grid-row: 2;
      grid-column: 1 / -1;
    }
    .bar-value {
      grid-row: 1;
      grid-column: 2;
    }
  }
  @media print {
    :root {
      ${variablesOf(palette.light)}
    }
    body {
      max-width: none;
      padding: 0;
      font-size: 10pt;
    }
    nav {
      display: none;
    }
    .scroll {
      overflow: visible;
      max-height: none;
      border: 0;
    }
    th {
      position: static;
      white-space: normal;
    }
    td {
      min-width: 0;
      max-width: none;
    }
    td code {
      white-space: normal;
    }
    .wide {
      min-width: 0;
    }
    th,
    td {
      padding: 0.2rem 0.35rem;
    }
    table {
      font-size: 8.5pt;
    }
    .n {
      white-space: normal;
    }
    summary {
      list-style: none;
    }
    details::details-content {
      content-visibility: visible;
      block-size: auto;
    }
    thead {
      display: table-header-group;
    }
    tr,
    .chart svg,
    .tiles div,
    .strip {
      break-inside: avoid;
    }
    h2,
    figcaption,
    summary {
      break-after: avoid;
    }
    .plot,
    rect,
    .key {
      print-color-adjust: exact;
      -webkit-print-color-adjust: exact;
    }
    a {
      color: inherit;
    }
  }
`
