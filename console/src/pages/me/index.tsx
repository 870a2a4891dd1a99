import type { JSX } from 'preact'
import { Loading } from '../../parts/action.tsx'
import { DialogButton } from '../../parts/dialog.tsx'
import { Button, Card, Chip, Empty, LinkButton, Page } from '../../parts/page.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { accessChanges } from '../../stores/admin-topics.ts'
import { signOut } from '../../stores/home.ts'
import { hasPassword, isAdministrator, isMember, session } from '../../stores/own-session.ts'
import { canUsePasskeys } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words as entry } from '../../words/entry.ts'
import { words } from '../../words/me.ts'
import { words as account } from '../../words/persons.ts'
import { OwnAgents } from './agents.tsx'
import { Session } from './session.tsx'
import { TwoFactors } from './two-factors.tsx'
import { PasskeyDialog, PasskeyLine, PasswordDialog } from './sign-in-methods.tsx'

/** The account of the signed-in person: name, ways to sign in, agents of a member, and signed-in devices. */
export function MePage(): JSX.Element {
  const { person = null, name = '' } = session.value ?? {}
  if (person === null)
    return (
      <Page title={words.title}>
        <Empty icon="person" sentence={words.noAccount}>
          <LinkButton to="/console/system/persons" label={entry.createAccount} />
        </Empty>
      </Page>
    )
  return (
    <Page
      title={words.title}
      aside={<Button icon="signOut" label={words.signOutHere} onClick={() => void signOut()} />}
    >
      <Card title={name} aside={<Chip>{isAdministrator.value ? words.administrator : words.member}</Chip>}>
        <SignInMethods person={{ id: person, name }} />
      </Card>
      {isMember.value && <OwnAgents />}
      <h2>{words.devices}</h2>
      <OwnSessions person={person} />
    </Page>
  )
}

function SignInMethods({ person }: { readonly person: { readonly id: string; readonly name: string } }): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/passkeys'), accessChanges.value)
  if (value === null) return <Loading error={error} reload={reload} />
  const passkeys = value.passkeys.filter((passkey) => passkey.person === person.id)
  return (
    <>
      <p class="muted">{hasPassword.value ? account.hasPassword : account.hasNoPassword}</p>
      {passkeys.length > 0 && (
        <ul class="rows" aria-label={account.passkeysOf(person.name)}>
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {!canUsePasskeys.value && <NoPasskeysHere />}
      {hasPassword.value && <TwoFactors person={person.id} />}
      <div class="actions">
        {canUsePasskeys.value && (
          <DialogButton label={account.addPasskey}>{(close) => <PasskeyDialog onClose={close} />}</DialogButton>
        )}
        <DialogButton label={hasPassword.value ? account.newPassword : account.setPassword}>
          {(close) => <PasswordDialog person={person} onClose={close} />}
        </DialogButton>
      </div>
    </>
  )
}

function OwnSessions({ person }: { readonly person: string }): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/sessions'), accessChanges.value)
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <ul class="sheets">
      {value.sessions
        .filter((listed) => listed.person === person)
        .map((listed) => (
          <Session key={listed.id} session={listed} />
        ))}
    </ul>
  )
}
