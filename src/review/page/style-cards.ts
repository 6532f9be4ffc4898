import { html as css } from '../../report/html.js'

/** The row that is looked at, and its candidates. */
export const cardStyle = css`
  .asked {
    display: grid;
    gap: 0.6rem;
  }
  .asked-head h2 {
    font-size: 1.3rem;
    line-height: 1.3;
    font-weight: 650;
  }
  .asked-head h2:focus {
    outline: none;
  }
  .asked .place {
    font-size: 1rem;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 0.15rem 1.4rem;
  }
  .facts div {
    display: flex;
    gap: 0.45rem;
  }
  .facts dt {
    color: var(--quiet);
  }
  .facts dt::after {
    content: ':';
  }
  .factors summary {
    cursor: pointer;
    color: var(--quiet);
    width: fit-content;
  }
  .factors li {
    display: grid;
    grid-template-columns: 1.1rem minmax(0, 1fr);
  }
  .sign {
    font-weight: 600;
    color: var(--quiet);
  }
  [data-type='strength'] .sign {
    color: var(--matched);
  }
  [data-type='limitation'] .sign {
    color: var(--alarm);
  }
  .notice {
    padding: 0.5rem 0.75rem;
    border-inline-start: 3px solid var(--doubtful);
    background: var(--ground);
    border-radius: 0 5px 5px 0;
  }
  .notice.settled {
    border-color: var(--matched);
  }
  .notice.conflict {
    border-color: var(--failed);
  }
  .notice button {
    min-height: 1.5rem;
    padding: 0 0.45rem;
    margin-inline-start: 0.3rem;
  }
  .note {
    display: grid;
    gap: 0.2rem;
    color: var(--quiet);
  }
  .note textarea {
    color: var(--text);
    resize: vertical;
    width: 100%;
    max-width: 40rem;
  }
  .nothing {
    padding: 1rem 0;
    max-width: 44rem;
  }
  .nothing h2 {
    font-size: 1.3rem;
    margin-bottom: 0.4rem;
  }
  .nothing h2:focus {
    outline: none;
  }
  .waiting {
    padding: 0.6rem 0;
  }
  .search {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
    padding: 0.6rem 0.75rem 0.7rem;
    margin-bottom: 0.6rem;
    background: var(--ground);
    border: 1px solid var(--line);
    border-radius: 6px;
  }
  .search label {
    display: grid;
    gap: 0.15rem;
    color: var(--quiet);
    font-size: 0.82rem;
  }
  .search input {
    color: var(--text);
    font-size: 0.875rem;
    width: 100%;
  }
  .search-text {
    flex: 1 1 14rem;
  }
  .search-country {
    width: 4.5rem;
  }
  .search[aria-busy='true'] {
    border-color: var(--link);
  }
  .found-title {
    padding-bottom: 0.5rem;
    color: var(--quiet);
  }
  .candidates {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.55rem;
    max-width: 88rem;
    container: candidates / inline-size;
  }
  .card {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.3rem 1.6rem;
    padding: 0.55rem 0.75rem 0.65rem;
    background: var(--ground);
    border: 1px solid var(--hair);
    border-radius: 7px;
  }
  .card:focus-within {
    border-color: var(--link);
  }
  .card-head {
    grid-column: 1 / -1;
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    align-items: baseline;
    gap: 0.7rem;
  }
  .card h3 {
    font-size: 1rem;
    font-weight: 600;
    line-height: 1.35;
  }
  .accept {
    padding: 0;
    min-height: 0;
    border: 0;
    background: none;
    border-radius: 5px;
  }
  .accept kbd {
    min-width: 1.7rem;
    line-height: 1.45rem;
    font-size: 0.88rem;
    border-color: var(--link);
    color: var(--link);
  }
  .accept:hover kbd {
    background: var(--link);
    color: var(--ground);
  }
  .barred .accept kbd {
    border-color: var(--hair);
    color: var(--quiet);
    background: none;
  }
  .barred h3 {
    font-weight: 400;
  }
  .confidence {
    min-width: 6.5rem;
    font-weight: 600;
    text-align: end;
    white-space: nowrap;
  }
  .confidence .quiet {
    font-weight: 400;
    font-size: 0.86rem;
  }
  .confidence .meter {
    margin-top: 0.15rem;
  }
  .line b {
    font-weight: 600;
  }
  .card-facts {
    padding-inline-start: 2.4rem;
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    gap: 0.05rem 0.9rem;
  }
  .obstacle {
    color: var(--alarm);
  }
  .state {
    color: var(--matched);
  }
  .state.off {
    color: var(--alarm);
  }
  .identifier {
    white-space: nowrap;
  }
  .evidence {
    font-size: 0.86rem;
    padding-inline-start: 2.4rem;
  }
  .evidence b {
    font-weight: 600;
  }
  .evidence .short li {
    display: grid;
    grid-template-columns: 4.2rem minmax(0, 1fr);
    gap: 0.5rem;
    line-height: 1.4;
  }
  .evidence .short .against b {
    color: var(--alarm);
  }
  .evidence-table summary {
    cursor: pointer;
    color: var(--quiet);
    width: fit-content;
  }
  .evidence .weighed li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) clamp(8rem, 27%, 16rem) 2.6rem;
    align-items: center;
    gap: 0.6rem;
    min-height: 1.35rem;
    line-height: 1.3;
    padding-block: 0.06rem;
  }
  .weight {
    text-align: end;
  }
  .track {
    position: relative;
    height: 0.8rem;
    background: linear-gradient(var(--hair), var(--hair)) center / 100% 1px no-repeat;
  }
  .zero {
    position: absolute;
    top: -0.25rem;
    bottom: -0.25rem;
    border-inline-start: 1px solid var(--line);
  }
  .bar {
    position: absolute;
    top: 0;
    bottom: 0;
    min-width: 2px;
    border-radius: 1.5px;
  }
  .bar.for {
    background: var(--matched);
  }
  .bar.against {
    background: repeating-linear-gradient(
      135deg,
      var(--failed) 0 3px,
      color-mix(in srgb, var(--failed) 45%, transparent) 3px 5px
    );
  }
  .evidence .sum {
    color: var(--quiet);
    font-weight: 600;
  }
  @container candidates (min-width: 62rem) {
    .card {
      grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
    }
    .evidence {
      padding-inline-start: 0;
    }
  }
  @container candidates (max-width: 30rem) {
    .card-facts,
    .evidence {
      padding-inline-start: 0;
    }
    .evidence .weighed li {
      grid-template-columns: minmax(0, 1fr) 5rem 2.4rem;
    }
  }
`
