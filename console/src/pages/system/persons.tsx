import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Passkey, Person } from '../../lib/admin-contract.ts'
import { Chip } from '../../parts/chip.tsx'
import { Empty } from '../../parts/empty.tsx'
import { EndingDialog } from '../../parts/ending-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NoPasskeysHere } from '../../parts/no-passkeys-here.tsx'
import { Problem } from '../../parts/problem.tsx'
import { accessChanges } from '../../stores/access-changes.ts'
import { tell } from '../../stores/notices.ts'
import { passkeysHere } from '../../stores/passkeys.ts'
import { session } from '../../stores/person.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'
import { LinkDialog } from './link-dialog.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { OwnNameDialog } from './own-name-dialog.tsx'
import { PasskeyLine } from './passkey-line.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { PersonDialog } from './person-dialog.tsx'

/** What is open above the list; of whom, where it is about somebody. */
type Open =
  | { readonly what: 'add' }
  | { readonly what: 'name' }
  | { readonly what: 'password' | 'link' | 'remove'; readonly person: Person }
  | null

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
  const open = useSignal<Open>(null)
  if (value === null)
    return error === null ? <p class="wait">{words.reading}</p> : <Problem error={error} onAgain={again} />
  const { persons, passkeys } = value
  const isNameless = session.value?.person === null
  const add = (
    <button type="button" class="main" onClick={() => (open.value = { what: isNameless ? 'name' : 'add' })}>
      <Icon of="add" />
      {isNameless ? words.giveName : words.addPerson}
    </button>
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
                onOpen={(what) => (open.value = { what, person })}
              />
            ))}
          </ul>
        </>
      )}
      <Opened open={open.value} onClose={() => (open.value = null)} />
    </>
  )
}

interface PersonCardProps {
  readonly person: Person
  readonly isLast: boolean
  readonly passkeys: readonly Passkey[]
  readonly onOpen: (what: 'password' | 'link' | 'remove') => void
}

function PersonCard({ person, isLast, passkeys, onOpen }: PersonCardProps): JSX.Element {
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
        {isOwn && passkeysHere.value && <AddPasskey />}
        <button type="button" onClick={() => onOpen('password')}>
          {person.hasPassword ? words.newPassword : words.setPassword}
        </button>
        {!isOwn && (
          <button type="button" onClick={() => onOpen('link')}>
            {words.makeLink}
          </button>
        )}
        <button
          type="button"
          class="quiet danger"
          disabled={isLast}
          title={isLast ? words.lastStays : undefined}
          onClick={() => onOpen('remove')}
        >
          {words.remove}
        </button>
      </div>
    </li>
  )
}

interface WayInProps {
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
}

function WayIn({ hasPassword, hasPasskey }: WayInProps): JSX.Element {
  if (!hasPassword && !hasPasskey)
    return (
      <p class="warns">
        <Icon of="alert" />
        {words.cannotComeBack}
      </p>
    )
  return <p class="muted">{hasPassword ? words.hasPassword : words.hasNoPassword}</p>
}

function Opened({ open, onClose }: { readonly open: Open; readonly onClose: () => void }): JSX.Element | null {
  if (open === null) return null
  if (open.what === 'add') return <PersonDialog onClose={onClose} />
  if (open.what === 'name') return <OwnNameDialog onClose={onClose} />
  const { what, person } = open
  if (what === 'password') return <PasswordDialog person={person} onClose={onClose} />
  if (what === 'link') return <LinkDialog name={person.name} onClose={onClose} />
  return <RemoveDialog person={person} onClose={onClose} />
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
