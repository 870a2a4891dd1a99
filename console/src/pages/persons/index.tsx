import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Passkey, Person } from '../../lib/admin-contract.ts'
import { forcedIf } from '../../lib/forced.ts'
import { Loading } from '../../parts/action.tsx'
import { ConfirmDialog, DialogButton } from '../../parts/dialog.tsx'
import { onDemand } from '../../parts/on-demand.tsx'
import { Button, Chip, Empty, Icon } from '../../parts/page.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { integrations } from '../../stores/integrations.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { session } from '../../stores/own-session.ts'
import { canUsePasskeys } from '../../stores/person.ts'
import { accessChanges } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { doorWords } from '../../words/access.ts'
import { words } from '../../words/persons.ts'
import { usersOff } from '../../words/users.ts'
import { PasskeyDialog, PasskeyLine, PasswordDialog } from '../me/sign-in-methods.tsx'
import { CreateAccountDialog } from './create-account-dialog.tsx'
import { exposureSummary } from '../access/credentials.tsx'
import { doorsOf } from '../access/doors-editor.tsx'
import { PersonLinkDialog } from './link-dialog.tsx'

async function read() {
  const [{ persons }, { passkeys }] = await Promise.all([
    admin.call('get', '/admin/v1/persons'),
    admin.call('get', '/admin/v1/passkeys'),
  ])
  return { persons, passkeys }
}

const AddPerson = onDemand(async () => (await import('./add-person-dialog.tsx')).AddPersonDialog)

const Tablets = onDemand(async () => (await import('./tablets.tsx')).Tablets)

/** Administrators, members and wall tablets of the home with their sign-in methods. */
export function Persons(): JSX.Element {
  const { value, error, reload } = useResource(read, accessChanges.value)
  const open = useSignal<'person' | 'account' | null>(null)
  const close = () => (open.value = null)
  if (value === null) return <Loading error={error} reload={reload} />
  const { persons, passkeys } = value
  const [administrators, members] = [
    persons.filter(({ role }) => role === 'administrator'),
    persons.filter(({ role }) => role === 'member'),
  ]
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
      {administrators.length === 0 ? (
        <Empty icon="persons" sentence={words.hasNoAdministrator}>
          {add}
        </Empty>
      ) : (
        <>
          <div class="actions">{add}</div>
          <h2>{words.administrators}</h2>
          <PersonCards persons={administrators} passkeys={passkeys} isLast={administrators.length === 1} />
          <h2>{words.members}</h2>
          {members.length === 0 && <p class="hint">{words.noMembers}</p>}
          <PersonCards persons={members} passkeys={passkeys} isLast={false} />
          <Tablets />
        </>
      )}
      {open.value === 'person' && <AddPerson onClose={close} />}
      {open.value === 'account' && <CreateAccountDialog onClose={close} />}
    </>
  )
}

interface PersonCardsProps extends Pick<PersonCardProps, 'passkeys' | 'isLast'> {
  readonly persons: readonly Person[]
}

const PersonCards = ({ persons, passkeys, isLast }: PersonCardsProps): JSX.Element => (
  <ul class="sheets">
    {persons.map((person) => (
      <PersonCard
        key={person.id}
        person={person}
        isLast={isLast}
        passkeys={passkeys.filter((passkey) => passkey.person === person.id)}
      />
    ))}
  </ul>
)

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
      {person.integration !== null && <Permissions integration={person.integration} />}
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
            {(close) => <PersonLinkDialog name={person.name} onClose={close} />}
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

/** View and permissions of a member, with a link to the record. */
function Permissions({ integration }: { readonly integration: string }): JSX.Element | null {
  const record = integrations.value?.find(({ id }) => id === integration)
  if (record === undefined) return null
  return (
    <p>
      {[exposureSummary(record.expose), doorWords.means[doorsOf(record)]].join('. ')}{' '}
      <a href={`/console/access/${integration}`}>{words.record}</a>
    </p>
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
