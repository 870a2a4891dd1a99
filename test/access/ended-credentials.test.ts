import { describe, expect } from 'vitest'
import { ENDED_KEPT_MAX, SESSION_LIFE_MS, type CredentialKind } from '../../src/auth/credentials/credentials.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'

function made(home: AccessHome, integration: string, kind: CredentialKind = 'agent'): { link: string; token: string } {
  home.clock.advance(1)
  const { credential, token } = home.credentials.create({ integration, kind, name: 'Claude', platform: 'Desk' }, ANNA)
  return { link: credential.link, token }
}

const links = (home: AccessHome): readonly string[] => home.credentials.list().map(({ link }) => link)

describe('credentials that have ended', () => {
  proves('credentials.ended-kept', 'are listed, but of an integration only the newest ones', () => {
    using home = new AccessHome()
    const [integration, other] = [home.integrate().id, home.integrate().id]
    const [lasting, kept] = [made(home, integration, 'key'), made(home, other)]
    home.credentials.revoke(home.credentials.get(kept.link)!, ANNA)
    const revoked = Array.from({ length: ENDED_KEPT_MAX + 5 }, () => {
      const one = made(home, integration)
      home.credentials.revoke(home.credentials.get(one.link)!, ANNA)
      return one
    })
    const last = made(home, integration)
    const newest = revoked.slice(-ENDED_KEPT_MAX)
    expect(new Set(links(home))).toEqual(new Set([lasting, kept, ...newest, last].map(({ link }) => link)))
    expect(home.authenticator.check(lasting.token, 'home').ok).toBe(true)
    for (const { token } of [revoked[0]!, newest[0]!])
      expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'unauthorized' })
  })

  proves('credentials.ended-kept', 'are also sessions that nobody used to their end', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    for (let count = 0; count < ENDED_KEPT_MAX + 5; count += 1) made(home, id, 'session')
    expect(links(home)).toHaveLength(ENDED_KEPT_MAX + 5)
    home.clock.advance(SESSION_LIFE_MS)
    const { link } = made(home, id)
    expect(links(home)).toHaveLength(ENDED_KEPT_MAX + 1)
    expect(links(home)).toContain(link)
  })
})
