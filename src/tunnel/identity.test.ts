import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { lazyIdentity } from './identity.ts'

test('a key is made once; a damaged one is replaced only after its removal, and the log says so', async () => {
  const [file, log] = [join(tempFolder(), 'relay', 'identity.key'), recordingLog()]
  const identity = lazyIdentity(file, log)
  const first = await identity()
  expect(await identity()).toBe(first)
  const whole = readFileSync(file)
  expect((await lazyIdentity(file, log)())?.publicKey).toBe(first?.publicKey)
  writeFileSync(file, whole.subarray(0, 40))
  const again = lazyIdentity(file, log)
  expect([await again(), log.sentences('error')]).toEqual([null, ['The key for relays cannot be read or created.']])
  rmSync(file)
  expect((await again())?.publicKey).not.toBe(first?.publicKey)
})
