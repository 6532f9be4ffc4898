import { baseStyle } from '../../report/base-style.js'
import { html as css } from '../../report/html.js'
import { cardStyle } from './style-cards.js'
import { layoutStyle } from './style-layout.js'
import { queueStyle } from './style-queue.js'

/** The only style of the review page: nothing is loaded from elsewhere. */
export const styleText = css`
  ${baseStyle}
  html {
    height: 100%;
  }
  body {
    margin: 0;
    font-size: 0.875rem;
    line-height: 1.45;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  fieldset {
    margin: 0;
    padding: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h2 {
    font-size: 0.875rem;
  }
  [hidden] {
    display: none !important;
  }
  bdi {
    unicode-bidi: isolate;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .code,
  code {
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
    font-size: 0.93em;
  }
  :focus-visible {
    outline: 2px solid var(--link);
    outline-offset: 1px;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
    background: var(--ground);
    border: 1px solid var(--line);
    border-radius: 5px;
    padding: 0.2rem 0.55rem;
    min-height: 1.9rem;
  }
  input::placeholder,
  textarea::placeholder {
    color: var(--quiet);
    opacity: 1;
  }
  button {
    cursor: pointer;
  }
  button:hover {
    background: var(--soft);
  }
  button[aria-disabled='true'],
  button:disabled {
    color: var(--quiet);
    border-color: var(--hair);
    cursor: default;
  }
  button.primary {
    border-color: var(--link);
    color: var(--link);
    font-weight: 600;
  }
  button.plain {
    border: 0;
    padding: 0;
    min-height: 0;
    background: none;
    text-align: start;
  }
  button.plain:hover {
    text-decoration: underline;
  }
  kbd {
    display: inline-block;
    min-width: 1.35rem;
    padding: 0 0.3rem;
    border: 1px solid var(--line);
    border-bottom-width: 2px;
    border-radius: 4px;
    background: var(--ground);
    font:
      600 0.78rem/1.25rem ui-monospace,
      SFMono-Regular,
      Menlo,
      Consolas,
      monospace;
    text-align: center;
    color: inherit;
  }
  mark {
    background: color-mix(in srgb, var(--doubtful) 17%, transparent);
    color: inherit;
    border-bottom: 2px solid var(--doubtful);
    border-radius: 2px 2px 0 0;
  }
  .meter {
    display: block;
    height: 4px;
    border-radius: 2px;
    background: var(--hair);
    overflow: hidden;
  }
  .meter > * {
    display: block;
    height: 100%;
    background: var(--matched);
  }
  .dot {
    display: inline-block;
    width: 0.6em;
    height: 0.6em;
    margin-inline-end: 0.4em;
    border-radius: 50%;
    border: 2px solid var(--doubtful);
  }
  .dot.matched,
  .dot.done {
    border-color: var(--matched);
    background: var(--matched);
  }
  .dot.doubtful {
    background: linear-gradient(90deg, var(--doubtful) 50%, transparent 50%);
  }
  .dot.none {
    border-color: var(--none);
  }
  ${layoutStyle}
  ${queueStyle}
  ${cardStyle}
`
