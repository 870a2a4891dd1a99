import { expect, it, onTestFinished, vi } from 'vitest'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'

it('keeps nothing of credentials that have ended once others come', () => {
  const home = new AccessHome()
  onTestFinished(() => home[Symbol.dispose]())
  const { id: integration } = home.integrate()
  const made = () => home.credentials.create({ integration, kind: 'agent', name: 'A', platform: 'P' }, ANNA)
  const isIn = (token: string): boolean => home.authenticator.check(token, 'home').ok
  const ended = Array.from({ length: 3 }, made)
  for (const { token, credential } of ended) {
    expect(isIn(token)).toBe(true)
    home.credentials.revoke(credential, ANNA)
  }
  const asked = new Set<string>()
  const get = home.stored.get.bind(home.stored)
  home.stored.get = (link) => {
    asked.add(link)
    return get(link)
  }
  const links = ended.map(({ credential }) => credential.link)
  // The others were looked at when the next of them came.
  for (const looked of [links.slice(-1), []]) {
    asked.clear()
    expect(isIn(made().token)).toBe(true)
    expect(links.filter((link) => asked.has(link))).toEqual(looked)
  }
})

it('looks nothing up for a token that it let in, until something was committed', () => {
  const home = new AccessHome()
  onTestFinished(() => home[Symbol.dispose]())
  const { id: integration } = home.integrate({ cloud_access: 'off' })
  const { token } = home.credentials.create({ integration, kind: 'key', name: 'A', platform: 'P' }, ANNA)
  const asked = vi.spyOn(home.stored, 'get')
  const first = home.authenticator.check(token, 'home')
  expect(first.ok).toBe(true)
  asked.mockClear()
  expect(home.authenticator.check(token, 'home')).toBe(first)
  expect(asked).not.toHaveBeenCalled()
  // By another way, or at another door, it is a question of its own.
  expect(home.authenticator.check(token, 'cloud')).toEqual({ ok: false, error: 'cloud_access_disabled' })
  expect(home.authenticator.check(token, 'home', 'mcp').ok).toBe(true)
  asked.mockClear()
  home.change(integration, { enabled: false })
  expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'record_disabled' })
  expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'record_disabled' })
})
