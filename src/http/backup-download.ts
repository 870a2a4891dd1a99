import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { BACKUP_FILE_PATH } from '../admin/contract/backups.ts'
import type { AdminCaller } from '../admin/dispatch.ts'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { Cause } from '../home/model/events.ts'
import type { Log } from '../lib/log.ts'
import { SECURITY_HEADERS, withConsoleHeaders } from './console-answers.ts'
import { send } from './reply.ts'

export interface BackupDownloads {
  /** The encrypted bytes of a backup. */
  readonly open: (name: string, cause: Cause) => Promise<AsyncIterable<Uint8Array>>
  /** Response to an error of `open`. */
  readonly refusal: (error: unknown) => Answer
}

const [PATH_START = '', PATH_END = ''] = BACKUP_FILE_PATH.split('{name}')

/** Name of the backup whose file has this path; null for every other path. */
export function backupNameIn(path: string): string | null {
  if (!path.startsWith(PATH_START) || !path.endsWith(PATH_END)) return null
  const name = path.slice(PATH_START.length, -PATH_END.length)
  return /^[\w.-]+$/.test(name) ? name : null
}

/** Streams a backup. Needs a fresh session, because a backup with its phrase gives access to the whole home. */
export async function sendBackup(
  reply: FastifyReply,
  name: string,
  { downloads, by, log }: { readonly downloads: BackupDownloads; readonly by: AdminCaller; readonly log: Log },
): Promise<void> {
  const opened = await openBackup(by, name, downloads)
  if ('status' in opened) return void send(reply, withConsoleHeaders(opened))
  reply.hijack()
  reply.raw.writeHead(200, {
    ...SECURITY_HEADERS,
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
async function openBackup(
  by: AdminCaller,
  name: string,
  downloads: BackupDownloads,
): Promise<Answer | { readonly bytes: AsyncIterable<Uint8Array> }> {
  if (!by.fresh) return refusedWith('sign_in_again')
  try {
    return { bytes: await downloads.open(name, by.cause) }
  } catch (error) {
    return downloads.refusal(error)
  }
}
