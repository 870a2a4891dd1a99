import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LinksCreateAnswer, Passkey, Person } from '../../lib/admin-contract.ts'
import { forcedIf } from '../../lib/forced.ts'
import { ErrorBox, Loading, useAction } from '../../parts/action.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ConfirmDialog, Dialog, DialogButton } from '../../parts/dialog.tsx'
import { Form, NameField, textOf } from '../../parts/form.tsx'
import { Button, Chip, Empty, Icon } from '../../parts/page.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { session } from '../../stores/own-session.ts'
import { canUsePasskeys } from '../../stores/person.ts'
import { accessChanges } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'
import { usersOff } from '../../words/users.ts'
import { PasskeyDialog, PasskeyLine, PasswordDialog } from '../me/sign-in-methods.tsx'
import { CreateAccountDialog } from './create-account-dialog.tsx'
import { NewPassword } from '../me/new-password.tsx'

async function read() {
  const [{ persons }, { passkeys }] = await Promise.all([
    admin.call('get', '/admin/v1/persons'),
    admin.call('get', '/admin/v1/passkeys'),
  ])
  return { persons, passkeys }
}

/** Administrators of the home with their sign-in methods. */
export function Persons(): JSX.Element {
  const { value, error, reload } = useResource(read, accessChanges.value)
  const open = useSignal<'person' | 'account' | null>(null)
  const close = () => (open.value = null)
  if (value === null) return <Loading error={error} reload={reload} />
  const { persons, passkeys } = value
  const isNameless = session.value?.person === null
  const add = (
    <Button
      class="main"
      icon="add"
      label={isNameless ? words.createAccount : words.addPerson}
      onClick={() => (open.value = isNameless ? 'account' : 'person')}
    />
  )
  return (
    <>
      {persons.length === 0 ? (
        <Empty icon="persons" sentence={words.hasNoAdministrator}>
          {add}
        </Empty>
      ) : (
        <>
          <div class="actions">{add}</div>
          <ul class="sheets">
            {persons.map((person) => (
              <PersonCard
                key={person.id}
                person={person}
                isLast={persons.length === 1}
                passkeys={passkeys.filter((passkey) => passkey.person === person.id)}
              />
            ))}
          </ul>
        </>
      )}
      {open.value === 'person' && <PersonDialog onClose={close} />}
      {open.value === 'account' && <CreateAccountDialog onClose={close} />}
    </>
  )
}

interface PersonCardProps {
  readonly person: Person
  readonly isLast: boolean
  readonly passkeys: readonly Passkey[]
}

function PersonCard({ person, isLast, passkeys }: PersonCardProps): JSX.Element {
  const isOwn = session.value?.person === person.id
  return (
    <li class="card">
      <header>
        <h2>{person.name}</h2>
        {isOwn && <Chip tone="ok">{words.you}</Chip>}
      </header>
      <SignInMethods hasPassword={person.hasPassword} hasPasskey={passkeys.length > 0} />
      {passkeys.length > 0 && (
        <ul class="rows" aria-label={words.passkeysOf(person.name)}>
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {isOwn && !canUsePasskeys.value && <NoPasskeysHere />}
      <div class="actions">
        {isOwn && canUsePasskeys.value && (
          <DialogButton label={words.addPasskey}>{(close) => <PasskeyDialog onClose={close} />}</DialogButton>
        )}
        <DialogButton label={person.hasPassword ? words.newPassword : words.setPassword}>
          {(close) => <PasswordDialog person={person} onClose={close} />}
        </DialogButton>
        {!isOwn && (
          <DialogButton label={words.makeLink}>
            {(close) => <LinkDialog name={person.name} onClose={close} />}
          </DialogButton>
        )}
        <DialogButton
          class="quiet danger"
          label={words.remove}
          disabled={isLast}
          title={isLast ? words.lastStays : undefined}
        >
          {(close) => <RemoveDialog person={person} onClose={close} />}
        </DialogButton>
      </div>
    </li>
  )
}

function SignInMethods({ hasPassword, hasPasskey }: { hasPassword: boolean; hasPasskey: boolean }): JSX.Element {
  if (!hasPassword && !hasPasskey)
    return (
      <p class="warns">
        <Icon name="alert" />
        {words.cannotSignIn}
      </p>
    )
  return <p class="muted">{hasPassword ? words.hasPassword : words.hasNoPassword}</p>
}

/** Asks before removing a person, with the number of their sessions. */
function RemoveDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): JSX.Element {
  const sessionCount = useResource(async () => {
    const { sessions } = await admin.call('get', '/admin/v1/sessions')
    return sessions.filter((session) => session.person === person.id).length
  })
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/persons/{id}', { path: { id: person.id }, ...forcedIf(person.usedBy) })
    showNotice(words.removed(person.name))
  }
  return (
    <ConfirmDialog
      title={words.removeTitle(person.name)}
      verb={words.removeNamed(person.name)}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.removeEnds(sessionCount.value)}</p>
      {person.usedBy.length > 0 && <p>{usersOff(person.usedBy)}</p>}
    </ConfirmDialog>
  )
}

/** Adds an administrator, who gets a password or a one-time link. */
function PersonDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const linkedName = useSignal<string | null>(null)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')]
    await admin.call('post', '/admin/v1/persons', { body: password === '' ? { name } : { name, password } })
    showNotice(words.personMade(name))
    if (password !== '') onClose()
    else linkedName.value = name
  })
  if (linkedName.value !== null) return <LinkDialog name={linkedName.value} onClose={onClose} />
  return (
    <Dialog title={words.addPerson} onClose={onClose}>
      <p>{words.aboutPersons}</p>
      <Form verb={words.addPerson} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField error={message} />
        <NewPassword label={words.passwordOptional} hint={words.passwordOrLink} />
      </Form>
    </Dialog>
  )
}

/** Creates a one-time sign-in link for a person, for every address of the gateway. */
function LinkDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }): JSX.Element {
  const created = useSignal<LinksCreateAnswer | null>(null)
  const { run, busy, message } = useAction(
    async () => (created.value = await admin.call('post', '/admin/v1/links', { body: { person: name } })),
  )
  // Every request creates another link, so only the retry button sends a second one.
  useEffect(() => void run(), [])
  return (
    <Dialog title={words.linkTitle(name)} onClose={onClose}>
      {busy && <p class="wait">{words.makingLink}</p>}
      {message !== null && <ErrorBox error={message} onRetry={() => void run()} />}
      {created.value && (
        <>
          <p>{words.aboutLink(name, momentWords(created.value.expiresAt))}</p>
          <ul class="rows">
            {created.value.links.map((link) => (
              <li key={link}>
                <code class="grow">{link}</code>
                <CopyButton what={new URL(link).host} text={link} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        <Button class="main" label={words.done} onClick={onClose} />
      </div>
    </Dialog>
  )
}
