import { describe, expect } from 'vitest'
import { ENDED_KEPT_MAX, SESSION_LIFE_MS, type CredentialKind } from '../../src/auth/credentials/credentials.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'

function create(
  home: AccessHome,
  integration: string,
  kind: CredentialKind = 'agent',
): { link: string; token: string } {
  home.clock.advance(1)
  const { credential, token } = home.credentials.create({ integration, kind, name: 'Claude', platform: 'Desk' }, ANNA)
  return { link: credential.link, token }
}

const links = (home: AccessHome): readonly string[] => home.credentials.list().map(({ link }) => link)

describe('credentials that have ended', () => {
  proves('credentials.ended-kept', 'stay in the list, up to a limit for each integration', () => {
    using home = new AccessHome()
    const [integration, other] = [home.integrate().id, home.integrate().id]
    const [lasting, revokedElsewhere] = [create(home, integration, 'key'), create(home, other)]
    home.credentials.revoke(home.credentials.get(revokedElsewhere.link)!, ANNA)
    const revoked = Array.from({ length: ENDED_KEPT_MAX + 5 }, () => {
      const one = create(home, integration)
      home.credentials.revoke(home.credentials.get(one.link)!, ANNA)
      return one
    })
    const last = create(home, integration)
    const newest = revoked.slice(-ENDED_KEPT_MAX)
    expect(new Set(links(home))).toEqual(new Set([lasting, revokedElsewhere, ...newest, last].map(({ link }) => link)))
    expect(home.authenticator.check(lasting.token, 'home').ok).toBe(true)
    for (const { token } of [revoked[0]!, newest[0]!])
      expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'unauthorized' })
  })

  proves('credentials.ended-kept', 'include sessions that expired without use', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    for (let count = 0; count < ENDED_KEPT_MAX + 5; count += 1) create(home, id, 'session')
    expect(links(home)).toHaveLength(ENDED_KEPT_MAX + 5)
    home.clock.advance(SESSION_LIFE_MS)
    const { link } = create(home, id)
    expect(links(home)).toHaveLength(ENDED_KEPT_MAX + 1)
    expect(links(home)).toContain(link)
  })
})
