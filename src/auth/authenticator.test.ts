import { expect, it, onTestFinished, vi } from 'vitest'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'

it('forgets ended credentials when others come', () => {
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
  const queried = new Set<string>()
  const get = home.stored.get.bind(home.stored)
  home.stored.get = (link) => {
    queried.add(link)
    return get(link)
  }
  const links = ended.map(({ credential }) => credential.link)
  // The earlier links were checked when the next one came.
  for (const looked of [links.slice(-1), []]) {
    queried.clear()
    expect(isIn(made().token)).toBe(true)
    expect(links.filter((link) => queried.has(link))).toEqual(looked)
  }
})

it('reads nothing from the database for an accepted token until the next commit', () => {
  const home = new AccessHome()
  onTestFinished(() => home[Symbol.dispose]())
  const { id: integration } = home.integrate({ cloud_access: 'off' })
  const { token } = home.credentials.create({ integration, kind: 'key', name: 'A', platform: 'P' }, ANNA)
  const queried = vi.spyOn(home.stored, 'get')
  const first = home.authenticator.check(token, 'home')
  expect(first.ok).toBe(true)
  queried.mockClear()
  expect(home.authenticator.check(token, 'home')).toBe(first)
  expect(queried).not.toHaveBeenCalled()
  // Another way in or another audience needs a check of its own.
  expect(home.authenticator.check(token, 'cloud')).toEqual({ ok: false, error: 'cloud_access_disabled' })
  expect(home.authenticator.check(token, 'home', 'mcp').ok).toBe(true)
  queried.mockClear()
  home.change(integration, { enabled: false })
  expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'record_disabled' })
  expect(home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'record_disabled' })
})
