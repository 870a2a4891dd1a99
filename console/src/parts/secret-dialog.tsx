import type { JSX } from 'preact'
import { Sentence } from './action.tsx'
import { Secret } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { Button } from './page.tsx'

interface SecretDialogProps {
  readonly title: string
  readonly about: string
  /** Name of the secret. */
  readonly name: string
  readonly secret: string
  /** Label of the button for a stored secret, which alone closes the dialog. */
  readonly stored: string
  readonly onClose: () => void
}

/** Shows a secret once. */
export function SecretDialog({ title, about, name, secret, stored, onClose }: SecretDialogProps): JSX.Element {
  return (
    <Dialog title={title}>
      <p>
        <Sentence>{about}</Sentence>
      </p>
      <div class="handed-over">
        <Secret name={name} text={secret} />
      </div>
      <div class="actions">
        <Button class="main" label={stored} onClick={onClose} />
      </div>
    </Dialog>
  )
}
