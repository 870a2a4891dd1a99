import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ErrorLine, ForCommandLine, Sentence, useAction } from '../../parts/action.tsx'
import { Checkbox, Field, onSend, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { NoPasskeysHere, TrustChip } from '../../parts/trust-chip.tsx'
import { about } from '../../stores/public-facts.ts'
import { linkError } from '../../stores/start-session.ts'
import { signOutReason, followHome } from '../../stores/home.ts'
import { signInByPasskey, canUsePasskeys } from '../../stores/person.ts'
import { restoreNote } from '../../stores/restore-note.ts'
import { signIn } from '../../stores/session.ts'
import { words } from '../../words/entry.ts'
import { words as frame } from '../../words/page-frame.ts'

/** Sign-in by passkey, password, one-time link or set-up code. */
export function SignInPage(): JSX.Element {
  const ownDevice = useSignal(false)
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="sign-in">
      <h1>{words.title}</h1>
      <ErrorLine message={linkError.value} />
      <ErrorLine message={signOutReason.value} />
      {restoreNote.value !== null && (
        <p role="status">
          <Sentence>{restoreNote.value}</Sentence>
        </p>
      )}
      <div class="card">
        {canUsePasskeys.value ? <ByPasskey ownDevice={ownDevice.value} /> : <NoPasskeysHere />}
        <ByPassword ownDevice={ownDevice.value}>
          <Checkbox checked={ownDevice.value} onChange={(event) => (ownDevice.value = event.currentTarget.checked)}>
            {words.ownDevice}
          </Checkbox>
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
  const signInAction = useAction(async () => {
    await signInByPasskey(ownDevice)
    await followHome()
  })
  return (
    <>
      <Button class="main" icon="key" label={words.usePasskey} action={signInAction} />
      <ErrorLine message={signInAction.message} />
      <p class="or">{words.or}</p>
    </>
  )
}

/** `children` stand between the fields and the button. */
function ByPassword({ ownDevice, children }: { ownDevice: boolean; children: ComponentChildren }): JSX.Element {
  const needsCode = useSignal(false)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const code = needsCode.value ? { code: textOf(form, 'code') } : {}
    const isIn = await signIn({ name: textOf(form, 'name'), password: textOf(form, 'password'), ...code, ownDevice })
    needsCode.value = !isIn
    if (isIn) await followHome()
  })
  return (
    <form onSubmit={onSend(run)}>
      <Field label={frame.name} name="name" autocomplete="username" required />
      <Field
        label={frame.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        error={needsCode.value ? null : message}
      />
      {needsCode.value && (
        <Field
          label={words.code}
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          required
          hint={words.codeHint}
          error={message}
        />
      )}
      {children}
      <button type="submit" class={canUsePasskeys.value ? '' : 'main'} aria-disabled={busy}>
        {frame.signIn}
      </button>
    </form>
  )
}

/** Fields for a pasted one-time link and for the set-up code of a new appliance. */
function OtherWays({ takesSetupCode, ownDevice }: { takesSetupCode: boolean; ownDevice: boolean }): JSX.Element {
  // A link contains its code after the `#`; a code alone works too.
  const byLink = (link: string): Promise<boolean> => signIn({ link: link.slice(link.lastIndexOf('#') + 1), ownDevice })
  const byLabel = (setupCode: string): Promise<boolean> => signIn({ setupCode, ownDevice })
  return (
    <div class="other">
      <CodeForm title={words.byLink} label={words.link} hint={words.linkHint} onCode={byLink}>
        <ForCommandLine text={words.linkCommand} />
      </CodeForm>
      {takesSetupCode && <CodeForm title={words.byLabel} label={words.label} hint={words.labelHint} onCode={byLabel} />}
    </div>
  )
}

interface CodeFormProps {
  readonly title: string
  readonly label: string
  readonly hint: string
  readonly onCode: (code: string) => Promise<unknown>
  readonly children?: ComponentChildren
}

function CodeForm({ title, label, hint, onCode, children }: CodeFormProps): JSX.Element {
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    await onCode(textOf(form, 'code').trim())
    await followHome()
  })
  return (
    <details>
      <summary>{title}</summary>
      <form onSubmit={onSend(run)}>
        <Field label={label} name="code" required spellcheck={false} autocomplete="off" hint={hint} error={message} />
        <button type="submit" aria-disabled={busy}>
          {words.open}
        </button>
      </form>
      {children}
    </details>
  )
}
