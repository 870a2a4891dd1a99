import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Tls } from '../../lib/admin-contract.ts'
import { Said, Unread, useAction } from '../../parts/action.tsx'
import { EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Button, Card, Fact, LinkButton } from '../../parts/page.tsx'
import { Fingerprint, TrustChip } from '../../parts/trust-chip.tsx'
import { about, readAbout, trust } from '../../stores/about.ts'
import { dateWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { status } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** What the connections are secured with, and whether this browser checks it. */
export function Certificates(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/tls'), status.value?.certificateUntil)
  const fingerprint = value?.ca.fingerprint ?? null
  useEffect(() => {
    if (fingerprint !== null && fingerprint !== about.value?.fingerprint) void readAbout()
  }, [fingerprint])
  if (value === null) return <Unread error={error} again={again} />
  return (
    <div class="sheets">
      <ThisBrowser />
      <Authority tls={value} onNew={again} />
      <Leaf tls={value} onNew={again} />
    </div>
  )
}

function ThisBrowser(): JSX.Element {
  return (
    <Card title={words.thisBrowser} beside={<TrustChip />}>
      <p>{words.browserTrust[trust.value]}</p>
      <div class="actions">
        <LinkButton to="/console/trust" says={words.trustOnDevice} />
      </div>
    </Card>
  )
}

interface TlsProps {
  readonly tls: Tls
  readonly onNew: () => void
}

function Authority({ tls: { ca }, onNew }: TlsProps): JSX.Element {
  return (
    <Card title={words.authority}>
      <p>{words.aboutAuthority}</p>
      <Fingerprint of={ca.fingerprint} />
      <div class="actions">
        <Opens class="quiet danger" says={words.newAuthority}>
          {(close) => <NewAuthority onNew={onNew} onClose={close} />}
        </Opens>
      </div>
    </Card>
  )
}

/** Everybody who trusts the gateway has to trust it anew: it says how many programs that are. */
function NewAuthority({ onNew, onClose }: { readonly onNew: () => void; readonly onClose: () => void }): JSX.Element {
  const programs = useReading(async () => {
    const [{ keys }, { agents }] = await Promise.all([
      admin.call('get', '/admin/v1/keys'),
      admin.call('get', '/admin/v1/agents'),
    ])
    return [...keys, ...agents].filter(({ state }) => state === 'active' || state === 'suspended').length
  })
  const make = async (): Promise<void> => {
    await admin.call('post', '/admin/v1/tls/regenerate-ca')
    onNew()
    tell(words.madeAuthority)
  }
  return (
    <EndingDialog title={words.newAuthorityTitle} verb={words.makeAuthority} onEnd={make} onClose={onClose}>
      <p>{words.authorityEnds(programs.value)}</p>
      <p>{words.browserWarns}</p>
    </EndingDialog>
  )
}

function Leaf({ tls: { certificate }, onNew }: TlsProps): JSX.Element {
  const renew = useAction(async () => {
    await admin.call('post', '/admin/v1/tls/renew')
    onNew()
    tell(words.renewed)
  })
  return (
    <Card title={words.certificate}>
      <dl class="facts">
        <Fact term={words.holds}>
          {words.fromTo(dateWords(certificate.notBefore), dateWords(certificate.notAfter))}
        </Fact>
        <Fact term={words.names}>
          <ul>
            {certificate.names.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
      <p class="muted">{words.renewsItself}</p>
      <Said of={renew.said} />
      <div class="actions">
        <Button says={words.renew} does={renew} />
      </div>
    </Card>
  )
}
