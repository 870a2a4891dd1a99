import assert from 'node:assert/strict'
import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'
import { HttpCaller } from '#support/gateway/callers.ts'
import { Container } from './container.ts'
import { type Bench, Volume } from './trials.ts'

const FILE = '/backup/home.hmb'

/**
 * Makes a backup on a separate volume and restores it into an empty one, in containers as in docs/backup.md. The CA and
 * the key stay valid.
 */
export async function triesBackup({ image, folder, say }: Bench, volume: Volume, token: string): Promise<void> {
  const port = await freePort()
  const env = { HM_PORT: String(port) }
  await using backup = await Volume.make(join(folder, 'backup'))
  {
    await using box = await Container.start(image, { volume: volume.path, backup: backup.path, env })
    await assert.rejects(box.exec('hm', 'backup', '--to', '/etc/home.hmb'), /the disk is read-only/)
    assert.match(await box.exec('hm', 'backup', '--to', FILE), /opened and checked/)
    assert.equal((await box.stop()).code, 0)
  }
  await using empty = await Volume.make(join(folder, 'empty'))
  const restored = { volume: empty.path, backup: backup.path, env }
  const hm = (...words: readonly string[]): Promise<string> =>
    Container.run(image, { ...restored, command: ['hm', ...words] })
  assert.match(await hm('backup', 'check', FILE), /is complete/)
  assert.match(await hm('restore', FILE, '--check'), /^It holds: /m)
  assert.match(await hm('restore', FILE), /^Restored: /m)
  await assert.rejects(hm('rollback'), /there is nothing to roll back/)
  await using box = await Container.start(image, restored)
  await using http = new HttpCaller({ url: `https://127.0.0.1:${port}`, ca: volume.ca, token })
  assert.equal((await http.call({ method: 'GET', path: '/v1/house' })).status, 200)
  assert.equal((await box.stop()).code, 0)
  say('ok   a backup to another volume, restored into an empty one: the same key is accepted, with the same CA')
}
