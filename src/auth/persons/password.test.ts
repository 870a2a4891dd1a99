import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { systemRandom } from '../../lib/random.ts'
import { Passwords } from './password.ts'

const PASSWORD = 'correct horse battery'

proves('console.passwords', 'a hash takes 19 MiB and two passes by default', async () => {
  const stored = await new Passwords(systemRandom).hash(PASSWORD)
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  // A hash is compared at its own cost.
  const cheap = new Passwords(systemRandom, { by: 'argon2id', memory: 8, passes: 1 })
  expect(await cheap.matches(PASSWORD, stored)).toBe(true)
  expect(await cheap.matches(`${PASSWORD}.`, stored)).toBe(false)
})

proves(
  'console.passwords',
  'without argon2 in Node, a hash takes five passes of scrypt with 16 MiB',
  { tags: ['long'] },
  async () => {
    const older = new Passwords(systemRandom, { by: 'scrypt', log2: 14, passes: 5 })
    const stored = await older.hash(PASSWORD)
    expect(stored).toMatch(/^\$scrypt\$ln=14,r=8,t=5,p=1\$/)
    // A newer Node compares it as well.
    const newer = new Passwords(systemRandom)
    expect(await newer.matches(PASSWORD, stored)).toBe(true)
    expect(await newer.matches(`${PASSWORD}.`, stored)).toBe(false)
  },
)
