import type { JSX } from 'preact'
import type { Relay } from '../../lib/admin-contract.ts'
import { ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Field, Form, Segments, textOf } from '../../parts/form.tsx'
import { Button, Card, Chip, Fact } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { status } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** Access to the home through a relay. */
export function RelayPart(): JSX.Element {
  const now = status.value?.relay
  const { value, error, reload } = useResource(
    () => admin.call('get', '/admin/v1/relay'),
    now?.state,
    now?.trouble,
    now?.pending?.wish,
  )
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <>
      <p class="muted">{words.aboutRelay}</p>
      {value.state === 'off' ? (
        <ConnectCard onDone={reload} />
      ) : (
        <div class="sheets">
          <RelayCard relay={value} onDone={reload} />
          <AccountsCard relay={value} onDone={reload} />
          <PassthroughCard relay={value} onDone={reload} />
        </div>
      )}
    </>
  )
}

interface RelayProps {
  readonly relay: Relay
  readonly onDone: () => void
}

function ConnectCard({ onDone }: Pick<RelayProps, 'onDone'>): JSX.Element {
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const [url, fingerprint] = [textOf(form, 'url').trim(), textOf(form, 'fingerprint').trim()]
    await admin.call('post', '/admin/v1/relay', { body: fingerprint === '' ? { url } : { url, fingerprint } })
    showNotice(words.relayConnected)
    onDone()
  })
  return (
    <Card title={words.connectRelay}>
      <p>{words.relayOff}</p>
      <Form verb={words.connect} busy={busy} onSubmit={run}>
        <Field label={words.relayUrl} name="url" required inputMode="url" hint={words.relayUrlHint} error={message} />
        <Field label={words.relayFingerprint} name="fingerprint" spellcheck={false} hint={words.relayFingerprintHint} />
      </Form>
    </Card>
  )
}

function RelayCard({ relay, onDone }: RelayProps): JSX.Element {
  const disconnect = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/relay')
    showNotice(words.disconnected)
    onDone()
  }
  return (
    <Card
      title={words.relay}
      aside={<Chip tone={relay.trouble === null ? 'ok' : 'warn'}>{words.relayStates[relay.state]}</Chip>}
    >
      <ErrorLine message={relay.trouble} />
      <dl class="facts">
        <Fact term={words.relayAddress}>{relay.url}</Fact>
        <Fact term={words.connections}>{words.nodes(relay.tunnels.map(({ node }) => node))}</Fact>
        <Fact term={words.gatewayId}>{relay.serial}</Fact>
      </dl>
      <div class="actions">
        <ConfirmButton label={words.disconnect} title={words.disconnectTitle} onConfirm={disconnect}>
          {words.disconnectEnds(relay.accounts.length)}
        </ConfirmButton>
      </div>
    </Card>
  )
}

function AccountsCard({ relay, onDone }: RelayProps): JSX.Element {
  const link = useAction(async () => {
    await admin.call('post', '/admin/v1/relay/link')
    onDone()
  })
  const unlink = async (): Promise<void> => {
    const { pending } = await admin.call('post', '/admin/v1/relay/unlink')
    showNotice(pending === null ? words.unlinked : words.pending)
    onDone()
  }
  return (
    <Card title={words.accounts}>
      {relay.accounts.length === 0 ? (
        <p class="muted">{words.noAccounts}</p>
      ) : (
        <ul class="rows">
          {relay.accounts.map((account) => (
            <li key={account}>{account}</li>
          ))}
        </ul>
      )}
      {relay.pending && <p role="status">{words.pending}</p>}
      {relay.link && <LinkCode link={relay.link} serial={relay.serial} />}
      <ErrorLine message={link.message} />
      <div class="actions">
        <Button label={words.linkAccount} action={link} />
        {relay.accounts.length > 0 && (
          <ConfirmButton label={words.unlink} title={words.unlinkTitle} onConfirm={unlink}>
            {words.unlinkEnds(relay.accounts.length)}
          </ConfirmButton>
        )}
      </div>
    </Card>
  )
}

function LinkCode({ link, serial }: { link: NonNullable<Relay['link']>; serial: string }): JSX.Element {
  return (
    <div class="linkcode">
      <p>{words.linkCode}</p>
      <p class="code">{link.code}</p>
      <p>
        {words.linkHere(momentWords(link.expiresAt))} <a href={link.url}>{link.url}</a>. {words.linkCompare(serial)}
      </p>
    </div>
  )
}

function PassthroughCard({ relay, onDone }: RelayProps): JSX.Element {
  const change = useAction(async (mode: Relay['passthrough']) => {
    await admin.call('put', '/admin/v1/relay/passthrough', { body: { mode } })
    onDone()
  })
  return (
    <Card title={words.passthrough}>
      <Segments
        legend={words.passthrough}
        names={words.passthroughs}
        value={relay.passthrough}
        onChange={(mode) => void change.run(mode)}
      />
      <p class="muted">{words.aboutPassthrough[relay.passthrough]}</p>
      <ErrorLine message={change.message} />
    </Card>
  )
}
