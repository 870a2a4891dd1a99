// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { accessActivity, failingHome, STORED_LATER, DISK_RETRY_MS } from '#support/faults/failing-home.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { type ConsoleSecrets, ConsoleVisitor, secretsOf } from '#support/gateway/console-visitor.ts'
import { type AuthenticatorOptions, SoftAuthenticator } from '#support/gateway/soft-authenticator.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { TestOperator } from '#support/operations/test-operator.ts'

const PASSWORD = 'correct horse battery'
const optionsOf = ({ body }: RawAnswer): AuthenticatorOptions => (body as { options: AuthenticatorOptions }).options

describe('on a disk that fails to sync', () => {
  /** Anna and Ben administer the home; Ben has a passkey too. */
  async function people() {
    const made = await failingHome()
    const { running } = made
    const visitor = new ConsoleVisitor(running)
    const [anna, ben] = [await person(running, 'Anna'), await person(running, 'Ben')]
    const bens = new SoftAuthenticator(visitor.origin)
    const his = await visitor.signInByLink('Ben')
    const options = optionsOf(await visitor.as(his, 'POST', '/admin/v1/passkeys/options'))
    const passkey = (
      await visitor.as(his, 'POST', '/admin/v1/passkeys', { name: 'Phone', passkey: bens.make(options) })
    ).body as { passkey: { id: string } }
    const challenge = () =>
      visitor.ask({ method: 'POST', path: '/console/challenge', headers: { origin: visitor.origin } })
    const byPasskey = async () => (await visitor.signIn({ passkey: bens.show(optionsOf(await challenge())) })).status
    const byPassword = async () => (await visitor.signIn({ name: 'Ben', password: PASSWORD })).status
    const isIn = async (as: ConsoleSecrets) => (await visitor.as(as, 'GET', '/admin/v1/session')).status
    return { ...made, visitor, anna, ben, his, bens, passkey: passkey.passkey.id, byPasskey, byPassword, isIn }
  }

  async function person({ admin }: TestGateway, name: string): Promise<string> {
    return (await admin.call<{ person: { id: string } }>('POST', '/persons', { name, password: PASSWORD })).person.id
  }

  proves(
    'storage.ends-at-once',
    'an operator token ends at once, and permanently once the disk stores it',
    async () => {
      const { running, fails, heals, again } = await failingHome()
      await using _ = running
      using operator = await TestOperator.of(running, 'metrics')
      using other = await TestOperator.of(running, 'metrics')
      const states = async () => [
        (await operator.ask('/admin/v1/metrics')).status,
        (await other.ask('/admin/v1/metrics')).status,
      ]
      await fails()
      expect((await hm(running.dataDir, 'operator', 'end', operator.id)).out).toContain(STORED_LATER)
      expect(await states()).toEqual([401, 200])
      expect(readFileSync(join(running.dataDir, 'revoked'), 'utf8')).toContain(operator.id)
      expect(await accessActivity(running)).toEqual([])
      await heals()
      expect(await accessActivity(running)).toEqual(['operator token “Monitoring” revoked'])
      expect(await states()).toEqual([401, 200])
      await using later = await again()
      const { operators } = await later.admin.call<{ operators: { id: string }[] }>('GET', '/operators')
      expect(operators.map(({ id }) => id)).toEqual([other.id])
    },
  )

  proves('storage.ends-at-once', 'a stolen session ends at once, with the sessions that its links began', async () => {
    const { running, visitor, his, isIn, fails, heals, again } = await people()
    await using _ = running
    using __ = visitor
    const mine = await visitor.signInByLink('Anna')
    const link = ((await visitor.as(his, 'POST', '/admin/v1/links', {})).body as { links: string[] }).links[0]
    const begun = secretsOf(await visitor.signIn({ link: link?.split('#')[1] }))
    await fails()
    expect((await visitor.as(mine, 'DELETE', `/admin/v1/sessions/${his.session}`)).body).toEqual({
      ended: his.session,
      unstored: true,
    })
    expect(await Promise.all([his, begun, mine].map(isIn))).toEqual([401, 401, 200])
    expect(await accessActivity(running)).toEqual([])
    await heals()
    expect(await accessActivity(running)).toEqual([
      'session of administrator (one-time link) ended',
      'session of Ben ended',
    ])
    await using later = await again()
    const { sessions } = await later.admin.call<{ sessions: { id: string }[] }>('GET', '/sessions')
    expect(sessions.map(({ id }) => id)).toEqual([mine.session])
  })

  proves('storage.ends-at-once', 'a removed person cannot sign in with any credential, at once', async () => {
    const { disk, running, visitor, clock, ben, his, isIn, byPasskey, byPassword, fails } = await people()
    await using _ = running
    using __ = visitor
    const link = await visitor.link('Ben')
    await fails()
    expect(await running.admin.call('DELETE', `/persons/${ben}`)).toEqual({ deleted: ben, unstored: true })
    expect(await isIn(his)).toBe(401)
    // From here on no request is refused because of the disk; the removal is not stored yet.
    disk.heal()
    expect(await accessActivity(running)).toEqual([])
    expect([await byPasskey(), await byPassword(), (await visitor.signIn({ link })).status]).toEqual([401, 401, 401])
    expect(await running.admin.call('GET', '/persons')).toMatchObject({ persons: [{ name: 'Anna' }] })
    expect(await running.admin.call('GET', '/passkeys')).toEqual({ passkeys: [] })
    const anew = await person(running, 'Ben')
    await clock.pass(DISK_RETRY_MS)
    expect(await accessActivity(running)).toEqual(['administrator Ben removed'])
    const { persons } = await running.admin.call<{ persons: { id: string }[] }>('GET', '/persons')
    expect(persons.map(({ id }) => id)).toContain(anew)
    expect(persons.map(({ id }) => id)).not.toContain(ben)
  })

  proves('storage.ends-at-once', 'a removed passkey opens nothing', async () => {
    const { disk, running, visitor, heals, passkey, byPasskey, byPassword, fails } = await people()
    await using _ = running
    using __ = visitor
    await fails()
    expect(await running.admin.call('DELETE', `/passkeys/${passkey}`)).toEqual({ deleted: passkey, unstored: true })
    disk.heal()
    expect([await byPasskey(), await byPassword()]).toEqual([401, 201])
    await heals()
    expect(await accessActivity(running)).toContain('passkey “Phone” of Ben removed')
  })

  proves('storage.ends-at-once', 'a fresh password or passkey proof removes a person in the console', async () => {
    const { running, visitor, clock, anna, ben, his, isIn, bens, fails } = await people()
    await using _ = running
    using __ = visitor
    const mine = await visitor.signInByLink('Anna')
    await clock.pass(FRESH_MS)
    await fails()
    const remove = (as: ConsoleSecrets, who: string) => visitor.as(as, 'DELETE', `/admin/v1/persons/${who}`)
    const prove = (as: ConsoleSecrets, proof: object) => visitor.as(as, 'POST', '/admin/v1/session/proof', proof)
    expect((await remove(mine, ben)).status).toBe(403)
    expect((await prove(mine, { password: PASSWORD })).body).toEqual({ fresh: true })
    const options = optionsOf(await visitor.as(his, 'POST', '/admin/v1/session/challenge'))
    expect((await prove(his, { passkey: bens.show(options, { counter: 7 }) })).status).toBe(503)
    expect((await prove(his, { passkey: bens.show(options) })).status).toBe(401)
    const again = optionsOf(await visitor.as(his, 'POST', '/admin/v1/session/challenge'))
    expect((await prove(his, { passkey: bens.show(again) })).body).toEqual({ fresh: true })
    expect((await remove(his, anna)).body).toEqual({ deleted: anna, unstored: true })
    expect([await isIn(his), await isIn(mine)]).toEqual([200, 401])
    await clock.pass(FRESH_MS)
    expect((await visitor.as(his, 'POST', '/admin/v1/links', {})).status).toBe(403)
  })
})
