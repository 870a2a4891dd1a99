import { once } from 'node:events'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { errorCode } from '../lib/files.ts'
import { ADMIN_SOCKET } from '../settings/settings.ts'

const NAME = /^hm-gateway-[0-9a-f]{16}$/
/** Folders that are looked into at one start, in each place. */
const LEFT_SOCKETS_MAX = 100

/**
 * Removes folders for socket files outside the data folder that killed gateways of this user have left, beside the
 * gateway's own `folders`: those with a socket that nobody answers at.
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

/** A socket that is not there yet may be of a gateway that begins. */
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
