import type { JSX } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/problem.tsx'
import { momentWords } from '../../age-words.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

interface LinkDialogProps {
  readonly name: string
  readonly onClose: () => void
}

/** A one-time link by which somebody comes in as themselves, at each address of the gateway. */
export function LinkDialog({ name, onClose }: LinkDialogProps): JSX.Element {
  const made = useReading(() => admin.call('post', '/admin/v1/links', { body: { person: name } }))
  return (
    <Dialog title={words.linkTitle(name)} onClose={onClose}>
      {made.error !== null && <Problem error={made.error} onAgain={made.again} />}
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
