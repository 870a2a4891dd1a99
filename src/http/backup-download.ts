import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { BACKUP_FILE_PATH } from '../admin/contract/backups.ts'
import type { AdminBy } from '../admin/dispatch.ts'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { Cause } from '../home/model/events.ts'
import type { Log } from '../lib/log.ts'
import { PLAIN_HEADERS, withHeaders } from './console-answers.ts'
import { send } from './reply.ts'

export interface BackupDownloads {
  /** The encrypted bytes of a backup. */
  readonly take: (name: string, cause: Cause) => Promise<AsyncIterable<Uint8Array>>
  /** Response to an error of `take`. */
  readonly failed: (error: unknown) => Answer
}

const [BEFORE = '', BEHIND = ''] = BACKUP_FILE_PATH.split('{name}')

/** Backup name in the path of its file; null for every other path. */
export function nameOfBackup(path: string): string | null {
  if (!path.startsWith(BEFORE) || !path.endsWith(BEHIND)) return null
  const name = path.slice(BEFORE.length, -BEHIND.length)
  return /^[\w.-]+$/.test(name) ? name : null
}

/** Streams a backup. Needs a fresh session, because a backup with its phrase gives access to the whole home. */
export async function sendBackup(
  reply: FastifyReply,
  name: string,
  { downloads, by, log }: { readonly downloads: BackupDownloads; readonly by: AdminBy; readonly log: Log },
): Promise<void> {
  const opened = await openedFor(by, name, downloads)
  if ('status' in opened) return void send(reply, withHeaders(opened))
  reply.hijack()
  reply.raw.writeHead(200, {
    ...PLAIN_HEADERS,
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })
  // An incomplete download ends with its connection, so it never looks complete.
  await pipeline(Readable.from(opened.bytes), reply.raw).catch((error: unknown) => {
    log.warn({ err: error, name }, 'A backup download was cut off.')
    reply.raw.destroy()
  })
}

/** The bytes, or the response with the refusal. Never throws, because no caller awaits it. */
async function openedFor(
  by: AdminBy,
  name: string,
  downloads: BackupDownloads,
): Promise<Answer | { readonly bytes: AsyncIterable<Uint8Array> }> {
  if (!by.fresh) return refusedWith('sign_in_again')
  try {
    return { bytes: await downloads.take(name, by.cause) }
  } catch (error) {
    return downloads.failed(error)
  }
}
