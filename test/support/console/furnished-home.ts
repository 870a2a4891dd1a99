import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'

/** Units report now and then: at this speed nobody waits long for one. */
const SIMULATOR = 'sim:speed=20'
const LIT = ['Ceiling light', 'Hall light', 'Worktop light', 'Study light']

/** The demo home as people find it after a while: lamps are on, somebody has a name, programs and an agent knock. */
export interface FurnishedHome extends AsyncDisposable {
  readonly gateway: GatewayProcess
  readonly origin: string
  /** The id of a program that sees a part of the home. */
  readonly integration: string
  /** Has an agent ask to open the front door, if none does: whoever is told waits for a few minutes only. */
  opening(): Promise<void>
  /** Gives that program another name, as somebody else does on another device. */
  savedElsewhere(): Promise<void>
  /** A code that opens the console once, as Anna. */
  link(): Promise<string>
}

/** What Anna comes in by where no link is wanted. */
export const PASSWORD = 'eleven geese'

interface Named {
  readonly id: string
  readonly name: string
  readonly gangs?: readonly Named[]
  readonly units?: readonly Named[]
  readonly rooms?: readonly Named[]
}

/** @param dataDir an empty folder of the caller's */
export async function furnishedHome(dataDir: string): Promise<FurnishedHome> {
  const gateway = await GatewayProcess.start({ dataDir, env: { HM_HMHC: SIMULATOR, HM_LOG_LEVEL: 'info' } })
  const { admin, url, ca, token } = gateway
  if (token === null) throw new Error('The gateway printed no key.')
  await lit({ url, ca, token })
  await admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
  await admin.call('POST', '/persons', { name: 'Ben' })
  const { tablet, assistant } = await programs(gateway, { url, ca, token })
  const doorman = await admin.call<{ token: string }>('POST', '/agents', {
    integration: assistant,
    name: 'Doorman',
    platform: 'Desk',
  })
  await admin.call('POST', '/operators', { name: 'Prometheus', scopes: ['metrics'] })
  await turnedAway({ url, ca, token: 'hm_key_of_nobody' })
  let saved = 0
  return {
    gateway,
    origin: `https://localhost:${gateway.port}`,
    integration: tablet,
    opening: () => opening(gateway, assistant, { url, ca, token: doorman.token }),
    savedElsewhere: async () => {
      saved += 1
      await admin.call('PATCH', `/integrations/${tablet}`, { name: saved % 2 === 1 ? 'Tablet' : 'Wall tablet' })
    },
    link: async () => {
      const { links } = await admin.call<{ links: string[] }>('POST', '/links', { person: 'Anna' })
      return links[0]?.split('#')[1] ?? ''
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** In one call: on a busy machine each control takes its time, and an idle connection is closed meanwhile. */
async function lit(access: Access): Promise<void> {
  await using caller = new HttpCaller(access)
  const { body } = await caller.call({ method: 'GET', path: '/v1/house' })
  const controls = devicesOf(body as { floors: Named[] })
    .filter(({ name }) => LIT.includes(name))
    .map(({ id }) => ({ device: id, op: 'set_power', args: { on: true } }))
  await caller.call({ method: 'POST', path: '/v1/control', body: { controls } })
}

/** Somebody tries a key that is none. */
async function turnedAway(access: Access): Promise<void> {
  await using caller = new HttpCaller(access)
  const { status } = await caller.call({ method: 'GET', path: '/v1/house' })
  if (status !== 401) throw new Error(`A key that is none was answered ${status}.`)
}

const devicesOf = ({ floors }: { readonly floors: readonly Named[] }): readonly Named[] =>
  floors
    .flatMap(({ rooms = [] }) => rooms)
    .flatMap(({ units = [] }) => units)
    .flatMap((unit) => unit.gangs ?? [unit])

/** A program with a key, and one for agents, at which one asks for access. Answers the ids of both. */
async function programs(
  { admin }: GatewayProcess,
  access: Access,
): Promise<{ readonly tablet: string; readonly assistant: string }> {
  const made = async (body: object): Promise<string> =>
    (await admin.call<{ integration: { id: string } }>('POST', '/integrations', body)).integration.id
  const tablet = await made({ name: 'Wall tablet', expose: ['floor:ground-floor', 'scene:dinner'] })
  await admin.call('POST', '/keys', { integration: tablet, name: 'kitchen' })
  const settings = { agent_access: 'on', allow_unlock: 'on' }
  const assistant = await made({ name: 'Assistant', expose: ['all'], settings })
  const { gateway } = await admin.call<{ gateway: string }>('GET', '/status')
  await using caller = new HttpCaller({ ...access, token: null })
  // Somebody whose key was mistyped stands among those who were turned away.
  await using mistyped = new HttpCaller({ ...access, token: 'hm_key_mistyped' })
  await mistyped.call({ method: 'GET', path: '/v1/house' })
  const wish = { gateway, name: 'Claude Code', platform: 'Laptop' }
  const { status, text } = await caller.call({ method: 'POST', path: '/v1/pair', body: wish })
  if (status !== 200) throw new Error(`Pairing answered ${status}: ${text}`)
  return { tablet, assistant }
}

async function opening({ admin }: GatewayProcess, integration: string, access: Access): Promise<void> {
  const { confirmations } = await admin.call<{ confirmations: object[] }>('GET', '/confirmations')
  if (confirmations.length > 0) return
  const { gateway } = await admin.call<{ gateway: string }>('GET', '/status')
  await using caller = new HttpCaller(access)
  const path = `/v1/devices/${gateway}:${integration}:front-door/control`
  const { status, text } = await caller.call({ method: 'POST', path, body: { op: 'open' } })
  if (status !== 403) throw new Error(`The opening answered ${status}: ${text}`)
}
