import { join } from 'node:path'
import { SqliteStore } from '../relay/store/sqlite-store.ts'
import { systemClock } from '../src/lib/clock.ts'
import { madeUpHome } from './made-up-home.ts'

/** Writes into a relay's new data folder that so many made-up homes are linked to an account. */
export async function linkHomes(dataDir: string, homes: number): Promise<void> {
  const store = new SqliteStore(join(dataDir, 'relay.db'), systemClock)
  for (let number = 0; number < homes; number += 1) {
    const { serial, identity } = madeUpHome(number)
    await store.create('gateways', serial, { key: identity.publicKey, accounts: ['made-up'] })
  }
  await store.close()
}
