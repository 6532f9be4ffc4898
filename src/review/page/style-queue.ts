import { html as css } from '../../report/html.js'

/** The queue on the left, and what was decided on the right. */
export const queueStyle = css`
  .filters {
    display: grid;
    gap: 0.5rem;
    padding: 0.7rem 0.8rem;
    border-bottom: 1px solid var(--line);
  }
  .choice {
    display: flex;
  }
  .choice button {
    flex: 1;
    border-radius: 0;
    margin-inline-start: -1px;
  }
  .choice button:first-child {
    border-start-start-radius: 5px;
    border-end-start-radius: 5px;
    margin: 0;
  }
  .choice button:last-child {
    border-start-end-radius: 5px;
    border-end-end-radius: 5px;
  }
  .choice [aria-pressed='true'],
  .chips [aria-pressed='true'] {
    border-color: var(--link);
    color: var(--link);
    font-weight: 600;
    position: relative;
    background: color-mix(in srgb, var(--link) 8%, var(--ground));
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem;
  }
  .chips button {
    padding: 0.05rem 0.5rem;
    min-height: 1.6rem;
    border-radius: 0.8rem;
    font-size: 0.82rem;
    white-space: nowrap;
  }
  .sorting {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem;
  }
  .sorting select {
    min-height: 1.6rem;
    padding: 0 0.2rem;
    border-color: transparent;
    color: var(--quiet);
  }
  .list {
    --row-rem: 3.125;
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    overflow-x: hidden;
    position: relative;
    overflow-anchor: none;
  }
  .list:focus-visible {
    outline-offset: -2px;
  }
  .rows {
    position: absolute;
    top: 0;
    left: 0;
    right: 0;
    will-change: transform;
  }
  .row {
    height: calc(var(--row-rem) * 1rem);
    padding: 0.35rem 0.8rem 0.3rem;
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-content: center;
    column-gap: 0.6rem;
    border-bottom: 1px solid var(--hair);
    border-inline-start: 3px solid transparent;
    overflow: hidden;
    cursor: default;
  }
  .row:hover {
    background: var(--soft);
  }
  .row[aria-selected='true'] {
    background: color-mix(in srgb, var(--link) 9%, var(--ground));
    border-inline-start-color: var(--link);
  }
  .row-name,
  .row-state {
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .row-name {
    font-weight: 600;
  }
  .row.skipped .row-name {
    font-weight: 400;
  }
  .row-state,
  .row-confidence,
  .row-count {
    font-size: 0.82rem;
  }
  .row-count,
  .row-confidence {
    text-align: end;
    color: var(--quiet);
    white-space: nowrap;
  }
  .more {
    padding: 0.4rem 0.8rem;
    border-top: 1px solid var(--line);
    color: var(--quiet);
  }
  #decided h2 {
    padding: 0.75rem 0.9rem 0.4rem;
    position: sticky;
    top: 0;
    background: var(--ground);
  }
  #decided h2 span {
    font-weight: 400;
  }
  .decision {
    padding: 0.45rem 0.9rem;
    border-top: 1px solid var(--hair);
  }
  .decision-name {
    font-weight: 600;
  }
  .decision-verdict strong {
    font-weight: 400;
    color: var(--quiet);
  }
  .decision-who {
    display: flex;
    align-items: baseline;
    flex-wrap: wrap;
    font-size: 0.82rem;
    white-space: pre-wrap;
  }
  .decision-note {
    font-size: 0.82rem;
  }
  .undo {
    margin-inline-start: auto;
    padding: 0 0.45rem;
    min-height: 1.5rem;
    border-color: transparent;
    color: var(--link);
    background: none;
  }
  .undo:hover {
    border-color: var(--line);
  }
  .rest {
    padding: 0.6rem 0.9rem;
    border-top: 1px solid var(--hair);
  }
`
