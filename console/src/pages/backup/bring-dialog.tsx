import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Told } from '../../parts/told.tsx'
import { bring, letGo } from '../../stores/bringing.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { bytes } from '../../words/measures.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { Form } from '../../parts/form.tsx'

/** A file that is at the gateway whole. */
interface Brought {
  readonly id: string
  readonly name: string
}

/** Restores a backup that lies on the machine of this browser: brings it to the gateway first. */
export function BringDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const brought = useSignal<Brought | null>(null)
  // Whoever leaves leaves nothing there.
  useEffect(() => () => void (brought.peek() && letGo(brought.peek()?.id ?? '')), [])
  if (brought.value === null) return <Choosing onBrought={(each) => (brought.value = each)} onClose={onClose} />
  const { id, name } = brought.value
  return (
    <RestoreDialog
      title={words.restoreFileTitle(name)}
      ask={(body) => admin.call('post', '/admin/v1/brought-backups/{id}/restore', { path: { id }, body })}
      onClose={onClose}
    />
  )
}

interface ChoosingProps {
  readonly onBrought: (brought: Brought) => void
  readonly onClose: () => void
}

function Choosing({ onBrought, onClose }: ChoosingProps): JSX.Element {
  const field = useId()
  const file = useSignal<File | null>(null)
  const sent = useSignal(0)
  const over = useRef(new AbortController())
  useEffect(() => () => over.current.abort(), [])
  const { run, busy, said } = useAction(async (chosen: File) => {
    sent.value = 0
    const id = await bring(chosen, (count) => (sent.value = count), over.current.signal)
    if (id !== null) onBrought({ id, name: chosen.name })
  })
  return (
    <Dialog title={words.bringTitle} onClose={onClose}>
      <Form
        verb={words.bring}
        busy={busy}
        onSubmit={() => {
          if (file.value !== null) void run(file.value)
        }}
        onCancel={onClose}
      >
        <p>{words.aboutBringing}</p>
        <div class="field">
          <label for={field}>{words.file}</label>
          <input
            id={field}
            type="file"
            name="file"
            required
            disabled={busy}
            aria-describedby={`${field}-said`}
            onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0] ?? null)}
          />
          <p id={`${field}-said`} role="alert">
            {said !== null && <Told>{said}</Told>}
          </p>
        </div>
        {busy && file.value !== null && <Sending sent={sent.value} all={file.value.size} />}
      </Form>
    </Dialog>
  )
}

function Sending({ sent, all }: { readonly sent: number; readonly all: number }): JSX.Element {
  return (
    <p class="sending">
      <progress aria-label={words.sending} max={all} value={sent} />
      <span class="hint">{words.sent(bytes(sent), bytes(all))}</span>
    </p>
  )
}
