import { describe, expect, onTestFinished, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { type Account, HOMES_PER_ACCOUNT_MAX } from '../accounts/account.ts'
import { Accounts } from '../accounts/accounts.ts'
import { Passwords } from '../accounts/passwords.ts'
import { SqliteStore } from '../store/sqlite-store.ts'
import { TABLES } from '../store/store.ts'
import { ACCOUNTS_OF_HOME_MAX } from '@hm-gateway/wire/relay-messages.ts'
import { Enrolment, type LinkChange } from './enrolment.ts'

const HOME = 'abcdefghjkmn'
const [KEY, OTHER_KEY] = ['key-one', 'key-two']
const PASSWORD = 'correct horse battery'

async function world() {
  const clock = new ManualClock()
  const store = new SqliteStore(':memory:', clock)
  onTestFinished(() => store.close())
  const parts = { store, clock, random: systemRandom }
  const accounts = new Accounts({ ...parts, passwords: new Passwords(systemRandom, 4), signUp: 'open' })
  const changes: LinkChange[] = []
  const connected = new Set<string>()
  const enrolment = new Enrolment({
    ...parts,
    accounts,
    origin: 'https://relay.example',
    isConnected: async (serial) => connected.has(serial),
    linkChanged: async (change) => void changes.push(change),
  })
  let made = 0
  /** Signs up an account from an address of its own. */
  const account = async (name: string): Promise<Account> => {
    const peer = `10.0.${(made += 1) >> 8}.${made & 255}`
    const form = { email: `${name}@example.org`, password: PASSWORD, invite: '' }
    const signedUp = await accounts.signUp(form, { peer })
    if (!signedUp.ok) throw new Error(signedUp.error.kind)
    return signedUp.value.account
  }
  const link = async ({ id }: Account, serial = HOME, key = KEY, password: string | null = null) => {
    const { code } = await enrolment.begin(serial, key)
    return enrolment.confirm(code, (await accounts.get(id))!, `peer of ${id} ${serial}`, password)
  }
  return { clock, store, accounts, enrolment, changes, connected, account, link }
}

describe('linking a gateway to an account', () => {
  test('a code, typed in any way, shows the serial; its confirmation links once and is reported', async () => {
    const { accounts, enrolment, changes, account } = await world()
    const olga = await account('olga')
    const { code, url, expiresAt } = await enrolment.begin(HOME, KEY)
    expect(code).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
    expect(url).toBe('https://relay.example/link')
    expect(expiresAt).toBe(Date.UTC(2027, 0, 1) + TABLES.links)
    expect(await enrolment.standing(HOME, KEY)).toBe('unlinked')
    const typed = ` ${code.toLowerCase().replace('-', ' ')}`
    expect(await enrolment.look(typed, olga, '10.9.9.9')).toEqual({
      ok: true,
      value: { serial: HOME, replaces: false },
    })
    expect(await enrolment.confirm(typed, olga, '10.9.9.9')).toEqual({ ok: true, value: HOME })
    expect(await enrolment.standing(HOME, KEY)).toBe('linked')
    expect(changes).toEqual([{ kind: 'linked', gateway: HOME, account: 'olga@example.org' }])
    expect(await enrolment.homesOf((await accounts.get(olga.id))!)).toEqual([HOME])
    // A repeated confirmation succeeds and changes nothing.
    expect(await enrolment.confirm(code, olga, '10.9.9.9')).toEqual({ ok: true, value: HOME })
    expect(changes).toHaveLength(1)
    const unknown = { ok: false, error: { kind: 'unknown_code' } }
    const tom = await account('tom')
    expect(await enrolment.confirm(code, tom, '10.9.9.8')).toEqual(unknown)
    await enrolment.unlink(HOME, olga)
    expect(await enrolment.confirm(code, olga, '10.9.9.7')).toEqual(unknown)
    expect(await enrolment.standing(HOME, KEY)).toBe('unlinked')
  })

  test('a code that two accounts confirm twice at the same time links one of them, once', async () => {
    const { enrolment, account } = await world()
    const [olga, tom] = [await account('olga'), await account('tom')]
    const { code } = await enrolment.begin(HOME, KEY)
    const confirmed = await Promise.all([
      enrolment.confirm(code, olga, '10.9.9.9'),
      enrolment.confirm(code, tom, '10.9.9.8'),
      enrolment.confirm(code, olga, '10.9.9.9'),
      enrolment.confirm(code, tom, '10.9.9.8'),
    ])
    const [first, second] = confirmed.map(({ ok }) => ok)
    expect(confirmed.map(({ ok }) => ok)).toEqual([first, second, first, second])
    expect(first).not.toBe(second)
    expect([await enrolment.isLinked(HOME, olga), await enrolment.isLinked(HOME, tom)]).toEqual([first, second])
  })

  test('after a refused confirmation another account may use the code', async () => {
    const { enrolment, account, link } = await world()
    const [olga, mallory] = [await account('olga'), await account('mallory')]
    await link(olga)
    const { code } = await enrolment.begin(HOME, OTHER_KEY)
    expect(await enrolment.confirm(code, mallory, '10.9.9.8')).toEqual({ ok: false, error: { kind: 'not_yours' } })
    expect((await enrolment.confirm(code, olga, '10.9.9.9', PASSWORD)).ok).toBe(true)
  })

  test('neither a deleted account nor a new one with its address is linked to its homes', async () => {
    const { accounts, enrolment, changes, account, link } = await world()
    const olga = await account('olga')
    await link(olga)
    await enrolment.deleteAccount(olga)
    expect(changes.at(-1)).toEqual({ kind: 'unlinked', gateway: HOME, account: 'olga@example.org' })
    expect([await accounts.get(olga.id), await enrolment.standing(HOME, KEY)]).toEqual([null, 'unlinked'])
    const again = await account('olga')
    expect(again.id).toBe(olga.id)
    expect(again.epoch).not.toBe(olga.epoch)
    expect([await enrolment.isLinked(HOME, again), await enrolment.homesOf(again)]).toEqual([false, []])
  })

  test('an account that is deleted while it confirms a code is not linked', async () => {
    const { accounts, enrolment, account } = await world()
    const olga = await account('olga')
    const { code } = await enrolment.begin(HOME, KEY)
    await Promise.all([enrolment.confirm(code, olga, '10.9.9.9'), enrolment.deleteAccount(olga)])
    expect([await accounts.get(olga.id), await enrolment.standing(HOME, KEY)]).toEqual([null, 'unlinked'])
  })

  test('the operator assigns a serial to a new key with the code of its gateway, and accounts stay linked', async () => {
    const { enrolment, changes, account, link } = await world()
    await link(await account('olga'))
    const known = await enrolment.begin(HOME, KEY)
    expect(await enrolment.replaceKey(known.code)).toBeNull()
    const { code } = await enrolment.begin(HOME, OTHER_KEY)
    expect(await enrolment.replaceKey('AAAA-AAAA')).toBeNull()
    expect(await enrolment.replaceKey(code)).toBe(HOME)
    expect(changes.at(-1)).toEqual({ kind: 'key_replaced', gateway: HOME })
    expect(await enrolment.standing(HOME, OTHER_KEY)).toBe('linked')
    expect(await enrolment.standing(HOME, KEY)).toBe('other_key')
  })

  test('a code expires after 10 minutes, and the store does not contain it', async () => {
    const { clock, store, enrolment, account } = await world()
    const olga = await account('olga')
    const { code } = await enrolment.begin(HOME, KEY)
    expect(JSON.stringify(store.everything())).not.toContain(code.slice(0, 4))
    clock.advance(TABLES.links)
    expect(await enrolment.look(code, olga, '10.9.9.9')).toEqual({ ok: false, error: { kind: 'unknown_code' } })
  })

  test('a serial keeps its key: a stranger cannot replace it, a linked account can', async () => {
    const { enrolment, account, link } = await world()
    const [olga, mallory] = [await account('olga'), await account('mallory')]
    await link(olga)
    expect(await enrolment.standing(HOME, OTHER_KEY)).toBe('other_key')
    expect(await link(mallory, HOME, OTHER_KEY)).toEqual({ ok: false, error: { kind: 'not_yours' } })
    expect(await enrolment.standing(HOME, KEY)).toBe('linked')
    expect((await link(olga, HOME, OTHER_KEY, PASSWORD)).ok).toBe(true)
    expect(await enrolment.standing(HOME, KEY)).toBe('other_key')
    expect(await enrolment.standing(HOME, OTHER_KEY)).toBe('linked')
  })

  proves(
    'relay.replaced-by-owner',
    'replacing the key of a serial requires the password, and the present gateway must be disconnected',
    async () => {
      const { enrolment, connected, account, link } = await world()
      const olga = await account('olga')
      await link(olga)
      connected.add(HOME)
      const { code } = await enrolment.begin(HOME, OTHER_KEY)
      expect(await enrolment.look(code, olga, '10.9.9.9')).toEqual({
        ok: true,
        value: { serial: HOME, replaces: true },
      })
      const confirm = async (password: string | null) => {
        const confirmed = await enrolment.confirm(code, olga, '10.9.9.9', password)
        return confirmed.ok ? confirmed.value : confirmed.error.kind
      }
      expect(await confirm(PASSWORD)).toBe('still_connected')
      connected.clear()
      expect([await confirm(null), await confirm('wrong horse battery')]).toEqual(['replaces', 'wrong'])
      expect(await enrolment.standing(HOME, KEY)).toBe('linked')
      expect(await confirm(PASSWORD)).toBe(HOME)
      expect(await enrolment.standing(HOME, KEY)).toBe('other_key')
    },
  )

  test('unlinking all accounts of a home also removes a deleted account', async () => {
    const { accounts, enrolment, account, link } = await world()
    const [olga, tom] = [await account('olga'), await account('tom')]
    await link(olga)
    await link(tom)
    await accounts.take(olga.id)
    await enrolment.unlinkAll(HOME)
    expect(await enrolment.standing(HOME, KEY)).toBe('unlinked')
  })

  test('a serial that has served a request keeps its key, even without linked accounts', async () => {
    const { accounts, enrolment, changes, account, link } = await world()
    const [olga, mallory] = [await account('olga'), await account('mallory')]
    await link(olga)
    await enrolment.markServed(HOME)
    expect(await enrolment.unlink(HOME, olga)).toBe(true)
    expect(await enrolment.unlink(HOME, olga)).toBe(false)
    expect(changes.map(({ kind }) => kind)).toEqual(['linked', 'unlinked'])
    expect(await enrolment.standing(HOME, KEY)).toBe('unlinked')
    expect((await accounts.get(olga.id))?.gateways).toEqual([])
    expect(await link(mallory, HOME, OTHER_KEY)).toEqual({ ok: false, error: { kind: 'not_yours' } })
    expect(await link(olga, HOME, OTHER_KEY)).toEqual({ ok: false, error: { kind: 'not_yours' } })
    expect((await link(mallory, HOME, KEY)).ok).toBe(true)
  })

  proves('relay.squatted-serial', 'a key without linked accounts and without requests may be replaced', async () => {
    const { enrolment, account, link } = await world()
    const [olga, mallory] = [await account('olga'), await account('mallory')]
    expect((await link(mallory, HOME, OTHER_KEY)).ok).toBe(true)
    expect(await link(olga)).toEqual({ ok: false, error: { kind: 'not_yours' } })
    await enrolment.unlink(HOME, mallory)
    expect(await enrolment.standing(HOME, KEY)).toBe('unlinked')
    expect((await link(olga)).ok).toBe(true)
    expect([await enrolment.standing(HOME, KEY), await enrolment.standing(HOME, OTHER_KEY)]).toEqual([
      'linked',
      'other_key',
    ])
    expect(await link(mallory, HOME, OTHER_KEY)).toEqual({ ok: false, error: { kind: 'not_yours' } })
  })

  proves(
    'relay.squatted-serial',
    'a record of an earlier version counts as one that has served a request',
    async () => {
      const { store, enrolment, account, link } = await world()
      await store.create('gateways', HOME, { key: OTHER_KEY, accounts: [] })
      expect(await link(await account('olga'))).toEqual({ ok: false, error: { kind: 'not_yours' } })
      expect(await enrolment.standing(HOME, OTHER_KEY)).toBe('unlinked')
    },
  )

  test('several accounts are linked to one home, and unlinking one leaves the others', async () => {
    const { enrolment, account, link } = await world()
    const [olga, tom] = [await account('olga'), await account('tom')]
    await link(olga)
    await link(tom)
    await enrolment.unlink(HOME, olga)
    expect([await enrolment.isLinked(HOME, olga), await enrolment.isLinked(HOME, tom)]).toEqual([false, true])
    expect(await enrolment.standing(HOME, KEY)).toBe('linked')
  })

  test('accounts that confirm at the same time are all linked', async () => {
    const { enrolment, account, link } = await world()
    const people = await Promise.all(['a', 'b', 'c', 'd'].map((name) => account(name)))
    const linked = await Promise.all(people.map((person) => link(person)))
    expect(linked.map(({ ok }) => ok)).toEqual([true, true, true, true])
    for (const person of people) expect(await enrolment.isLinked(HOME, person)).toBe(true)
  })

  test('the eleventh code in a minute is refused', async () => {
    const { clock, enrolment, account } = await world()
    const olga = await account('olga')
    const { code } = await enrolment.begin(HOME, KEY)
    for (let index = 0; index < 10; index += 1)
      expect(await enrolment.look('AAAA-AAAA', olga, `10.1.1.${index}`)).toEqual({
        ok: false,
        error: { kind: 'unknown_code' },
      })
    expect(await enrolment.look(code, olga, '10.1.1.99')).toMatchObject({ error: { kind: 'limited', retryAfter: 6 } })
    clock.advance(6_000)
    expect((await enrolment.look(code, olga, '10.1.1.99')).ok).toBe(true)
  })

  test('the numbers of homes of an account and of accounts of a home are limited', { tags: ['long'] }, async () => {
    const { clock, account, link } = await world()
    const olga = await account('olga')
    for (let index = 0; index < HOMES_PER_ACCOUNT_MAX; index += 1) {
      clock.advance(6_000)
      expect((await link(olga, `home${String(index).padStart(8, '0')}`)).ok).toBe(true)
    }
    clock.advance(6_000)
    expect(await link(olga)).toEqual({ ok: false, error: { kind: 'too_many_homes' } })
    for (let index = 0; index < ACCOUNTS_OF_HOME_MAX; index += 1)
      expect((await link(await account(`p${index}`))).ok).toBe(true)
    expect(await link(await account('last'))).toEqual({ ok: false, error: { kind: 'too_many_accounts' } })
  })
})
