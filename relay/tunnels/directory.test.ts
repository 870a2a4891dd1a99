import { expect, test } from 'vitest'
import { type HeldLine, LocalDirectory } from './directory.ts'

const line = (epoch: number, publicKey: string, more: Partial<HeldLine> = {}): HeldLine => ({
  serial: 'abcdefghjkmn',
  slot: 0,
  epoch,
  publicKey,
  node: 'here',
  isOpen: true,
  open: () => 'gone',
  replacedBy: async () => {},
  destroy: () => {},
  ...more,
})

test('of two tunnels of one slot and key the younger holds; of another key none wins by its epoch', () => {
  const directory = new LocalDirectory()
  const old = line(9_000, 'old key')
  expect([directory.add(line(8_000, 'old key')), directory.add(old)]).toEqual([true, true])
  expect([directory.add(line(8_500, 'old key')), directory.of(old.serial)]).toEqual([false, [old]])
  const replaced = line(1, 'new key')
  expect(directory.add(replaced)).toBe(true)
  expect(directory.find(old.serial)).toBe(replaced)
})

test('a tunnel that takes no further requests is found by nobody, however young it is', () => {
  const directory = new LocalDirectory()
  const [open, ending] = [line(1, 'key'), line(2, 'key', { slot: 1, isOpen: false })]
  directory.add(open)
  directory.add(ending)
  expect(directory.find(open.serial)).toBe(open)
  directory.remove(open)
  expect(directory.find(open.serial)).toBeNull()
})
