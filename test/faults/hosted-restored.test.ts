import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { HostedPair } from '../../src/auth/hosted/hosted-tokens.ts'
import { openAccess } from '../../src/gateway/access.ts'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import type { GatewayOptions } from '../../src/gateway/options.ts'
import { openStores } from '../../src/gateway/stores.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ANNA } from '#support/homes/access-home.ts'
import { CLAUDE, linkOf, pkce, valueOf, accessRequest } from '#support/homes/hosted-agents.ts'
import { homeInfo } from '#support/homes/house-content.ts'
import { tempFolder } from '#support/temp-folder.ts'

type Options = Pick<GatewayOptions, 'folder' | 'clock' | 'random' | 'log' | 'newHome' | 'settings'>

/** The stores of a data folder and access over them, as in a gateway. */
async function opened(options: Options) {
  const stores = await openStores(options as GatewayOptions)
  const access = openAccess(options as GatewayOptions, stores)
  const connect = (name: string): HostedPair => {
    const { verifier, challenge } = pkce()
    const { request, code } = valueOf(access.hosted.ask(accessRequest({ name, challenge })))
    valueOf(access.pairing.accept(code, { kind: 'agent' }, ANNA))
    return valueOf(access.hosted.redeem({ request, verifier, client: CLAUDE }))
  }
  return {
    stores,
    access,
    connect,
    refresh: ({ refresh }: HostedPair) => access.hosted.refresh({ refresh, client: CLAUDE }),
    works: ({ access: token }: HostedPair) => access.authenticator.check(token, 'cloud', 'mcp').ok,
    stop: async () => {
      access[Symbol.dispose]()
      await stores[Symbol.asyncDispose]()
    },
  }
}

proves(
  'agents.hosted-restored',
  'revocations and token reuse after the copy survive its restore; the other tokens work',
  async () => {
    const path = join(tempFolder(), 'data')
    const empty = { info: homeInfo(), floors: [], rooms: [], units: [], scenes: [], groups: [] }
    const options = {
      folder: prepareDataFolder(path),
      clock: new ManualClock(),
      random: systemRandom,
      log: silentLog,
      newHome: { house: () => empty, rules: () => ({ automations: [], schedules: [] }), integration: null, past: null },
      settings: { dataDir: path } as GatewayOptions['settings'],
    }
    const before = await opened(options)
    const agents = { name: 'Agents', exposure: { expose: 'All' }, knobs: { agent_access: 'on' } } as const
    valueOf(before.access.integrations.create(agents, ANNA))
    const [revoked, reused, untouched] = [before.connect('Revoked'), before.connect('Reused'), before.connect('Kept')]
    await before.stores.core.backup(join(options.folder.backups, 'core-900000-2099-01-01T00-00-00.000Z.db'))
    const credential = before.access.credentials.get(linkOf(revoked.access))
    if (credential) before.access.credentials.revoke(credential, ANNA)
    before.refresh(reused)
    options.clock.advance(3 * 60_000)
    expect(before.refresh(reused).ok).toBe(false)
    await before.stop()
    writeFileSync(options.folder.coreDb, '')

    const after = await opened(options)
    expect([revoked, reused, untouched].map((agent) => after.works(agent))).toEqual([false, false, true])
    expect([revoked, reused, untouched].map((agent) => after.refresh(agent).ok)).toEqual([false, false, true])
    expect(after.access.credentials.list().map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual(
      expect.arrayContaining([
        ['Revoked', true],
        ['Reused', true],
        ['Kept', false],
      ]),
    )
    await after.stop()
  },
)
