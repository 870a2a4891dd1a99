import type { JSX } from 'preact'
import type { Relay } from '../../lib/admin-contract.ts'
import { Said, Unread, useAction } from '../../parts/action.tsx'
import { EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Field, Form, Segments, textOf } from '../../parts/form.tsx'
import { Button, Card, Chip, Fact } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { status } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** Whether and how the home is reached from outside. */
export function RelayPart(): JSX.Element {
  const now = status.value?.relay
  const { value, error, again } = useReading(
    () => admin.call('get', '/admin/v1/relay'),
    now?.state,
    now?.trouble,
    now?.pending?.wish,
  )
  if (value === null) return <Unread error={error} again={again} />
  return (
    <>
      <p class="muted">{words.aboutRelay}</p>
      {value.state === 'off' ? (
        <Connect onDone={again} />
      ) : (
        <div class="sheets">
          <Connected relay={value} onDone={again} />
          <Accounts relay={value} onDone={again} />
          <Passthrough relay={value} onDone={again} />
        </div>
      )}
    </>
  )
}

interface RelayProps {
  readonly relay: Relay
  readonly onDone: () => void
}

function Connect({ onDone }: Pick<RelayProps, 'onDone'>): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const [url, fingerprint] = [textOf(form, 'url').trim(), textOf(form, 'fingerprint').trim()]
    await admin.call('post', '/admin/v1/relay', { body: fingerprint === '' ? { url } : { url, fingerprint } })
    tell(words.relayConnected)
    onDone()
  })
  return (
    <Card title={words.connectRelay}>
      <p>{words.relayOff}</p>
      <Form verb={words.connect} busy={busy} onSubmit={run}>
        <Field label={words.relayUrl} name="url" required inputMode="url" hint={words.relayUrlHint} said={said} />
        <Field label={words.relayFingerprint} name="fingerprint" spellcheck={false} hint={words.relayFingerprintHint} />
      </Form>
    </Card>
  )
}

function Connected({ relay, onDone }: RelayProps): JSX.Element {
  const disconnect = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/relay')
    tell(words.disconnected)
    onDone()
  }
  return (
    <Card
      title={words.relay}
      beside={<Chip tone={relay.trouble === null ? 'ok' : 'warn'}>{words.relayStates[relay.state]}</Chip>}
    >
      <Said of={relay.trouble} />
      <dl class="facts">
        <Fact term={words.relayAddress}>{relay.url}</Fact>
        <Fact term={words.connections}>{words.nodes(relay.tunnels.map(({ node }) => node))}</Fact>
        <Fact term={words.gatewayId}>{relay.serial}</Fact>
      </dl>
      <div class="actions">
        <Opens class="quiet danger" says={words.disconnect}>
          {(close) => (
            <EndingDialog title={words.disconnectTitle} verb={words.disconnect} onEnd={disconnect} onClose={close}>
              <p>{words.disconnectEnds(relay.accounts.length)}</p>
            </EndingDialog>
          )}
        </Opens>
      </div>
    </Card>
  )
}

function Accounts({ relay, onDone }: RelayProps): JSX.Element {
  const link = useAction(async () => {
    await admin.call('post', '/admin/v1/relay/link')
    onDone()
  })
  const unlink = async (): Promise<void> => {
    const { pending } = await admin.call('post', '/admin/v1/relay/unlink')
    tell(pending === null ? words.unlinked : words.pending)
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
      <Said of={link.said} />
      <div class="actions">
        <Button says={words.linkAccount} does={link} />
        {relay.accounts.length > 0 && (
          <Opens class="quiet danger" says={words.unlink}>
            {(close) => (
              <EndingDialog title={words.unlinkTitle} verb={words.unlink} onEnd={unlink} onClose={close}>
                <p>{words.unlinkEnds(relay.accounts.length)}</p>
              </EndingDialog>
            )}
          </Opens>
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

function Passthrough({ relay, onDone }: RelayProps): JSX.Element {
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
      <Said of={change.said} />
    </Card>
  )
}
