// @module-tag long
import { describe, expect, onTestFinished } from 'vitest'
import { TABLES } from '../../relay/store/store.ts'
import { keysOf } from '../../src/lib/keys-of.ts'
import { type HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { Browser } from '#support/relay/browser.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { NatsTap } from '#support/relay/nats-tap.ts'
import { askInBrowser, OAuthAgent } from '#support/relay/oauth-agent.ts'
import { type SeveralNodes, severalNodes } from '#support/relay/several-nodes.ts'
import type { TestRelay } from '#support/relay/test-relay.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { codeOn } from '#support/relay/two-homes.ts'
import { formatted, keptIn, metricsOf } from '#support/relay/written.ts'

/** Owner of the home; TestRelay created the account. */
const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
const HOUSE_NAME = 'Canary house'
const LAMP = 'Canary lamp'
const ACCEPT = 'application/json, text/event-stream'

/** Secrets and texts of the test by name. */
type Canaries = Record<string, string>

interface World extends SeveralNodes {
  readonly holder: TestRelay
  readonly other: TestRelay
  readonly tap: NatsTap
  readonly log: RecordingLog
}

/** A home with a tunnel to the first of two nodes, and the code that its owner entered. */
async function tapped(): Promise<{ readonly world: World; readonly canaries: Canaries }> {
  const log = recordingLog()
  const several = await severalNodes(2, { log, metricsPort: 0 })
  const { nats, nodes, balancer, home } = several
  const tap = await NatsTap.at(nats)
  const [holder, other] = nodes as [TestRelay, TestRelay]
  balancer.ports = [holder.relay.port]
  await home.running.admin.call('PATCH', '/home', { name: HOUSE_NAME })
  await home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name: LAMP } })
  await home.change(home.main, { settings: { agent_access: 'on' } })
  const { link } = await holder.connect(home.running)
  await holder.confirm(link?.code ?? '')
  const canaries = { link: link?.code ?? '', house: HOUSE_NAME, lamp: LAMP, token: home.main.token }
  return { world: { ...several, holder, other, tap, log }, canaries }
}

/** Reads, writes and listens as a client at both nodes. */
async function useHome({ home, holder, other, through }: World): Promise<Canaries> {
  const canaries = { query: 'canary-of-the-query', body: 'canary-of-the-body', key: 'canary-of-the-key' }
  const { query, body, key } = canaries
  for (const node of [other, holder]) {
    const caller = through(node)
    while ((await caller.call({ method: 'GET', path: '/v1/house' })).status !== 200);
    await caller.send('GET', `/v1/house?q=${query}`, { body: undefined })
    const socket = await TestSocket.open(node.access(home.main.token))
    onTestFinished(() => socket.close())
    socket.hasten = (work) => home.running.hasten(work)
    await socket.subscribe(['*'])
    const control = { op: 'set_power', args: { on: node === other } }
    const write = { method: 'POST', path: home.at('hall-light', '/control') }
    expect(
      await home.running.hasten(caller.call({ ...write, body: control, key: `${key}-${node.relay.node}` })),
    ).toMatchObject({ status: 200 })
    expect((await caller.send(write.method, write.path, { body: { q: body } })).status).toBe(422)
    await socket.event(({ event }) => event === 'state')
  }
  return canaries
}

/** Signs in as a person; an agent gets access by OAuth, uses it, refreshes it and revokes it. */
async function signIn({ balancer, home, holder, other, through }: World): Promise<Canaries> {
  // This is not the node at which the gateway was linked.
  balancer.ports = [other.relay.port]
  const origin = `https://localhost:${balancer.port}`
  const { fetch: trusting, agent: connections } = trustingFetch(holder.ca)
  onTestFinished(() => connections.destroy())
  const person = new Browser(origin, trusting)
  await person.submit(await person.open('/signin'), 'Sign in', OLGA)
  const agent = await OAuthAgent.register(origin, trusting)
  const page = await askInBrowser(person, await agent.authorizeUrl())
  const [matching, interaction] = [codeOn(page), person.cookie('__Secure-connect') ?? '']
  // The matching code is stored with its request; without an administrator it gives no access.
  const waiting = person.refresh(page)
  await home.running.admin.call('POST', `/agents/requests/${matching}/accept`, {})
  await waiting
  const answer = agent.answerOf(person.left)
  const first = await agent.redeemed(answer)
  await ping(through(other), first.access_token)
  const second = await agent.refreshed(first.refresh_token ?? '')
  await ping(through(holder), second.access_token)
  await agent.revoke(second.refresh_token ?? '')
  return {
    password: OLGA.password,
    session: person.cookie('__Host-hm-session') ?? '',
    code: answer.get('code') ?? '',
    verifier: agent.verifier,
    interaction,
    access: first.access_token,
    refresh: first.refresh_token ?? '',
    'refreshed access': second.access_token,
    'refreshed refresh': second.refresh_token ?? '',
  }
}

