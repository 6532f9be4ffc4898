import { element, keyCap, partOf } from './element.js'

const lines: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: ['1', '…', '5'], does: 'accept that candidate' },
  { keys: ['n'], does: 'none of these: it is no company that is known' },
  { keys: ['s'], does: 'skip: go on, the row stays open' },
  { keys: ['u'], does: 'undo what you decided last' },
  { keys: ['g'], does: 'settle rows with the same doubt together, after a look at them' },
  { keys: ['/'], does: 'search for the company; what is found can be accepted' },
  { keys: ['m'], does: 'write a note that is kept with the verdict' },
  { keys: ['j', '↓'], does: 'the next row' },
  { keys: ['k', '↑'], does: 'the row before' },
  { keys: ['PgDn', 'PgUp'], does: 'ten rows on, ten rows back' },
  { keys: ['Home', 'End'], does: 'the first row, the last row' },
  { keys: ['Space'], does: 'scroll the candidates; with Shift back' },
  { keys: ['Esc'], does: 'leave a field, the search, a window' },
  { keys: ['?'], does: 'these keys' },
]

/** The keys, in a window of their own. */
export class HelpDialog {
  readonly #dialog = partOf('help', HTMLDialogElement)

  /** `decisionsPath`: where verdicts are written. */
  open(decisionsPath: string): void {
    const close = element('button', { type: 'button', class: 'primary' }, 'Close ', keyCap('Esc'))
    close.addEventListener('click', () => {
      this.#dialog.close()
    })
    this.#dialog.replaceChildren(
      element('h2', { id: 'help-title' }, 'Keys'),
      element(
        'dl',
        { class: 'keys' },
        ...lines.map(({ keys, does }) =>
          element('div', {}, element('dt', {}, ...keys.map(capOf)), element('dd', {}, does)),
        ),
      ),
      element(
        'p',
        { class: 'quiet' },
        'A verdict is on disk before the next row is shown, and in ',
        element('bdi', { class: 'code' }, decisionsPath),
        ' with who decided and when. It holds for each later run, and nothing is asked or billed for its rows.',
      ),
      element('p', { class: 'buttons' }, close),
    )
    this.#dialog.showModal()
  }
}

const capOf = (key: string): Node => (key === '…' ? document.createTextNode(' to ') : keyCap(key))
