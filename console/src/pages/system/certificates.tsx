import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Tls } from '../../lib/admin-contract.ts'
import { ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { ConfirmDialog, DialogButton } from '../../parts/dialog.tsx'
import { Button, Card, Fact, LinkButton } from '../../parts/page.tsx'
import { Fingerprint, TrustChip } from '../../parts/trust-chip.tsx'
import { about, readAbout, trust } from '../../stores/public-facts.ts'
import { dateWords } from '../../stores/home-time.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { status } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** The CA, the certificate, and this browser's trust in them. */
export function Certificates(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/tls'), status.value?.certificateUntil)
  const fingerprint = value?.ca.fingerprint ?? null
  useEffect(() => {
    if (fingerprint !== null && fingerprint !== about.value?.fingerprint) void readAbout()
  }, [fingerprint])
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <div class="sheets">
      <ThisBrowser />
      <AuthorityCard tls={value} onNew={reload} />
      <CertificateCard tls={value} onNew={reload} />
    </div>
  )
}

function ThisBrowser(): JSX.Element {
  return (
    <Card title={words.thisBrowser} aside={<TrustChip />}>
      <p>{words.browserTrust[trust.value]}</p>
      <div class="actions">
        <LinkButton to="/console/trust" label={words.trustOnDevice} />
      </div>
    </Card>
  )
}

interface TlsProps {
  readonly tls: Tls
  readonly onNew: () => void
}

function AuthorityCard({ tls: { ca }, onNew }: TlsProps): JSX.Element {
  return (
    <Card title={words.authority}>
      <p>{words.aboutAuthority}</p>
      <Fingerprint value={ca.fingerprint} />
      <div class="actions">
        <DialogButton class="quiet danger" label={words.newAuthority}>
          {(close) => <NewAuthorityDialog onNew={onNew} onClose={close} />}
        </DialogButton>
      </div>
    </Card>
  )
}

/** Asks before a new CA, with the number of programs that must trust it again. */
function NewAuthorityDialog({
  onNew,
  onClose,
}: {
  readonly onNew: () => void
  readonly onClose: () => void
}): JSX.Element {
  const programs = useResource(async () => {
    const [{ keys }, { agents }] = await Promise.all([
      admin.call('get', '/admin/v1/keys'),
      admin.call('get', '/admin/v1/agents'),
    ])
    return [...keys, ...agents].filter(({ state }) => state === 'active' || state === 'suspended').length
  })
  const create = async (): Promise<void> => {
    await admin.call('post', '/admin/v1/tls/regenerate-ca')
    onNew()
    showNotice(words.madeAuthority)
  }
  return (
    <ConfirmDialog title={words.newAuthorityTitle} verb={words.makeAuthority} onConfirm={create} onClose={onClose}>
      <p>{words.authorityEnds(programs.value)}</p>
      <p>{words.authorityIsFinal}</p>
    </ConfirmDialog>
  )
}

function CertificateCard({ tls: { certificate }, onNew }: TlsProps): JSX.Element {
  const renew = useAction(async () => {
    await admin.call('post', '/admin/v1/tls/renew')
    onNew()
    showNotice(words.renewed)
  })
  return (
    <Card title={words.certificate}>
      <dl class="facts">
        <Fact term={words.validity}>
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
      <ErrorLine message={renew.message} />
      <div class="actions">
        <Button label={words.renew} action={renew} />
      </div>
    </Card>
  )
}
