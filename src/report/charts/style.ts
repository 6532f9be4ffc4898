import { html as css } from '../html.js'

/** Of pictures, and of what stands in them as text. */
export const chartStyle = css`
  .chart {
    margin: 0.75rem 0 1.5rem;
    min-width: 0;
  }
  figcaption {
    font-weight: 600;
    margin-bottom: 0.5rem;
  }
  .plot {
    display: block;
    width: 100%;
    background: var(--soft);
    border-bottom: 2px solid var(--line);
  }
  .plot.tall {
    height: 11rem;
  }
  .plot.low {
    height: 2.6rem;
  }
  .ends {
    display: flex;
    justify-content: space-between;
    gap: 1rem;
    font-size: 0.88rem;
    padding-top: 0.2rem;
  }
  .ends span + span {
    text-align: right;
  }
  .scale {
    display: grid;
    grid-template-columns: repeat(5, minmax(0, 1fr));
    font-size: 0.88rem;
  }
  .scale span {
    border-left: 1px solid var(--line);
    padding-left: 0.25rem;
  }
  .legend {
    list-style: none;
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem 1.2rem;
    margin: 0.5rem 0;
    padding: 0;
    font-size: 0.92rem;
  }
  .legend li {
    display: flex;
    align-items: center;
    gap: 0.45rem;
  }
  .key {
    width: 1.3rem;
    height: 0.95rem;
    flex: none;
    border-radius: 2px;
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
    gap: 0 2.5rem;
  }
  .bars {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .bars li {
    display: grid;
    grid-template-columns:
      minmax(4.5rem, 8rem)
      minmax(3rem, 1fr) 9.5rem;
    gap: 0.6rem;
    align-items: center;
    padding: 0.18rem 0;
  }
  .bar {
    width: 100%;
    height: 0.95rem;
    border-radius: 2px;
  }
  .bar-value {
    text-align: right;
    font-size: 0.92rem;
    white-space: nowrap;
  }
  .bar-name {
    line-height: 1.25;
  }
  .strip p {
    margin: 0.5rem 0 0.2rem;
    font-size: 0.92rem;
  }
  .track {
    fill: var(--hair);
  }
  .o-matched,
  .f-matched {
    fill: var(--matched);
  }
  .m-line {
    fill: var(--none);
  }
  .o-doubtful {
    fill: url(#t-doubtful);
  }
  .o-none {
    fill: url(#t-none);
  }
  .o-open {
    fill: url(#t-open);
  }
  .o-failed {
    fill: url(#t-failed);
  }
  .f-doubtful {
    fill: var(--doubtful);
  }
  .f-none {
    fill: var(--none);
  }
  .f-open {
    fill: var(--open);
  }
  .f-failed {
    fill: var(--failed);
  }
  .cut {
    fill: var(--ground);
  }
  .line-at {
    stroke: var(--text);
    stroke-width: 2px;
    stroke-dasharray: 6 3;
  }
`
