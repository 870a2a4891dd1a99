import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import type { AdminEvents } from '../admin/events.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { closeServer, serveAdmin } from '../http/admin-server.ts'
import { errorCode } from '../lib/files.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { takeSocketFolder } from '../lib/socket-places.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import type { DataFolder } from '../settings/data-folder.ts'
import { ADMIN_SOCKET } from '../settings/settings.ts'

/** Address of this gateway for administrators; null if the command line cannot reach it. */
export interface AdminSocketPlace extends AsyncDisposable {
  readonly path: string | null
}

interface Serving {
  readonly folder: DataFolder
  readonly clock: Clock
  readonly log: Log
}

/**
 * Serves administrators over the socket file in the data folder, or over one in a private folder elsewhere if the disk
 * refuses it; the command line looks there too. Without any place the home is served all the same.
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
    closeWithTimeout(opened, 'administration', () => closeServer(server), parts)
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
      log.error({ err: error }, 'The command line cannot reach this gateway: no disk here accepts its socket file.')
    else log.warn({ path }, 'The disk accepts no socket file: the command line finds it elsewhere.')
  }
  const running = opened.move()
  return { path, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Uses the first folder that can be created or is private. */
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
      // Missing places, or places without write permission, are not logged.
      if (!['ENOENT', 'EACCES', 'EROFS'].includes(errorCode(error) ?? ''))
        log.warn({ err: error, folder }, 'No socket file could be made here.')
    }
  }
  return null
}

const NAME = /^hm-gateway-[0-9a-f]{16}$/
/** Number of folders examined per place at one start. */
const LEFT_SOCKETS_MAX = 100

/**
 * Removes folders for socket files outside the data folder that killed gateways of this user left next to the gateway's
 * own `folders`: those whose socket does not answer.
 */
export async function removeLeftSockets(folders: readonly string[]): Promise<void> {
  for (const place of new Set(folders.map((folder) => dirname(folder))))
    for (const name of namesIn(place)) {
      const folder = join(place, name)
      if (folders.includes(folder) || !isOwn(folder) || !(await isDead(join(folder, ADMIN_SOCKET)))) continue
      try {
        rmSync(folder, { recursive: true, force: true })
      } catch {
        // A disk that has become read-only keeps it.
      }
    }
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
      .filter((name) => NAME.test(name))
      .slice(0, LEFT_SOCKETS_MAX)
  } catch {
    return []
  }
}

function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.()
  } catch {
    return false
  }
}

/** A missing socket may belong to a starting gateway. */
async function isDead(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}
