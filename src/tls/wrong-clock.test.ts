// @module-tag repeated
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { DAY, HOUR, pass, RELEASED, START, world } from '#support/tls-world.ts'

test('jumps of the clock never replace a certificate', async () => {
  const { open, clock, changes } = world()
  const tls = await open()
  for (let jump = 0; jump < 60; jump++) {
    clock.jumpWall(jump % 2 === 0 ? 400 * DAY : -400 * DAY)
    await pass(clock, tls, 60_000)
  }
  // Impossible times of the clock replace none either.
  for (let jump = 0; jump < 60; jump++) {
    clock.jumpWall(jump % 2 === 0 ? -clock.now() : START + 400 * DAY)
    await pass(clock, tls, 60_000)
  }
  expect(changes).toEqual([])
})

test('a certificate that is always due, because the CA ends, is replaced once an hour at most', async () => {
  const { open, clock, changes } = world()
  const tls = await open()
  clock.sleep(tls.ca.notAfter - clock.now() - HOUR)
  for (let quarter = 0; quarter < 20; quarter++) await pass(clock, tls, HOUR / 4)
  expect(changes.map(({ reason }) => reason)).toEqual(['due', 'due', 'due', 'due', 'due'])
})

test(
  'a start with a clock ahead of its certificate makes one that is valid at both times',
  { tags: ['long'] },
  async () => {
    for (const ranFor of [10 * 60_000, 30 * DAY]) {
      const at = world()
      const before = await at.open()
      await pass(at.clock, before, ranFor)
      const stoppedAt = at.clock.now()
      await before.stop()
      at.clock.jumpWall(420 * DAY)
      const tls = await at.open()
      const bridge = tls.leaf()
      const holdsByEither = (): boolean =>
        tls.leaf().notBefore < stoppedAt &&
        tls.leaf().notAfter > at.clock.now() + DAY &&
        tls.leaf().notAfter - tls.leaf().notBefore < 825 * DAY
      expect(holdsByEither()).toBe(true)
      await pass(at.clock, tls, 58 * 60_000)
      expect(tls.leaf()).toEqual(bridge)
      at.addresses = ['10.5.5.5']
      await tls.checkAddresses()
      expect(tls.leaf().names).toContain('10.5.5.5')
      expect(holdsByEither()).toBe(true)
      at.clock.jumpWall(-420 * DAY)
      await pass(at.clock, tls, 60_000)
      const { notBefore, notAfter } = tls.leaf()
      expect(notAfter - notBefore).toBeLessThan(397 * DAY)
      expect(at.clock.now()).toBeGreaterThan(notBefore)
      expect(at.clock.now()).toBeLessThan(notAfter)
      await pass(at.clock, tls, 2 * HOUR)
      expect(tls.leaf()).toMatchObject({ notBefore, notAfter })
      await tls.stop()
    }
  },
)

test('a gateway that was off for more than a year shows a valid certificate at once, and an ordinary one an hour later', async () => {
  const at = world()
  const before = await at.open()
  await pass(at.clock, before, HOUR)
  await before.stop()
  at.clock.jumpWall(600 * DAY)
  const tls = await at.open()
  expect(tls.leaf().notAfter).toBeGreaterThan(at.clock.now() + DAY)
  expect(tls.leaf().notBefore).toBeLessThan(START)
  await pass(at.clock, tls, 62 * 60_000)
  expect(tls.leaf().notBefore).toBeGreaterThan(at.clock.now() - 49 * HOUR)
  expect(tls.leaf().notAfter - tls.leaf().notBefore).toBeLessThan(397 * DAY)
})

test('a start with a clock too far ahead for any certificate keeps the present one', async () => {
  const at = world()
  const before = await at.open()
  await pass(at.clock, before, HOUR)
  await before.stop()
  at.clock.jumpWall(830 * DAY)
  const tls = await at.open()
  await pass(at.clock, tls, 58 * 60_000)
  expect(tls.leaf()).toEqual(before.leaf())
})

test(
  'a board without a battery keeps its certificate if a wrong time server sets it ahead',
  { tags: ['long'] },
  async () => {
    const at = world()
    const before = await at.open()
    await pass(at.clock, before, 30 * DAY)
    await before.stop()
    at.clock.jumpWall(-at.clock.now())
    const tls = await at.open()
    await pass(at.clock, tls, 60_000)
    at.clock.jumpWall(START + 800 * DAY)
    await pass(at.clock, tls, 10 * 60_000)
    expect(tls.leaf()).toEqual(before.leaf())
  },
)

test('a clock that was set ahead is believed after an hour, or when an administrator says so', async () => {
  const { open, clock, changes, log } = world()
  const tls = await open()
  const first = tls.leaf()
  await pass(clock, tls, 3 * HOUR)
  clock.jumpWall(400 * DAY)
  await pass(clock, tls, 58 * 60_000)
  expect(tls.leaf()).toEqual(first)
  expect(log.sentences('warn')).toEqual([expect.stringContaining('The clock was set ahead')])
  await pass(clock, tls, 4 * 60_000)
  expect(changes.map(({ reason }) => reason)).toEqual(['due'])
  expect(tls.leaf().notBefore).toBeGreaterThan(START + 390 * DAY)
  clock.jumpWall(400 * DAY)
  await pass(clock, tls, 60_000)
  await tls.renew('asked')
  expect(tls.leaf().notBefore).toBe(clock.now() - 48 * HOUR)
})

