import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { DAY, HOUR, pass, START, world } from '#support/tls-world.ts'
import { LEAF_LIFE_MS, renewalReason, renewAt } from './leaf.ts'
import { openTls } from './tls.ts'

test('a leaf names the host, loopback and the addresses, begins 48 h back and lasts 397 days at most', async () => {
  const { open, addresses } = world()
  addresses.push('fd00:0:0::2', 'fe80::1%eth0', 'not an address')
  const tls = await open()
  const leaf = tls.leaf()
  expect(leaf.names).toEqual([
    'hm-ab12.local',
    'hm-ab12',
    'localhost',
    '127.0.0.1',
    '::1',
    '192.168.1.20',
    'fd00::2',
    'fe80::1',
  ])
  expect(leaf.notBefore).toBe(START - 48 * HOUR)
  expect(leaf.notAfter - leaf.notBefore).toBe(LEAF_LIFE_MS)
  expect(LEAF_LIFE_MS).toBeLessThan(397 * DAY)
  expect(tls.ca.notAfter).toBe(START + 7305 * DAY)
})

test('a leaf is renewed when a third of its life is left, once, and is the same after a restart', async () => {
  const { open, clock, changes } = world()
  const tls = await open()
  const first = tls.leaf()
  clock.sleep(renewAt(first) - START - 2 * 60_000)
  await pass(clock, tls, 60_000)
  expect(tls.leaf()).toEqual(first)
  await pass(clock, tls, 2 * 60_000)
  expect(changes.map((change) => change.reason)).toEqual(['due'])
  const second = tls.leaf()
  expect(second.notBefore).toBeGreaterThan(first.notBefore)
  await pass(clock, tls, HOUR)
  expect(tls.leaf()).toEqual(second)
  await tls.stop()
  expect((await open()).leaf()).toEqual(second)
})

test('property: a leaf is replaced exactly from the time that a third of its life is left', () => {
  assert(
    property(
      integer({ min: 0, max: LEAF_LIFE_MS }),
      integer({ min: START, max: START + 1000 * DAY }),
      (age, notBefore) => {
        const leaf = { notBefore, notAfter: notBefore + LEAF_LIFE_MS, names: ['a'] }
        expect(renewalReason(leaf, ['a'], notBefore + age)).toBe(
          3 * (LEAF_LIFE_MS - age) <= LEAF_LIFE_MS ? 'due' : null,
        )
        expect(renewalReason(leaf, ['a', 'b'], notBefore + age)).toBe('names')
        expect(renewalReason(leaf, ['a'], notBefore - 1 - age)).toBe('not_yet')
      },
    ),
  )
})

test('a gateway that was off for three years shows a valid leaf after an hour, or when an administrator says so', async () => {
  for (const mend of ['an hour', 'asked']) {
    const { open, clock, log } = world()
    const before = await open()
    await before.stop()
    clock.jumpWall(1095 * DAY)
    const tls = await open()
    expect(tls.leaf()).toEqual(before.leaf())
    expect(log.sentences('warn')).toEqual([expect.stringContaining('or this program was off for long')])
    if (mend === 'asked') await tls.renew(mend)
    else await pass(clock, tls, HOUR + 60_000)
    expect(clock.now() - tls.leaf().notBefore).toBeLessThan(48 * HOUR + 2 * 60_000)
    expect(tls.ca.fingerprint).toBe(before.ca.fingerprint)
  }
})

test('a gateway that was off for ten months keeps its leaf, names new addresses at once, and renews it after an hour', async () => {
  const at = world()
  await (await at.open()).stop()
  at.clock.jumpWall(300 * DAY)
  at.addresses = ['10.4.4.4']
  const tls = await at.open()
  expect(tls.leaf().names).toContain('10.4.4.4')
  expect(tls.leaf().notAfter).toBeGreaterThan(at.clock.now())
  await pass(at.clock, tls, HOUR + 60_000)
  expect(tls.leaf().notBefore).toBeGreaterThan(at.clock.now() - 49 * HOUR)
})

