import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { ConnectionError, HmError } from '@hm-gateway/client/src/browser.ts'
import { Told, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { bytes } from '../../words/measures.ts'
import { RestoreDialog } from './restore-dialog.tsx'

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

function Choosing({ onBrought, onClose }: { onBrought: (brought: Brought) => void; onClose: () => void }): JSX.Element {
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

/** A piece that got no answer is sent again, smaller: a request has ten seconds, also on a slow line. */
const TRIES_MAX = 6
const PIECE_BYTES_MIN = 8 * 1024
const AGAIN_AFTER_MS = 1_000

/**
 * Brings a backup to the gateway piece by piece; `onSent` is told how many of its bytes are there. Answers what
 * it is called there; null where `over` said so, and nothing is left there then.
 * @throws HmError, the gateway's sentence; ConnectionError where it answers no more
 */
async function bring(file: File, onSent: (bytes: number) => void, over: AbortSignal): Promise<string | null> {
  const { id, pieceBytes } = await admin.call('post', '/admin/v1/brought-backups', { body: { bytes: file.size } })
  try {
    return await sent({ id, file, pieceBytes, onSent, over })
  } catch (error) {
    // What is no backup the gateway has let go by itself.
    if (!(error instanceof HmError && [404, 422].includes(error.status))) letGo(id)
    throw error
  }
}

interface Transfer {
  readonly id: string
  readonly file: File
  readonly pieceBytes: number
  readonly onSent: (bytes: number) => void
  readonly over: AbortSignal
}

async function sent({ id, file, pieceBytes, onSent, over }: Transfer): Promise<string | null> {
  let piece = pieceBytes
  let tries = 0
  let from = 0
  while (from < file.size) {
    if (over.aborted) return letGo(id)
    try {
      const { received } = await admin.call('put', '/admin/v1/brought-backups/{id}', {
        path: { id },
        body: { from, piece: await base64Of(file.slice(from, from + piece)) },
      })
      tries = 0
      from = received
      onSent(from)
    } catch (error) {
      tries += 1
      if (!(error instanceof ConnectionError) || tries >= TRIES_MAX) throw error
      piece = Math.max(PIECE_BYTES_MIN, Math.floor(piece / 2))
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS * tries))
    }
  }
  return over.aborted ? letGo(id) : id
}

/** Nothing is restored from it. What cannot be removed now the gateway removes by itself. */
function letGo(id: string): null {
  admin.call('delete', '/admin/v1/brought-backups/{id}', { path: { id } }).catch(() => undefined)
  return null
}

function base64Of(piece: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    // A card that was pulled out, for instance.
    reader.addEventListener('error', () => reject(reader.error ?? new Error(piece.type)))
    // `data:application/octet-stream;base64,…`
    reader.addEventListener('load', () => {
      const { result } = reader
      resolve(typeof result === 'string' ? (result.split(',', 2)[1] ?? '') : '')
    })
    reader.readAsDataURL(piece)
  })
}
