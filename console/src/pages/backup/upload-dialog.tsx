import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { ConnectionError, HmError } from '@hm-gateway/client/src/browser.ts'
import { Sentence, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { bytes } from '../../words/measures.ts'
import { RestoreDialog } from './restore-dialog.tsx'

/** A completely uploaded file. */
interface UploadedFile {
  readonly id: string
  readonly name: string
}

/** Uploads a backup from this device, then restores it. */
export function UploadDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const uploaded = useSignal<UploadedFile | null>(null)
  // Closing the dialog removes the file from the gateway.
  useEffect(() => () => void (uploaded.peek() && removeUpload(uploaded.peek()?.id ?? '')), [])
  if (uploaded.value === null) return <ChooseFile onUploaded={(file) => (uploaded.value = file)} onClose={onClose} />
  const { id, name } = uploaded.value
  return (
    <RestoreDialog
      title={words.restoreFileTitle(name)}
      send={(body) => admin.call('post', '/admin/v1/brought-backups/{id}/restore', { path: { id }, body })}
      onClose={onClose}
    />
  )
}

interface ChooseFileProps {
  readonly onUploaded: (file: UploadedFile) => void
  readonly onClose: () => void
}

function ChooseFile({ onUploaded, onClose }: ChooseFileProps): JSX.Element {
  const field = useId()
  const file = useSignal<File | null>(null)
  const sentBytes = useSignal(0)
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const { run, busy, message } = useAction(async (chosen: File) => {
    sentBytes.value = 0
    const id = await upload(chosen, (count) => (sentBytes.value = count), abort.current.signal)
    if (id !== null) onUploaded({ id, name: chosen.name })
  })
  return (
    <Dialog title={words.uploadTitle} onClose={onClose}>
      <Form
        verb={words.upload}
        busy={busy}
        onSubmit={() => {
          if (file.value !== null) void run(file.value)
        }}
        onCancel={onClose}
      >
        <p>{words.aboutUpload}</p>
        <div class="field">
          <label for={field}>{words.file}</label>
          <input
            id={field}
            type="file"
            name="file"
            required
            disabled={busy}
            aria-describedby={`${field}-error`}
            onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0] ?? null)}
          />
          <p id={`${field}-error`} role="alert">
            {message !== null && <Sentence>{message}</Sentence>}
          </p>
        </div>
        {busy && file.value !== null && <UploadProgress sent={sentBytes.value} all={file.value.size} />}
      </Form>
    </Dialog>
  )
}

function UploadProgress({ sent, all }: { readonly sent: number; readonly all: number }): JSX.Element {
  return (
    <p class="sending">
      <progress aria-label={words.sending} max={all} value={sent} />
      <span class="hint">{words.sentBytes(bytes(sent), bytes(all))}</span>
    </p>
  )
}

/** Tries per piece; a piece without an answer is halved, because slow lines must finish a request in ten seconds. */
const TRIES_MAX = 6
const PIECE_BYTES_MIN = 8 * 1024
const RETRY_DELAY_MS = 1_000

/**
 * Uploads a backup piece by piece; `onSent` gets the number of received bytes. Resolves to its id at the gateway, or
 * null after an abort, which removes the file.
 * @throws HmError with the gateway's message; ConnectionError if it does not answer
 */
async function upload(file: File, onSent: (bytes: number) => void, abort: AbortSignal): Promise<string | null> {
  const { id, pieceBytes } = await admin.call('post', '/admin/v1/brought-backups', { body: { bytes: file.size } })
  try {
    return await sendPieces({ id, file, pieceBytes, onSent, abort })
  } catch (error) {
    // The gateway removes invalid files itself.
    if (!(error instanceof HmError && [404, 422].includes(error.status))) removeUpload(id)
    throw error
  }
}

interface Transfer {
  readonly id: string
  readonly file: File
  readonly pieceBytes: number
  readonly onSent: (bytes: number) => void
  readonly abort: AbortSignal
}

async function sendPieces({ id, file, pieceBytes, onSent, abort }: Transfer): Promise<string | null> {
  let piece = pieceBytes
  let tries = 0
  let from = 0
  while (from < file.size) {
    if (abort.aborted) return removeUpload(id)
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
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS * tries))
    }
  }
  return abort.aborted ? removeUpload(id) : id
}

/** Removes an upload; if that fails, the gateway removes it later. */
function removeUpload(id: string): null {
  admin.call('delete', '/admin/v1/brought-backups/{id}', { path: { id } }).catch(() => undefined)
  return null
}

function base64Of(piece: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    // For example after a memory card was removed.
    reader.addEventListener('error', () => reject(reader.error ?? new Error(piece.type)))
    // `data:application/octet-stream;base64,…`
    reader.addEventListener('load', () => {
      const { result } = reader
      resolve(typeof result === 'string' ? (result.split(',', 2)[1] ?? '') : '')
    })
    reader.readAsDataURL(piece)
  })
}
