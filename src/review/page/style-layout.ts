import { html as css } from '../../report/html.js'

/** The frame: three panes of which a narrow page shows two, and a phone one. */
export const layoutStyle = css`
  body {
    display: flex;
    flex-direction: column;
    height: 100dvh;
  }
  .top {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.3rem 1.5rem;
    padding: 0.45rem 1rem;
    border-bottom: 1px solid var(--line);
  }
  .top h1 {
    font-size: 1rem;
    font-weight: 600;
  }
  .top h1 span {
    font-weight: 400;
    margin-inline-start: 0.35rem;
  }
  .progress {
    flex: 1 1 12rem;
    display: flex;
    align-items: center;
    gap: 0.8rem;
    white-space: nowrap;
  }
  .progress .meter {
    flex: 1;
    max-width: 16rem;
  }
  .panes {
    display: none;
    gap: 0.3rem;
  }
  .panes button[aria-pressed='true'] {
    border-color: var(--link);
    color: var(--link);
    font-weight: 600;
  }
  .connection {
    padding: 0.55rem 1rem;
    border-bottom: 2px solid var(--alarm);
    background: var(--soft);
  }
  .connection strong {
    color: var(--alarm);
  }
  main {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: 18rem minmax(0, 1fr) 15rem;
  }
  .pane {
    min-width: 0;
    min-height: 0;
    display: flex;
    flex-direction: column;
  }
  #queue {
    border-inline-end: 1px solid var(--line);
  }
  #review {
    background: var(--soft);
    container: review / inline-size;
  }
  #decided {
    border-inline-start: 1px solid var(--line);
    overflow: auto;
  }
  .row-view {
    flex: 1;
    min-height: 0;
    overflow: auto;
    padding: 0.9rem 1rem;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    align-content: start;
    gap: 0.9rem;
  }
  @container review (min-width: 68rem) {
    .row-view {
      grid-template-columns: minmax(16rem, 22rem) minmax(0, 1fr);
      gap: 1.2rem;
    }
    .asked {
      position: sticky;
      top: 0;
      align-self: start;
    }
  }
  .hint {
    padding: 0.45rem 1rem;
    background: var(--ground);
    border-top: 2px solid var(--doubtful);
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem;
    padding: 0.5rem 1rem;
    font-size: 0.84rem;
    border-top: 1px solid var(--line);
    background: var(--ground);
  }
  .actions button {
    display: flex;
    align-items: center;
    gap: 0.4rem;
    padding-inline: 0.35rem 0.5rem;
  }
  .actions button[data-action='help'] {
    margin-inline-start: auto;
  }
  dialog {
    width: min(46rem, calc(100vw - 1.5rem));
    max-height: calc(100dvh - 2rem);
    padding: 1.1rem 1.3rem;
    border: 1px solid var(--line);
    border-radius: 8px;
    background: var(--ground);
    color: inherit;
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 45%);
  }
  dialog h2 {
    font-size: 1.1rem;
    margin-bottom: 0.7rem;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 0.5rem;
    margin-top: 1rem;
  }
  .buttons > span:first-child {
    flex: 1 1 12rem;
  }
  .keys div {
    display: grid;
    grid-template-columns: 8rem minmax(0, 1fr);
    gap: 0.8rem;
    padding: 0.22rem 0;
  }
  .keys dt {
    display: flex;
    align-items: baseline;
    gap: 0.25rem;
    white-space: pre;
  }
  #help p {
    margin-top: 0.8rem;
  }
  .choices {
    border: 0;
  }
  .choices legend {
    color: var(--quiet);
    padding: 0;
    margin-bottom: 0.25rem;
  }
  .choices label,
  .alike label {
    display: flex;
    align-items: baseline;
    gap: 0.55rem;
    padding: 0.25rem 0.3rem;
    cursor: pointer;
    border-radius: 4px;
  }
  .choices label:hover,
  .alike label:hover {
    background: var(--soft);
  }
  dialog input {
    min-height: 0;
    margin: 0;
    align-self: center;
    accent-color: var(--matched);
  }
  .alike {
    margin-top: 0.7rem;
    max-height: min(24rem, 45dvh);
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  .alike li + li {
    border-top: 1px solid var(--hair);
  }
  .alike label {
    flex-wrap: wrap;
    padding: 0.35rem 0.7rem;
  }
  .alike-name {
    font-weight: 600;
  }
  .alike-state {
    margin-inline-start: auto;
    white-space: nowrap;
  }
  .alike-count,
  .alike-why {
    white-space: nowrap;
  }
  .alike-why:empty {
    display: none;
  }
  .alike label:has(:disabled) {
    color: var(--quiet);
    cursor: default;
  }
  @media (min-width: 90rem) {
    main {
      grid-template-columns: 20rem minmax(0, 1fr) 17rem;
    }
  }
  @media (min-width: 110rem) {
    main {
      grid-template-columns: 25rem minmax(0, 1fr) 22rem;
    }
  }
  @media (max-width: 79.99rem) {
    main {
      grid-template-columns: 19rem minmax(0, 1fr);
    }
    .panes {
      display: flex;
    }
    .panes [data-shows='review'] {
      display: none;
    }
    #review {
      grid-area: 1 / 2;
    }
    #queue,
    #decided {
      grid-area: 1 / 1;
      border-inline: 0;
      border-inline-end: 1px solid var(--line);
    }
    body:not([data-pane='decided']) #decided,
    body[data-pane='decided'] #queue {
      display: none;
    }
    body[data-pane='review'] .panes [data-shows='queue'] {
      border-color: var(--link);
      color: var(--link);
    }
  }
  @media (max-width: 51.99rem) {
    main {
      grid-template-columns: minmax(0, 1fr);
    }
    .top {
      padding-inline: 0.7rem;
    }
    #reviewer {
      display: none;
    }
    .panes [data-shows='review'] {
      display: block;
    }
    body[data-pane='review'] .panes [data-shows='queue'] {
      border-color: var(--line);
      color: inherit;
    }
    #queue,
    #decided,
    #review {
      grid-area: 1 / 1;
      border: 0;
    }
    body:not([data-pane='review']) #review,
    body:not([data-pane='queue']) #queue {
      display: none;
    }
    .row-view,
    .actions {
      padding-inline: 0.7rem;
    }
    .actions kbd {
      display: none;
    }
    .actions button {
      padding-inline: 0.6rem;
    }
  }
  @media (prefers-contrast: more) {
    :root {
      --hair: var(--line);
    }
  }
`
