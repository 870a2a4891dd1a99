import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BROUGHT_BYTES_MAX, BROUGHT_KEPT_MS } from '../../src/gateway/backups/brought-backup.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { prepareDataFolder, readHomeId } from '../../src/gateway/data-folder.ts'
import { finishSwap } from '../../src/gateway/backups/restore-swap.ts'
import { opened, phrased } from '#support/faults/backups.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const BROUGHT = '/admin/v1/brought-backups'

/** Somebody at the console, with a file to bring. */
class Bringer {
  readonly #visitor: ConsoleVisitor
  readonly #secrets: ConsoleSecrets

  constructor(visitor: ConsoleVisitor, secrets: ConsoleSecrets) {
    this.#visitor = visitor
    this.#secrets = secrets
  }

  ask(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    return this.#visitor.as(this.#secrets, method, `${BROUGHT}${path}`, body)
  }

  async begin(bytes: number): Promise<string> {
    const begun = await this.ask('POST', '', { bytes })
    expect(begun).toMatchObject({ status: 200, body: { pieceBytes: 262_144 } })
    return (begun.body as { id: string }).id
  }

  add(id: string, from: number, piece: Buffer): Promise<RawAnswer> {
    return this.ask('PUT', `/${id}`, { from, piece: piece.toString('base64') })
  }

  /** All of it, in pieces. */
  async bring(file: Buffer, pieceBytes = 262_144): Promise<string> {
    const id = await this.begin(file.length)
    for (let from = 0; from < file.length; from += pieceBytes)
      expect(await this.add(id, from, file.subarray(from, from + pieceBytes))).toMatchObject({
        status: 200,
        body: { received: Math.min(file.length, from + pieceBytes) },
      })
    return id
  }

  look(id: string, more: object = {}): Promise<RawAnswer> {
    return this.ask('POST', `/${id}/restore`, { check: true, ...more })
  }
}

const held = (running: TestGateway): string[] =>
  readdirSync(running.dataDir).filter((name) => name.startsWith('brought-backup'))

/** A backup of a home of its own, encrypted, and its phrase. */
async function elsewhere(): Promise<{ readonly file: Buffer; readonly phrase: string; readonly gateway: string }> {
  const other = await opened(ONE_UNIT)
  const phrase = await phrased(other)
  const file = join(tempFolder(), 'home.hmb')
  await other.admin.call('POST', '/backups/write', { file, encrypted: true })
  const { serial } = other.gateway.stores
  await other.stop()
  return { file: readFileSync(file), phrase, gateway: serial }
}

const sentence = (message: RegExp, status = 422, code = 'validation') => ({
  status,
  body: { error: { code, message: expect.stringMatching(message) } },
})

proves(
  'backup.brought',
  'a backup of another machine is brought piece by piece, looked into and restored',
  async () => {
    const { file, phrase, gateway } = await elsewhere()
    const restarted = Promise.withResolvers<void>()
    const clock = new PassingClock()
    const running = await opened({ ...ONE_UNIT, clock, restart: () => restarted.resolve() })
    using visitor = new ConsoleVisitor(running)
    const anna = new Bringer(visitor, await visitor.entered())
    const id = await anna.bring(file)
    // Whoever got no answer sends a piece again; one that is ahead is not taken.
    expect(await anna.add(id, 0, file.subarray(0, 999))).toMatchObject({
      body: { received: file.length, encrypted: true },
    })
    expect(held(running)).toHaveLength(1)
    expect(await anna.look(id)).toMatchObject(sentence(/encrypted/, 422, 'phrase_needed'))
    const wrong = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    expect(await anna.look(id, { phrase: wrong })).toMatchObject(sentence(/does not open/, 422, 'wrong_phrase'))
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
    // A restore that waits for a backup is not decided for a session that ends meanwhile.
    const leaving = await visitor.entered()
    const making = running.admin.call('POST', '/backups', {})
    const waiting = new Bringer(visitor, leaving).ask('POST', `/${id}/restore`, { phrase })
    await running.admin.call('DELETE', `/sessions/${leaving.session}`)
    expect(await waiting).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
    await making
    const fresh = new Bringer(visitor, await visitor.entered())
    expect(await fresh.ask('POST', `/${id}/restore`, { phrase })).toMatchObject({
      status: 200,
      body: { restarts: true },
    })
    expect(held(running)).toEqual([])
    await running.hasten(restarted.promise)
    await running.stop()
    const folder = prepareDataFolder(running.dataDir)
    expect(await finishSwap(folder)).toBe(true)
    expect(readHomeId(folder)).toBe(gateway)
  },
)

proves(
  'backup.brought',
  'what is no backup, cut off, too large or not asked for is refused in a sentence',
  async () => {
    const clock = new PassingClock()
    const running = await opened({ ...ONE_UNIT, clock })
    using visitor = new ConsoleVisitor(running)
    const anna = new Bringer(visitor, await visitor.entered())
    const path = join(tempFolder(), 'home.hmb')
    await running.admin.call('POST', '/backups/write', { file: path, encrypted: false })
    const file = readFileSync(path)

    expect(await anna.ask('POST', '', { bytes: 0 })).toMatchObject(sentence(/not a backup/))
    expect(await anna.ask('POST', '', { bytes: BROUGHT_BYTES_MAX + 1 })).toMatchObject(
      sentence(/larger than any backup/),
    )
    const film = await anna.begin(2_000)
    expect(await anna.add(film, 0, Buffer.alloc(1_000, 'film'))).toMatchObject(sentence(/not a backup/))
    expect(held(running)).toEqual([])
    expect(await anna.add(film, 0, file.subarray(0, 999))).toMatchObject(
      sentence(/does not have this file/, 404, 'not_found'),
    )

    const half = await anna.begin(file.length)
    expect(await anna.add(half, 512, file.subarray(512, 999))).toMatchObject({ status: 200, body: { received: 0 } })
    await anna.add(half, 0, file.subarray(0, 70_000))
    expect(await anna.look(half)).toMatchObject(sentence(/not arrived as a whole/))
    expect(await anna.add(half, 70_000, Buffer.concat([file, file]).subarray(0, 262_144))).toMatchObject(
      file.length < 332_144 ? sentence(/More of this file came/) : { status: 200 },
    )
    const cut = await anna.bring(file.subarray(0, file.length - 60_000))
    expect(await anna.look(half)).toMatchObject(sentence(/does not have this file/, 404, 'not_found'))
    expect(await anna.look(cut)).toMatchObject(sentence(/ends too early/))
    const changed = Buffer.from(file)
    changed.fill(7, file.length >> 1, (file.length >> 1) + 64)
    expect(await anna.look(await anna.bring(changed))).toMatchObject(sentence(/damaged/))
    const whole = await anna.bring(file)
    expect(await anna.look(whole)).toMatchObject({ status: 200, body: { present: 'this' } })
    expect(await anna.ask('DELETE', `/${whole}`)).toMatchObject({ status: 200 })
    expect(await anna.ask('DELETE', `/${whole}`)).toMatchObject({ status: 404 })
    expect(held(running)).toEqual([])

    await anna.bring(file)
    expect(held(running)).toHaveLength(1)
    await clock.pass(BROUGHT_KEPT_MS)
    await expect.poll(() => held(running)).toEqual([])
    await new Bringer(visitor, await visitor.entered()).bring(file)
    await running.stop()
    expect(held(running)).toEqual([])
  },
)
