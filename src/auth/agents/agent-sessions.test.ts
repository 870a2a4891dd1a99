import { expect, test } from 'vitest'
import { SqliteAgentSessions } from '../../db/core/agent-request-store.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { ENDED_SESSIONS_MAX } from './agent-sessions.ts'

const REVISION = '2025-11-25'

function opened() {
  const home = new AccessHome()
  const what = { integration: home.integrate().id, kind: 'agent', name: 'Robot', platform: 'lab' } as const
  const { credential } = home.credentials.create(what, ANNA)
  const rows = (): number =>
    home.core.db.prepare<[], number>('SELECT count(*) FROM ended_agent_sessions').pluck().get() ?? 0
  return { home, sessions: home.agentSessions, credential, rows }
}

test('an id is valid only for its credential and key, and with every character unchanged', () => {
  const { home, sessions, credential } = opened()
  const id = sessions.begin(credential.link, REVISION)
  expect(sessions.revisionOf(credential.link, id)).toBe(REVISION)
  expect(home.agentSessions.revisionOf(credential.link, id)).toBe(REVISION)
  expect(sessions.revisionOf('another123', id)).toBeNull()
  expect(new AccessHome().agentSessions.revisionOf(credential.link, id)).toBeNull()
  for (let at = 0; at < id.length; at += 1) {
    const other = id[at] === '7' ? '8' : '7'
    const changed = `${id.slice(0, at)}${other}${id.slice(at + 1)}`
    expect(sessions.revisionOf(credential.link, changed), changed).toBeNull()
  }
  for (const wrong of ['', id.slice(1), `${id}=`, ` ${id}`, id.toUpperCase(), id.replaceAll('.', '')])
    expect(sessions.revisionOf(credential.link, wrong), wrong).toBeNull()
})

test('ended sessions stay ended, have a limit, and are removed with their credential', () => {
  const { home, sessions, credential, rows } = opened()
  const { link } = credential
  const [first, last] = [sessions.begin(link, REVISION), sessions.begin(link, REVISION)]
  sessions.end(link, first)
  sessions.end(link, first)
  sessions.end(link, 'invented')
  expect([rows(), sessions.revisionOf(link, first), sessions.revisionOf(link, last)]).toEqual([1, null, REVISION])
  home.core.change(() => {
    const store = new SqliteAgentSessions(home.core)
    for (let more = 0; more < ENDED_SESSIONS_MAX; more += 1) store.end(link, `nonce ${more}`, ENDED_SESSIONS_MAX)
  })
  sessions.end(link, last)
  expect([rows(), sessions.revisionOf(link, last)]).toEqual([ENDED_SESSIONS_MAX, null])
  home.credentials.revoke(credential, ANNA)
  expect(rows()).toBe(0)
})
