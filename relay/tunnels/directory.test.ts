import { expect, test } from 'vitest'
import { type LocalTunnel, LocalDirectory } from './directory.ts'

const tunnel = (epoch: number, publicKey: string, more: Partial<LocalTunnel> = {}): LocalTunnel => ({
  serial: 'abcdefghjkmn',
  slot: 0,
  epoch,
  publicKey,
  node: 'here',
  isOpen: true,
  open: () => 'gone',
  notifyReplaced: async () => {},
  destroy: () => {},
  ...more,
})

test('a newer tunnel replaces one of the same slot and key; a tunnel with another key is added in any case', () => {
  const directory = new LocalDirectory()
  const old = tunnel(9_000, 'old key')
  expect([directory.add(tunnel(8_000, 'old key')), directory.add(old)]).toEqual([true, true])
  expect([directory.add(tunnel(8_500, 'old key')), directory.tunnelsOf(old.serial)]).toEqual([false, [old]])
  const withNewKey = tunnel(1, 'new key')
  expect(directory.add(withNewKey)).toBe(true)
  expect(directory.find(old.serial)).toBe(withNewKey)
})

test('the directory does not return a tunnel that takes no further requests, even if it is the newest', () => {
  const directory = new LocalDirectory()
  const [open, ending] = [tunnel(1, 'key'), tunnel(2, 'key', { slot: 1, isOpen: false })]
  directory.add(open)
  directory.add(ending)
  expect(directory.find(open.serial)).toBe(open)
  directory.remove(open)
  expect(directory.find(open.serial)).toBeNull()
})