test('a new address while the clock is ahead gets a certificate that is also valid at the right time', async () => {
  const at = world()
  const tls = await at.open()
  at.clock.jumpWall(730 * DAY)
  at.addresses = ['10.3.3.3']
  await tls.checkAddresses()
  expect(tls.leaf().names).toContain('10.3.3.3')
  expect(tls.leaf().notBefore).toBe(START - 48 * HOUR)
})

test('sleep of the machine is no clock jump', async () => {
  const { open, clock, changes, log } = world()
  const tls = await open()
  clock.sleep(400 * DAY)
  await pass(clock, tls, 60_000)
  expect(changes.map(({ reason }) => reason)).toEqual(['due'])
  expect(log.sentences('warn')).toEqual([])
})

test('with a clock at 1970 no certificate is dated before the release', async () => {
  const at = world(0)
  const tls = await at.open()
  expect(tls.leaf().notBefore).toBe(RELEASED - 48 * HOUR)
  expect(at.log.sentences('warn')).toHaveLength(1)
  at.addresses = ['10.0.0.9']
  await tls.checkAddresses()
  expect(tls.leaf().notBefore).toBe(RELEASED - 48 * HOUR)
  // The time server answers: the CA and the leaf are valid all the same, and renewed in time.
  at.clock.jumpWall(START - at.clock.now())
  await pass(at.clock, tls, 60_000)
  expect(tls.leaf().notBefore).toBeLessThanOrEqual(START)
  expect(tls.leaf().notAfter).toBeGreaterThan(START)
})

test('with a clock at 1970 after a restart, the last time seen is the floor', { tags: ['long'] }, async () => {
  const at = world()
  const before = await at.open()
  await pass(at.clock, before, times(20, 100) * DAY)
  await before.stop()
  const seen = at.clock.now()
  const leaf = before.leaf()
  at.clock.jumpWall(-at.clock.now())
  const tls = await at.open()
  expect(tls.leaf()).toEqual(leaf)
  at.addresses = ['10.0.0.9']
  await tls.checkAddresses()
  expect(Math.abs(tls.leaf().notBefore - (seen - 48 * HOUR))).toBeLessThanOrEqual(2 * HOUR)
})

test('the leaf is right again after the clock was two years ahead for a while', async () => {
  const { open, clock } = world()
  clock.jumpWall(730 * DAY)
  const tls = await open()
  await pass(clock, tls, 10 * 60_000)
  expect(tls.leaf().notBefore).toBeGreaterThan(START + 700 * DAY)
  clock.jumpWall(-730 * DAY)
  await pass(clock, tls, 60_000)
  expect(tls.leaf().notBefore).toBeLessThan(clock.now())
  expect(tls.leaf().notAfter).toBeGreaterThan(clock.now())
  expect(Date.parse(validFrom(tls.ca.pem))).toBeLessThan(clock.now())
})

test('a clock that was ahead for days stays the floor until an administrator renews', async () => {
  const { open, clock, log } = world()
  clock.jumpWall(730 * DAY)
  const tls = await open()
  await pass(clock, tls, 3 * DAY)
  clock.jumpWall(-730 * DAY)
  await pass(clock, tls, 2 * HOUR)
  expect(tls.leaf().notBefore).toBeGreaterThan(START + 700 * DAY)
  expect(log.sentences('warn').join()).toContain('If the clock is right, run `bin/hm tls renew`')
  await tls.renew('asked')
  expect(tls.leaf().notBefore).toBe(clock.now() - 48 * HOUR)
  await tls.stop()
  expect((await open()).leaf()).toEqual(tls.leaf())
})

test('a damaged or absurd clock file is ignored', async () => {
  for (const text of ['', 'x', '{"lastSeen":99999999999999}\n', '{"lastSeen":-5}\n', '{"lastSeen":1}\n']) {
    const at = world()
    await (await at.open()).stop()
    writeFileSync(join(at.dir, 'clock.json'), text)
    at.addresses = ['10.9.9.9']
    expect((await at.open()).leaf().notBefore).toBe(at.clock.now() - 48 * HOUR)
  }
})

test('the last time seen is stored about once an hour', async () => {
  const { open, clock, dir } = world()
  const tls = await open()
  await pass(clock, tls, 3 * HOUR)
  const seen = (): { lastSeen: number } =>
    JSON.parse(readFileSync(join(dir, 'clock.json'), 'utf8')) as { lastSeen: number }
  const known = seen().lastSeen
  // The half hour begins when a time was just stored.
  for (let minutes = 0; minutes < 70 && seen().lastSeen === known; minutes += 1) await pass(clock, tls, 60_000)
  expect(seen().lastSeen).toBeGreaterThan(known)
  const first = readFileSync(join(dir, 'clock.json'), 'utf8')
  await pass(clock, tls, HOUR / 2)
  expect(readFileSync(join(dir, 'clock.json'), 'utf8')).toBe(first)
})

function validFrom(pem: string): string {
  return new X509Certificate(pem).validFrom
}
