import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LinksCreateAnswer } from '../../lib/admin-contract.ts'
import { ErrorBox, useAction } from '../../parts/action.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Button } from '../../parts/page.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/persons.ts'

interface LinkDialogProps {
  readonly title: string
  /** Sentence about the links, which work until a moment. */
  readonly about: (until: string) => string
  readonly create: () => Promise<LinksCreateAnswer>
  readonly onClose: () => void
}

/** Creates a one-time sign-in link, for every address of the gateway. */
export function LinkDialog({ title, about, create, onClose }: LinkDialogProps): JSX.Element {
  const created = useSignal<LinksCreateAnswer | null>(null)
  const { run, busy, message } = useAction(async () => (created.value = await create()))
  // Every request creates another link, so only the retry button sends a second one.
  useEffect(() => void run(), [])
  return (
    <Dialog title={title} onClose={onClose}>
      {busy && <p class="wait">{words.makingLink}</p>}
      {message !== null && <ErrorBox error={message} onRetry={() => void run()} />}
      {created.value && (
        <>
          <p>{about(momentWords(created.value.expiresAt))}</p>
          <ul class="rows">
            {created.value.links.map((link) => (
              <li key={link}>
                <code class="grow">{link}</code>
                <CopyButton what={new URL(link).host} text={link} />
              </li>
            ))}
          </ul>
          <details>
            <summary>{words.qr}</summary>
            <QrCode text={linkHere(created.value.links)} label={words.qr} />
          </details>
        </>
      )}
      <div class="actions">
        <Button class="main" label={words.done} onClick={onClose} />
      </div>
    </Dialog>
  )
}

interface PersonLinkDialogProps {
  readonly name: string
  readonly onClose: () => void
}

/** Creates a one-time link for a person. */
export const PersonLinkDialog = ({ name, onClose }: PersonLinkDialogProps): JSX.Element => (
  <LinkDialog
    title={words.linkTitle(name)}
    about={(until) => words.aboutLink(name, until)}
    create={() => admin.call('post', '/admin/v1/links', { body: { person: name } })}
    onClose={onClose}
  />
)

/** The link for the address of this page, which works in this network. */
const linkHere = (links: readonly string[]): string =>
  links.find((link) => new URL(link).host === location.host) ?? links[0] ?? ''
