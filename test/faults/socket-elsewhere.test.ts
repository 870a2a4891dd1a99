import { chmodSync, chownSync, linkSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { removeLeftSockets } from '../../src/gateway/admin-socket.ts'
import { isPrivate, socketFolders, takeSocketFolder } from '../../src/lib/socket-places.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

const SOMEBODY = 12_345

/** A data folder, and a private folder as the only place for its socket. */
function places() {
  const dataDir = join(tempFolder(), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const runtime = tempFolder()
  const [folder = ''] = socketFolders(dataDir, { RUNTIME_DIRECTORY: runtime })
  return { dataDir, runtime, folder }
}

describe('a folder for the socket file outside the data folder', () => {
  test('can be found from the data folder alone, through links too', () => {
    const { dataDir, runtime, folder } = places()
    const link = join(tempFolder(), 'link')
    symlinkSync(dataDir, link)
    expect(socketFolders(link, { RUNTIME_DIRECTORY: runtime })[0]).toBe(folder)
    expect(socketFolders(tempFolder(), { RUNTIME_DIRECTORY: runtime })[0]).not.toBe(folder)
    expect(socketFolders(dataDir, {})).toContain(join('/run/hm-gateway', folder.slice(runtime.length)))
  })

  test("is accepted if new or private, and refused if open, a link or another user's", () => {
    const { dataDir, folder } = places()
    takeSocketFolder(folder, dataDir)
    takeSocketFolder(folder, dataDir)
    expect(isPrivate(folder, dataDir)).toBe(true)
    chmodSync(folder, 0o710)
    expect(() => takeSocketFolder(folder, dataDir)).toThrow('or is open to others')
    const linked = join(tempFolder(), 'linked')
    symlinkSync(tempFolder(), linked)
    expect(() => takeSocketFolder(linked, dataDir)).toThrow('belongs to somebody else')
  })

  test('left by a killed gateway is removed at the next start of any gateway, a served one is not', async () => {
    const { runtime, folder } = places()
    const serving = async (name: string) => {
      const at = join(runtime, `hm-gateway-${name.repeat(16)}`)
      mkdirSync(at, { mode: 0o700 })
      const server = createServer().listen(join(at, 'admin.sock'))
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      return { at, server }
    }
    const [alive, killed] = [await serving('a'), await serving('b')]
    // A leftover socket file.
    linkSync(join(killed.at, 'admin.sock'), join(runtime, 'left'))
    killed.server.close()
    await once(killed.server, 'close')
    renameSync(join(runtime, 'left'), join(killed.at, 'admin.sock'))
    const begun = join(runtime, `hm-gateway-${'c'.repeat(16)}`)
    const other = join(runtime, 'hm-gateway-other')
    for (const made of [begun, other, folder]) mkdirSync(made, { mode: 0o700 })
    await removeLeftSockets([folder])
    expect(readdirSync(runtime).toSorted()).toEqual(
      [alive.at, begun, other, folder].map((place) => basename(place)).toSorted(),
    )
  })

  test.skipIf(process.getuid?.() !== 0)(
    "another user's folder is refused, and a gateway in it gets no request",
    async () => {
      const { dataDir, folder, runtime } = places()
      mkdirSync(folder, { mode: 0o700 })
      const urls: (string | undefined)[] = []
      const stranger = createServer(({ url }, response) => {
        urls.push(url)
        response.end('{}')
      }).listen(join(folder, 'admin.sock'))
      await once(stranger, 'listening')
      onTestFinished(() => void stranger.close())
      chownSync(folder, SOMEBODY, SOMEBODY)
      expect(() => takeSocketFolder(folder, dataDir)).toThrow('belongs to somebody else')
      process.env['RUNTIME_DIRECTORY'] = runtime
      onTestFinished(() => void delete process.env['RUNTIME_DIRECTORY'])
      expect((await hm(dataDir, 'status')).err).toContain('No gateway runs on the data folder')
      expect(urls).toEqual([])
    },
  )
})

describe.skipIf(!canMount)('on a disk that accepts no socket file (mounting a disk needs root)', () => {
  async function livedOn(disk: SmallDisk): Promise<void> {
    await (await TestGateway.open({ dataDir: disk.dataDir, settled: false })).stop()
  }

  proves('storage.socket-elsewhere', 'a gateway without any place is served, and reports that', async () => {
    const disk = new SmallDisk(64 * 2 ** 20)
    await livedOn(disk)
    disk.readOnly(true)
    const log = recordingLog()
    const foreign = join(tempFolder(), 'foreign')
    mkdirSync(foreign, { mode: 0o755 })
    await using running = await TestGateway.open({
      dataDir: disk.dataDir,
      settled: false,
      log,
      socketFolders: [foreign],
    })
    expect(running.gateway.adminSocket).toBe(null)
    expect(log.sentences('error')).toContain(
      'The command line cannot reach this gateway: no disk here accepts its socket file.',
    )
    expect((await hm(disk.dataDir, 'status')).err).toContain('can be reached. Its disk accepts no writes')
  })
})
