import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { lockDataFolder, prepareDataFolder } from './data-folder.ts'

const isRoot = process.getuid?.() === 0

test('a new or empty folder becomes the owner’s alone, and stays so once a gateway began it', () => {
  const folder = join(tempFolder(), 'data')
  mkdirSync(join(folder, '.compile-cache'), { recursive: true })
  mkdirSync(join(folder, 'lost+found'))
  chmodSync(folder, 0o755)
  using _ = lockDataFolder(prepareDataFolder(folder))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  writeFileSync(join(folder, 'core.db'), '')
  chmodSync(folder, 0o755)
  prepareDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test.each(['opening.json', 'failed-starts.json'])(
  'a folder in which a start has come no further than %s is the gateway’s own',
  (left) => {
    const folder = tempFolder()
    writeFileSync(join(folder, left), '')
    using _ = lockDataFolder(prepareDataFolder(folder))
    expect(existsSync(join(folder, 'lock'))).toBe(true)
  },
)

test('a folder that is used for other things is refused, and left as it is', () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'letter.txt'), '')
  chmodSync(folder, 0o755)
  expect(() => prepareDataFolder(folder)).toThrow(`The folder ${folder} has other files`)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})

test.skipIf(!isRoot)('a folder of another user is refused, and left as it is (needs root)', () => {
  const folder = tempFolder()
  chmodSync(folder, 0o755)
  chownSync(folder, 65_534, 65_534)
  expect(() => prepareDataFolder(folder)).toThrow(`The data folder ${folder} belongs to another user`)
  expect(statSync(folder)).toMatchObject({ uid: 65_534 })
  expect(statSync(folder).mode & 0o777).toBe(0o755)
})
