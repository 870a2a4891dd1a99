import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { Field } from '../../parts/field.tsx'
import { textOf } from '../../parts/form-text.ts'
import { follow } from '../../stores/home.ts'
import { enter } from '../../stores/session.ts'
import { words } from '../../words/entry.ts'

/** A one-time link that was handed over as text, and the code on the label of a new appliance. */
export function OtherWays({ takesSetupCode }: { readonly takesSetupCode: boolean }): JSX.Element {
  return (
    <div class="other">
      <Way title={words.byLink} label={words.link} hint={words.linkHint} enter={enterByLink} />
      {takesSetupCode && <Way title={words.byLabel} label={words.label} hint={words.labelHint} enter={enterByLabel} />}
    </div>
  )
}

/** The code alone is what stands behind the `#`. */
const enterByLink = (given: string): Promise<void> =>
  enter({ link: given.slice(given.lastIndexOf('#') + 1), ownDevice: true })
const enterByLabel = (setupCode: string): Promise<void> => enter({ setupCode, ownDevice: true })

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
        <button type="submit" disabled={busy}>
          {words.open}
        </button>
      </form>
    </details>
  )
}
