import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LinksCreateAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/problem.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

interface LinkDialogProps {
  readonly name: string
  readonly onClose: () => void
}

/** A one-time link by which somebody comes in as themselves, at each address of the gateway. */
export function LinkDialog({ name, onClose }: LinkDialogProps): JSX.Element {
  const made = useSignal<LinksCreateAnswer | null>(null)
  const { run, busy, said } = useAction(async () => {
    made.value = await admin.call('post', '/admin/v1/links', { body: { person: name } })
  })
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
        <button type="button" class="main" onClick={onClose}>
          {words.done}
        </button>
      </div>
    </Dialog>
  )
}