test('an address change re-issues at once, however often; the same addresses in another order do not', async () => {
  const at = world()
  const tls = await at.open()
  for (const addresses of [['192.168.1.21'], ['192.168.1.22', 'fd00::5'], []]) {
    at.addresses = addresses
    await tls.checkAddresses()
    expect(tls.leaf().names.slice(5)).toEqual(addresses)
  }
  expect(at.changes.map((change) => change.reason)).toEqual(['names', 'names', 'names'])
  at.addresses = ['fd00::5', '10.0.0.1']
  await tls.checkAddresses()
  at.addresses = ['10.0.0.1', 'FD00:0::5']
  await tls.checkAddresses()
  expect(at.changes).toHaveLength(4)
})

test('addresses that changed while the gateway was off are in the leaf after the start', async () => {
  const at = world()
  await (await at.open()).stop()
  at.addresses = ['10.1.1.1']
  expect((await at.open()).leaf().names).toContain('10.1.1.1')
})

test('a leaf that cannot be stored is used nevertheless, reported once, and stored later', async () => {
  const at = world()
  const tls = await at.open()
  // A folder in place of the first file fails the write like a full disk, also for root.
  mkdirSync(join(at.dir, 'leaf.pem.new', 'x'), { recursive: true })
  at.addresses = ['10.2.2.2']
  await tls.checkAddresses()
  await pass(at.clock, tls, 5 * 60_000)
  expect(tls.leaf().names).toContain('10.2.2.2')
  expect(at.log.sentences('error')).toEqual(['The new certificate could not be stored; it is in use all the same.'])
  rmSync(join(at.dir, 'leaf.pem.new'), { recursive: true })
  await pass(at.clock, tls, 60_000)
  await tls.stop()
  expect((await at.open()).leaf()).toEqual(tls.leaf())
})

test('a new CA replaces the old one and its leaf, and is the same after a restart', async () => {
  const at = world()
  const tls = await at.open()
  const old = tls.ca
  const made = await tls.regenerateCa()
  expect(made.fingerprint).not.toBe(old.fingerprint)
  expect(at.changes).toMatchObject([{ reason: 'ca', caFingerprint: made.fingerprint }])
  await tls.stop()
  const again = await at.open()
  expect(again.ca).toEqual(made)
  expect(again.leaf()).toEqual(tls.leaf())
  expect(readFileSync(made.file, 'utf8')).toBe(made.pem)
})

test('a new CA that was stored without its leaf (power cut) is completed at the next start', async () => {
  const at = world()
  const tls = await at.open()
  const oldLeaf = readFileSync(join(at.dir, 'leaf.pem'))
  const oldCopy = readFileSync(join(at.dir, 'ca.pem'))
  const made = await tls.regenerateCa()
  await tls.stop()
  writeFileSync(join(at.dir, 'leaf.pem'), oldLeaf)
  writeFileSync(join(at.dir, 'ca.pem'), oldCopy)
  const again = await at.open()
  expect(again.ca).toEqual(made)
  expect(readFileSync(join(at.dir, 'ca.pem'), 'utf8')).toBe(made.pem)
})

test('simultaneous changes happen one after the other', async () => {
  const at = world()
  const tls = await at.open()
  const [a, ca, b] = await Promise.all([tls.renew('a'), tls.regenerateCa(), tls.renew('b')])
  expect(at.changes.map((change) => change.reason)).toEqual(['a', 'ca', 'b'])
  expect(a.fingerprint).not.toBe(b.fingerprint)
  expect(tls.leaf()).toEqual(b)
  expect(tls.ca).toEqual(ca)
})

test('a change is not made if its session has ended before its turn', async () => {
  const at = world()
  const tls = await at.open()
  const [leaf, ca] = [tls.leaf(), tls.ca]
  const refuse = (): never => {
    throw new Error('The session has ended.')
  }
  await expect(tls.renew('a', refuse)).rejects.toThrow('The session has ended.')
  await expect(tls.regenerateCa(refuse)).rejects.toThrow('The session has ended.')
  expect([tls.leaf(), tls.ca, at.changes]).toEqual([leaf, ca, []])
  expect((await tls.renew('b')).fingerprint).not.toBe(leaf.fingerprint)
})

test('a serial that cannot be part of a host name is refused', async () => {
  for (const serial of ['', 'a.b', 'a b', '../x']) {
    await expect(openTls({ ...world(), serial, addresses: () => [], random: systemRandom })).rejects.toThrow(
      'cannot be part of a host name',
    )
  }
})
