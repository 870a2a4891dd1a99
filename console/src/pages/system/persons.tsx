import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LinksCreateAnswer, Passkey, Person } from '../../lib/admin-contract.ts'
import { Problem, Unread, useAction } from '../../parts/action.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog, EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Field, Form, NameField, textOf } from '../../parts/form.tsx'
import { Button, Chip, Empty, Icon, Last } from '../../parts/page.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { makePasskey, passkeysHere, session } from '../../stores/person.ts'
import { accessChanges } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'
import { browserWords } from './browser-words.ts'
import { NewPassword, OwnNameDialog } from './own-name-dialog.tsx'

async function read() {
  const [{ persons }, { passkeys }] = await Promise.all([
    admin.call('get', '/admin/v1/persons'),
    admin.call('get', '/admin/v1/passkeys'),
  ])
  return { persons, passkeys }
}

/** Who administers the home by name, with what each of them comes in by. */
export function Persons(): JSX.Element {
  const { value, error, again } = useReading(read, accessChanges.value)
  const open = useSignal<'person' | 'own-name' | null>(null)
  const close = () => (open.value = null)
  if (value === null) return <Unread error={error} again={again} />
  const { persons, passkeys } = value
  const isNameless = session.value?.person === null
  const add = (
    <Button
      class="main"
      icon="add"
      says={isNameless ? words.giveName : words.addPerson}
      onClick={() => (open.value = isNameless ? 'own-name' : 'person')}
    />
  )
  return (
    <>
      {persons.length === 0 ? (
        <Empty icon="persons" sentence={words.nobodyByName}>
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
                passkeys={passkeys.filter((each) => each.person === person.id)}
              />
            ))}
          </ul>
        </>
      )}
      {open.value === 'person' && <PersonDialog onClose={close} />}
      {open.value === 'own-name' && <OwnNameDialog onClose={close} />}
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
      <WayIn hasPassword={person.hasPassword} hasPasskey={passkeys.length > 0} />
      {passkeys.length > 0 && (
        <ul class="rows" aria-label={words.passkeysOf(person.name)}>
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {isOwn && !passkeysHere.value && <NoPasskeysHere />}
      <div class="actions">
        {isOwn && passkeysHere.value && <Opens says={words.addPasskey}>{(close) => <Making onClose={close} />}</Opens>}
        <Opens says={person.hasPassword ? words.newPassword : words.setPassword}>
          {(close) => <PasswordDialog person={person} onClose={close} />}
        </Opens>
        {!isOwn && <Opens says={words.makeLink}>{(close) => <LinkDialog name={person.name} onClose={close} />}</Opens>}
        <Opens class="quiet danger" says={words.remove} disabled={isLast} title={isLast ? words.lastStays : undefined}>
          {(close) => <RemoveDialog person={person} onClose={close} />}
        </Opens>
      </div>
    </li>
  )
}

function WayIn({ hasPassword, hasPasskey }: { hasPassword: boolean; hasPasskey: boolean }): JSX.Element {
  if (!hasPassword && !hasPasskey)
    return (
      <p class="warns">
        <Icon of="alert" />
        {words.cannotComeBack}
      </p>
    )
  return <p class="muted">{hasPassword ? words.hasPassword : words.hasNoPassword}</p>
}

/** It says how many browsers of theirs are signed out. */
function RemoveDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): JSX.Element {
  const own = useReading(async () => {
    const { sessions } = await admin.call('get', '/admin/v1/sessions')
    return sessions.filter((each) => each.person === person.id).length
  })
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/persons/{id}', { path: { id: person.id } })
    tell(words.removed(person.name))
  }
  return (
    <EndingDialog
      title={words.removeTitle(person.name)}
      verb={words.removePerson(person.name)}
      onEnd={remove}
      onClose={onClose}
    >
      <p>{words.removeEnds(own.value)}</p>
    </EndingDialog>
  )
}

