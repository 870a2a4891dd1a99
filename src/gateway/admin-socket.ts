import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import type { AdminEvents } from '../admin/events.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { closeServer, serveAdmin } from '../http/admin-server.ts'
import { errorCode } from '../lib/files.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { takeSocketFolder } from '../lib/socket-places.ts'
import { closesInTime } from '../lib/closing.ts'
import type { DataFolder } from '../settings/data-folder.ts'
import { removeLeftSockets } from './left-sockets.ts'
import { ADMIN_SOCKET } from '../settings/settings.ts'

/** Where administrators reach this gateway; null where the command line cannot. */
export interface AdminSocketPlace extends AsyncDisposable {
  readonly path: string | null
}

interface Serving {
  readonly folder: DataFolder
  readonly clock: Clock
  readonly log: Log
}

/**
 * Serves administrators over the socket file in the data folder or, where its disk takes none, in a private folder
 * elsewhere, in which the command line looks too. Where there is neither, the home is served all the same.
 */
export async function openAdminSocket(
  parts: Serving,
  dispatcher: Pick<AdminDispatcher, 'answer'>,
  events: Pick<AdminEvents, 'watch'> | null,
): Promise<AdminSocketPlace> {
  const { folder, log } = parts
  await using opened = new AsyncDisposableStack()
  await removeLeftSockets(folder.socketFolders)
  const serve = async (path: string): Promise<string> => {
    const server = await serveAdmin(path, dispatcher, events)
    closesInTime(opened, 'administration', () => closeServer(server), parts)
    return path
  }
  let path: string | null
  try {
    path = await serve(folder.adminSocket)
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    path = await elsewhere(folder, log, async (socket) => {
      opened.defer(() => rmSync(dirname(socket), { recursive: true, force: true }))
      return serve(socket)
    })
    if (path === null)
      log.error({ err: error }, 'The command line cannot reach this gateway: no disk here takes its socket file.')
    else log.warn({ path }, 'The disk takes no socket file: the command line finds it elsewhere.')
  }
  const running = opened.move()
  return { path, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** In the first folder that can be made, or is there and nobody else's. */
async function elsewhere(
  { path, socketFolders }: DataFolder,
  log: Log,
  serve: (socket: string) => Promise<string>,
): Promise<string | null> {
  for (const folder of socketFolders) {
    try {
      takeSocketFolder(folder, path)
      return await serve(join(folder, ADMIN_SOCKET))
    } catch (error) {
      // Places that this machine does not have, or where this user may make nothing, are no news.
      if (!['ENOENT', 'EACCES', 'EROFS'].includes(errorCode(error) ?? ''))
        log.warn({ err: error, folder }, 'No socket file could be made here.')
    }
  }
  return null
}