async function ping(caller: HttpCaller, token: string): Promise<void> {
  const { status, text } = await caller.send('POST', '/mcp', { body: INITIALIZE, token, accept: ACCEPT })
  expect([status, text.includes('protocolVersion')]).toEqual([200, true])
}

/** Gets access by the device flow, requested at one node and polled at the other. */
async function pair({ home, holder, other, through }: World): Promise<Canaries> {
  const wish = { gateway: home.running.gateway.serial, name: 'Canary script', platform: 'Test', record: home.main.id }
  const pairing = await through(other).call({ method: 'POST', path: '/v1/pair', body: wish, token: null })
  const { code, userCode } = pairing.body as { code: string; userCode: string }
  await home.running.admin.call('POST', `/agents/requests/${userCode}/accept`, {})
  const poll = { method: 'POST', path: '/v1/pair/token', body: { code }, token: null }
  const { body } = await through(holder).call(poll)
  const { access_token: token } = body as { access_token: string }
  await ping(through(other), token)
  return { 'device code': code, userCode, script: wish.name, 'device token': token }
}

/** Tokens and codes, and their secret parts without the parts for look-ups. */
function secretsOf(canaries: Canaries): readonly (readonly [string, string])[] {
  return Object.entries(canaries).flatMap(([what, text]) => {
    const secret = text.split('.').at(-1) ?? ''
    return secret === text ? [[what, text] as const] : [[what, text] as const, [`${what}’s secret`, secret] as const]
  })
}

const texts = (all: readonly { readonly subject: string; readonly text: string }[]): string =>
  all.map(({ subject, text }) => `${subject}\n${text}`).join('\n')

/** All data that nodes send or store, by place. */
async function everywhere({ tap, log, nats, nodes }: World): Promise<Readonly<Record<string, string>>> {
  await Promise.all(nodes.map(({ relay }) => relay.tunnels.settled()))
  await tap.settled()
  const entries = await tap.storedEntries()
  expect([...entries.keys()].toSorted()).toEqual(
    keysOf(TABLES)
      .map((table) => `KV_hm-relay-${table}`)
      .toSorted(),
  )
  return {
    'what passed over NATS': texts(tap.messages),
    'what NATS keeps': texts([...entries.values()].flat()),
    'the files of NATS': keptIn(nats.folder),
    'the log': JSON.stringify(log.lines.map(formatted)),
    'the metrics': (await Promise.all(nodes.map(metricsOf))).join('\n'),
    'the nodes’ folder': nodes.map(({ dataDir }) => keptIn(dataDir)).join('\n'),
  }
}

function expectNoneOf(canaries: Canaries, places: Readonly<Record<string, string>>): void {
  for (const [what, text] of secretsOf(canaries)) {
    expect(text.length, `the canary ${what}`).toBeGreaterThan(7)
    for (const [where, all] of Object.entries(places)) expect(all.includes(text), `${what} is in ${where}`).toBe(false)
  }
}

describe.skipIf(!HAS_NATS)('what passes over NATS, and what two nodes write (needs nats-server)', () => {
  proves('relay.no-traces', 'is no token, code, password, request, answer or name of a home', async () => {
    const { world, canaries } = await tapped()
    const all = { ...canaries, ...(await useHome(world)), ...(await signIn(world)), ...(await pair(world)) }
    const places = await everywhere(world)
    expectNoneOf(all, places)
    // Proves that the tap works: it has the tables with addresses, and messages between nodes.
    expect(places['what NATS keeps']).toContain(OLGA.email)
    const subjects = world.tap.messages.map(({ subject }) => subject)
    for (const part of ['$KV.hm-relay-flows.', '$KV.hm-relay-sessions.', 'hmr.v1.where.', 'hmr.v1.tell.all'])
      expect(
        subjects.some((subject) => subject.startsWith(part)),
        part,
      ).toBe(true)
    const messages = world.tap.messages.filter(({ subject }) => subject.startsWith('hmr.'))
    expect(texts(messages)).not.toContain(OLGA.email)
    expect([places['the log'], places['the metrics']].join('\n')).not.toContain(OLGA.email)
  })
})