/** Makes an administrator of somebody else, who gets a password, or a link to come in by. */
function PersonDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const linked = useSignal<string | null>(null)
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')]
    await admin.call('post', '/admin/v1/persons', { body: password === '' ? { name } : { name, password } })
    tell(words.personMade(name))
    if (password !== '') onClose()
    else linked.value = name
  })
  if (linked.value !== null) return <LinkDialog name={linked.value} onClose={onClose} />
  return (
    <Dialog title={words.addPerson} onClose={onClose}>
      <p>{words.aboutPersons}</p>
      <Form verb={words.addPerson} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField said={said} />
        <NewPassword label={words.passwordOptional} hint={words.passwordOrLink} />
      </Form>
    </Dialog>
  )
}

/** Gives a person a password; all their other sessions end by it, and it says so. */
function PasswordDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const body = { password: textOf(form, 'password') }
    await admin.call('put', '/admin/v1/persons/{id}/password', { path: { id: person.id }, body })
    tell(words.passwordSet(person.name))
    onClose()
  })
  return (
    <Dialog title={words.passwordTitle(person.name)} onClose={onClose}>
      <p>{words.passwordEnds}</p>
      <Form verb={words.setPassword} busy={busy} onSubmit={run} onCancel={onClose}>
        <NewPassword label={words.password} required hint={words.passwordHint} said={said} />
      </Form>
    </Dialog>
  )
}

/** One passkey: where it works, when it was used, and the way to remove it. */
function PasskeyLine({ passkey: { id, name, site, usedAt } }: { readonly passkey: Passkey }): JSX.Element {
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/passkeys/{id}', { path: { id } })
    tell(words.removed(name))
  }
  return (
    <li>
      <Icon of="key" />
      <span class="grow">
        {name}
        <br />
        <small class="muted">
          {words.worksAt(site)}
          {' · '}
          <Last at={usedAt} said={words.lastUsed} never={words.neverUsed} />
        </small>
      </span>
      <Opens class="quiet danger" says={words.remove} aria-label={words.removeTitle(name)}>
        {(close) => (
          <EndingDialog title={words.removeTitle(name)} verb={words.removePasskey} onEnd={remove} onClose={close}>
            <p>{words.removesPasskey}</p>
          </EndingDialog>
        )}
      </Opens>
    </li>
  )
}

/** Makes a passkey of one's own in this browser. */
function Making({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    await makePasskey(textOf(form, 'name'))
    tell(words.passkeyMade)
    onClose()
  })
  return (
    <Dialog title={words.addPasskey} onClose={onClose}>
      <p>{words.aboutPasskeys}</p>
      <Form verb={words.makePasskey} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field
          label={words.passkeyName}
          name="name"
          required
          maxLength={64}
          defaultValue={browserWords(navigator.userAgent)}
          said={said}
        />
      </Form>
    </Dialog>
  )
}

/** A one-time link by which somebody comes in as themselves, at each address of the gateway. */
function LinkDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }): JSX.Element {
  const made = useSignal<LinksCreateAnswer | null>(null)
  const { run, busy, said } = useAction(
    async () => (made.value = await admin.call('post', '/admin/v1/links', { body: { person: name } })),
  )
  // Each asking makes another link: it is asked for once, and again by whoever says so alone.
  useEffect(() => void run(), [])
  return (
    <Dialog title={words.linkTitle(name)} onClose={onClose}>
      {busy && <p class="wait">{words.makingLink}</p>}
      {said !== null && <Problem error={said} onAgain={() => void run()} />}
      {made.value && (
        <>
          <p>{words.aboutLink(name, momentWords(made.value.expiresAt))}</p>
          <ul class="rows">
            {made.value.links.map((link) => (
              <li key={link}>
                <code class="grow">{link}</code>
                <CopyButton what={new URL(link).host} text={link} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        <Button class="main" says={words.done} onClick={onClose} />
      </div>
    </Dialog>
  )
}
