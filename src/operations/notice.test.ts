import { describe, expect, test } from 'vitest'
import { noticeOf } from './notice.ts'

const request = {
  request: 'r1',
  code: 'BCDF-GHJK',
  name: `Anna's "helper"`,
  platform: 'C:\\PC',
  record: null,
  hosted: false,
  client: null,
  suggested: null,
  via: 'home',
  peer: '192.168.1.7',
  askedAt: 0,
} as const
const confirmation = {
  id: 'BCDF',
  link: 'l1',
  label: 'Agent: Claude via "x"',
  integration: 'Home',
  what: 'open Front door',
  code: '012345',
  askedAt: 0,
}

describe('a notice', () => {
  test('is one line with the agent, its request and the command to type', () => {
    expect(noticeOf({ kind: 'agent_request', notice: true, request })).toBe(
      String.raw`"Anna's \"helper\"" via "C:\\PC" asks for access from 192.168.1.7; its code is BCDF-GHJK. bin/hm agent accept BCDF-GHJK, or deny.`,
    )
    expect(noticeOf({ kind: 'confirmation', notice: true, confirmation })).toBe(
      String.raw`"Agent: Claude via \"x\"", of "Home", wants to open Front door. bin/hm agent confirm BCDF (or tell the code 012345 to the person who asks); --deny declines.`,
    )
    expect(
      noticeOf({ kind: 'confirmation', notice: true, confirmation: { ...confirmation, integration: null } }),
    ).toContain(String.raw`via \"x\"" wants to open`)
  })

  test('of a hosted agent names its account, the proof of its name, and the receiver of the answer', () => {
    const client = {
      id: 'https://x.example/"c"',
      redirectHost: 'x.example',
      proved: true,
      account: 'anna@example.org',
      door: 'mcp',
    }
    const asks = (proved: boolean): string =>
      noticeOf({
        kind: 'agent_request',
        notice: true,
        request: { ...request, hosted: true, client: { ...client, proved } },
      })
    expect(asks(true)).toContain(
      String.raw` asks for access for the account "anna@example.org" of the relay, is named by "https://x.example/\"c\"", and gets its answer at "x.example"; its code is`,
    )
    expect(asks(false)).toContain('of the relay, has named itself, and gets its answer at "x.example"')
    const agent = {
      link: 'l1',
      integration: 'i1',
      kind: 'agent',
      name: 'Claude',
      platform: 'x.example',
      client,
      label: 'Agent: Claude via x.example',
      state: 'ended',
      stale: false,
      createdAt: 0,
      streams: 0,
      lastUsed: null,
    } as const
    expect(noticeOf({ kind: 'agent_ended', why: 'refresh_reused', agent })).toBe(
      '"Agent: Claude via x.example" was ended: one of its refresh tokens was used twice, so somebody else has it too. Connect the agent again if it is yours.',
    )
  })

  test.each(['accepted', 'denied', 'expired', 'collected'] as const)('says that a request is %s', (how) => {
    expect(noticeOf({ kind: 'agent_request_ended', how, request })).toMatch(
      /^"Anna's \\"helper\\"" via "C:\\\\PC" \(BCDF-GHJK\): [a-z ;,]+\.$/,
    )
  })

  test.each(['confirmed', 'declined', 'expired', 'used'] as const)('says that a call is %s', (how) => {
    expect(noticeOf({ kind: 'confirmation_ended', how, confirmation })).toMatch(/^BCDF, open Front door: [a-z ,]+\.$/)
  })
})
