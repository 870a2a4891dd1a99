import { ConnectionError, HmError } from '@hm-gateway/client/src/browser.ts'
import { admin } from './session.ts'

/** A piece that got no answer is sent again, smaller: a request has ten seconds, also on a slow line. */
const TRIES_MAX = 6
const PIECE_BYTES_MIN = 8 * 1024
const AGAIN_AFTER_MS = 1_000

/**
 * Brings a backup to the gateway piece by piece; `onSent` is told how many of its bytes are there. Answers what
 * it is called there; null where `over` said so, and nothing is left there then.
 * @throws HmError, the gateway's sentence; ConnectionError where it answers no more
 */
export async function bring(file: File, onSent: (bytes: number) => void, over: AbortSignal): Promise<string | null> {
  const { id, pieceBytes } = await admin.call('post', '/admin/v1/brought-backups', { body: { bytes: file.size } })
  try {
    return await sent({ id, file, pieceBytes, onSent, over })
  } catch (error) {
    // What is no backup the gateway has let go by itself.
    if (!(error instanceof HmError && [404, 422].includes(error.status))) letGo(id)
    throw error
  }
}

interface Sending {
  readonly id: string
  readonly file: File
  readonly pieceBytes: number
  readonly onSent: (bytes: number) => void
  readonly over: AbortSignal
}

async function sent({ id, file, pieceBytes, onSent, over }: Sending): Promise<string | null> {
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
export function letGo(id: string): null {
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
