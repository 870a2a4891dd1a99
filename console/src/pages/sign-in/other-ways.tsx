import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { Field } from '../../parts/field.tsx'
import { textOf } from '../../parts/form-text.ts'
import { follow } from '../../stores/home.ts'
import { enter } from '../../stores/session.ts'
import { words } from '../../words/entry.ts'

interface OtherWaysProps {
  readonly takesSetupCode: boolean
  readonly ownDevice: boolean
}

/** A one-time link that was handed over as text, and the code on the label of a new appliance. */
export function OtherWays({ takesSetupCode, ownDevice }: OtherWaysProps): JSX.Element {
  // The code alone is what stands behind the `#`.
  const byLink = (given: string): Promise<void> => enter({ link: given.slice(given.lastIndexOf('#') + 1), ownDevice })
  const byLabel = (setupCode: string): Promise<void> => enter({ setupCode, ownDevice })
  return (
    <div class="other">
      <Way title={words.byLink} label={words.link} hint={words.linkHint} enter={byLink} />
      {takesSetupCode && <Way title={words.byLabel} label={words.label} hint={words.labelHint} enter={byLabel} />}
    </div>
  )
}

interface WayProps {
  readonly title: string
  readonly label: string
  readonly hint: string
  readonly enter: (given: string) => Promise<void>
}

function Way({ title, label, hint, enter: come }: WayProps): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    await come(textOf(form, 'given').trim())
    await follow()
  })
  return (
    <details>
      <summary>{title}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(event.currentTarget)
        }}
      >
        <Field label={label} name="given" required spellcheck={false} autocomplete="off" hint={hint} said={said} />
        <button type="submit" aria-disabled={busy}>
          {words.open}
        </button>
      </form>
    </details>
  )
}
