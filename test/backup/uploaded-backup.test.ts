import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { UPLOAD_BYTES_MAX, UPLOAD_IDLE_MS } from '../../src/backup/restoring/uploaded-backup.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { prepareDataFolder, readHomeId } from '../../src/settings/data-folder.ts'
import { finishSwap } from '../../src/backup/restoring/restore-swap.ts'
import { openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { BackupUploader, uploadedFiles, refusalMatching } from '#support/faults/backup-uploader.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

/** An encrypted backup of another home, and its phrase. */
async function foreignBackup(): Promise<{ readonly file: Buffer; readonly phrase: string; readonly gateway: string }> {
  const other = await openedGateway(ONE_UNIT)
  const phrase = await setRecoveryPhrase(other)
  const file = join(tempFolder(), 'home.hmb')
  await other.admin.call('POST', '/backups/write', { file, encrypted: true })
  const { serial } = other.gateway.stores
  await other.stop()
  return { file: readFileSync(file), phrase, gateway: serial }
}

proves(
  'backup.brought',
  'a backup of another machine is uploaded piece by piece, checked and restored',
  { tags: ['long'] },
  async () => {
    const { file, phrase, gateway } = await foreignBackup()
    const restarted = Promise.withResolvers<void>()
    const clock = new PassingClock()
    const running = await openedGateway({ ...ONE_UNIT, clock, restart: () => restarted.resolve() })
    using visitor = new ConsoleVisitor(running)
    const anna = new BackupUploader(visitor, await visitor.signInByLink())
    const id = await anna.upload(file)
    // A repeated piece changes nothing.
    expect(await anna.add(id, 0, file.subarray(0, 999))).toMatchObject({
      body: { received: file.length, encrypted: true },
    })
    expect(uploadedFiles(running)).toHaveLength(1)
    expect(await anna.look(id)).toMatchObject(refusalMatching(/encrypted/, 422, 'phrase_needed'))
    const wrong = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    expect(await anna.look(id, { phrase: wrong })).toMatchObject(refusalMatching(/does not open/, 422, 'wrong_phrase'))
    expect(await anna.look(id, { phrase })).toMatchObject({
      status: 200,
      body: {
        present: 'another',
        restarts: false,
        contents: { gateway },
        aside: expect.stringMatching(/^before-restore-/),
      },
    })
    await clock.pass(FRESH_MS)
    const stale = { status: 403, body: { error: { code: 'sign_in_again' } } }
    expect(await anna.ask('POST', `/${id}/restore`, { phrase })).toMatchObject(stale)
    expect(await anna.ask('POST', '', { bytes: 9 })).toMatchObject(stale)
    // A restore that waits for a running backup is not decided if its session ends meanwhile.
    const leaving = await visitor.signInByLink()
    const making = running.admin.call('POST', '/backups', {})
    const waiting = new BackupUploader(visitor, leaving).ask('POST', `/${id}/restore`, { phrase })
    await running.admin.call('DELETE', `/sessions/${leaving.session}`)
    expect(await waiting).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
    await making
    const fresh = new BackupUploader(visitor, await visitor.signInByLink())
    expect(await fresh.ask('POST', `/${id}/restore`, { phrase })).toMatchObject({
      status: 200,
      body: { restarts: true },
    })
    expect(uploadedFiles(running)).toEqual([])
    await running.hasten(restarted.promise)
    await running.stop()
    const folder = prepareDataFolder(running.dataDir)
    expect(await finishSwap(folder)).toBe(true)
    expect(readHomeId(folder)).toBe(gateway)
  },
)

proves(
  'backup.brought',
  'a file that is no backup, incomplete, too large or not announced is refused with a reason',
  async () => {
    const clock = new PassingClock()
    const running = await openedGateway({ ...ONE_UNIT, clock })
    using visitor = new ConsoleVisitor(running)
    const anna = new BackupUploader(visitor, await visitor.signInByLink())
    const path = join(tempFolder(), 'home.hmb')
    await running.admin.call('POST', '/backups/write', { file: path, encrypted: false })
    const file = readFileSync(path)

    expect(await anna.ask('POST', '', { bytes: 0 })).toMatchObject(refusalMatching(/not a backup/))
    expect(await anna.ask('POST', '', { bytes: UPLOAD_BYTES_MAX + 1 })).toMatchObject(
      refusalMatching(/larger than any backup/),
    )
    const film = await anna.begin(2_000)
    expect(await anna.add(film, 0, Buffer.alloc(1_000, 'film'))).toMatchObject(refusalMatching(/not a backup/))
    expect(uploadedFiles(running)).toEqual([])
    expect(await anna.add(film, 0, file.subarray(0, 999))).toMatchObject(
      refusalMatching(/no longer has this file/, 404, 'not_found'),
    )

    // The first piece may be too small to tell the kind of the file.
    const songs = await anna.begin(2_000)
    expect(await anna.add(songs, 0, Buffer.alloc(500, 'song'))).toMatchObject({ body: { encrypted: null } })
    expect(await anna.add(songs, 500, Buffer.alloc(500, 'song'))).toMatchObject(refusalMatching(/not a backup/))
    const crumbs = await anna.begin(file.length)
    for (let from = 0; from < 600; from += 7) await anna.add(crumbs, from, file.subarray(from, from + 7))
    expect(await anna.add(crumbs, 602, file.subarray(602, 200_000))).toMatchObject({
      status: 200,
      body: { received: 200_000, encrypted: false },
    })
    // A refused upload replaces none.
    expect(await anna.ask('POST', '', { bytes: 0 })).toMatchObject({ status: 422 })
    expect(await anna.ask('POST', '', { bytes: UPLOAD_BYTES_MAX + 1 })).toMatchObject({ status: 422 })
    expect(await anna.add(crumbs, 200_000, file.subarray(200_000))).toMatchObject({
      body: { received: file.length },
    })

    const half = await anna.begin(file.length)
    expect(await anna.add(half, 512, file.subarray(512, 999))).toMatchObject({ status: 200, body: { received: 0 } })
    await anna.add(half, 0, file.subarray(0, 70_000))
    expect(await anna.look(half)).toMatchObject(refusalMatching(/not arrived completely/))
    // An upload of another tab replaces the first one, whose pieces are refused.
    const [second, third] = await Promise.all([anna.begin(file.length), anna.begin(file.length)])
    expect(uploadedFiles(running)).toHaveLength(1)
    const answers = await Promise.all([half, second, third].map((id) => anna.add(id, 0, file.subarray(0, 70_000))))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404])
    // After the end of its session, an upload takes no more pieces.
    const leaving = await visitor.signInByLink()
    const ben = new BackupUploader(visitor, leaving)
    const upload = await ben.begin(file.length)
    await ben.add(upload, 0, file.subarray(0, 70_000))
    await running.admin.call('DELETE', `/sessions/${leaving.session}`)
    expect(await ben.add(upload, 70_000, file.subarray(70_000))).toMatchObject({ status: 401 })
    expect(await ben.look(upload)).toMatchObject({ status: 401 })
    const long = await anna.begin(70_001)
    await anna.add(long, 0, file.subarray(0, 70_000))
    expect(await anna.add(long, 70_000, file.subarray(70_000, 70_002))).toMatchObject(
      refusalMatching(/has grown since the upload began/),
    )
    const cut = await anna.upload(file.subarray(0, file.length - 60_000))
    expect(await anna.look(long)).toMatchObject(refusalMatching(/no longer has this file/, 404, 'not_found'))
    expect(await anna.look(cut)).toMatchObject(refusalMatching(/ends too early/))
    const changed = Buffer.from(file)
    changed.fill(7, file.length >> 1, (file.length >> 1) + 64)
    expect(await anna.look(await anna.upload(changed))).toMatchObject(refusalMatching(/damaged/))
    const whole = await anna.upload(file)
    expect(await anna.look(whole)).toMatchObject({ status: 200, body: { present: 'this' } })
    expect(await anna.ask('DELETE', `/${whole}`)).toMatchObject({ status: 200 })
    expect(await anna.ask('DELETE', `/${whole}`)).toMatchObject({ status: 404 })
    expect(uploadedFiles(running)).toEqual([])

    await anna.upload(file)
    expect(uploadedFiles(running)).toHaveLength(1)
    await clock.pass(UPLOAD_IDLE_MS)
    await expect.poll(() => uploadedFiles(running)).toEqual([])
    await new BackupUploader(visitor, await visitor.signInByLink()).upload(file)
    await running.stop()
    expect(uploadedFiles(running)).toEqual([])
  },
)
