import type { ComponentChildren, JSX } from 'preact'
import { words } from '../words/frame.ts'

interface FormProps {
  /** What its main button says. */
  readonly verb: string
  readonly busy: boolean
  readonly onSubmit: (form: HTMLFormElement) => unknown
  /** The way out of it, which no form needs that stands in a page. */
  readonly onCancel?: () => void
  /** What that is called: `Cancel` unless said. */
  readonly cancel?: string
  readonly children: ComponentChildren
}

/** Fields that are sent together, over the button that sends them. */
export function Form({ verb, busy, onSubmit, onCancel, cancel = words.cancel, children }: FormProps): JSX.Element {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(event.currentTarget)
      }}
    >
      {children}
      <div class="actions">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {cancel}
          </button>
        )}
        <button type="submit" class="main" aria-disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  )
}
