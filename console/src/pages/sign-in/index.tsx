import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Said, Told, useAction } from '../../parts/action.tsx'
import { Check, Field, sending, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { NoPasskeysHere, TrustChip } from '../../parts/trust-chip.tsx'
import { about } from '../../stores/about.ts'
import { linkRefusal } from '../../stores/arrival.ts'
import { endedBecause, follow } from '../../stores/home.ts'
import { enterByPasskey, passkeysHere } from '../../stores/person.ts'
import { restoredNote } from '../../stores/restored.ts'
import { enter } from '../../stores/session.ts'
import { words } from '../../words/entry.ts'
import { words as frame } from '../../words/frame.ts'

/** The ways in: passkey, name and password, and what an administrator or a label hands out. */
export function SignInPage(): JSX.Element {
  const ownDevice = useSignal(false)
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="sign-in">
      <h1>{words.title}</h1>
      <Said of={linkRefusal.value} />
      <Said of={endedBecause.value} />
      {restoredNote.value !== null && (
        <p role="status">
          <Told>{restoredNote.value}</Told>
        </p>
      )}
      <div class="card">
        {passkeysHere.value ? <ByPasskey ownDevice={ownDevice.value} /> : <NoPasskeysHere />}
        <ByPassword ownDevice={ownDevice.value}>
          <Check checked={ownDevice.value} onChange={(event) => (ownDevice.value = event.currentTarget.checked)}>
            {words.ownDevice}
          </Check>
        </ByPassword>
      </div>
      <OtherWays takesSetupCode={about.value?.setupCode === true} ownDevice={ownDevice.value} />
      <p class="foot">
        <a href="/console/trust">{words.isItMine}</a>
        <TrustChip />
      </p>
    </main>
  )
}

function ByPasskey({ ownDevice }: { ownDevice: boolean }): JSX.Element {
  const entering = useAction(async () => {
    await enterByPasskey(ownDevice)
    await follow()
  })
  return (
    <>
      <Button class="main" icon="key" says={words.usePasskey} does={entering} />
      <Said of={entering.said} />
      <p class="or">{words.or}</p>
    </>
  )
}

/** `children`: what is settled before the button is pressed. */
function ByPassword({ ownDevice, children }: { ownDevice: boolean; children: ComponentChildren }): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    await enter({ name: textOf(form, 'name'), password: textOf(form, 'password'), ownDevice })
    await follow()
  })
  return (
    <form onSubmit={sending(run)}>
      <Field label={frame.name} name="name" autocomplete="username" required />
      <Field
        label={frame.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        said={said}
      />
      {children}
      <button type="submit" class={passkeysHere.value ? '' : 'main'} aria-disabled={busy}>
        {frame.signIn}
      </button>
    </form>
  )
}

/** A one-time link that was handed over as text, and the code on the label of a new appliance. */
function OtherWays({ takesSetupCode, ownDevice }: { takesSetupCode: boolean; ownDevice: boolean }): JSX.Element {
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

interface OtherWayProps {
  readonly title: string
  readonly label: string
  readonly hint: string
  readonly enter: (given: string) => Promise<void>
}

function Way({ title, label, hint, enter: come }: OtherWayProps): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    await come(textOf(form, 'given').trim())
    await follow()
  })
  return (
    <details>
      <summary>{title}</summary>
      <form onSubmit={sending(run)}>
        <Field label={label} name="given" required spellcheck={false} autocomplete="off" hint={hint} said={said} />
        <button type="submit" aria-disabled={busy}>
          {words.open}
        </button>
      </form>
    </details>
  )
}
