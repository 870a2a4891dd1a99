import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'

/** Fast enough that tests do not wait long for reports of units. */
const SIMULATOR = 'sim:speed=20'
const LIT = ['Ceiling light', 'Hall light', 'Worktop light', 'Study light']

/** The demo home in use: lamps are on, with persons, programs and an agent's request. */
export interface FurnishedHome extends AsyncDisposable {
  readonly gateway: GatewayProcess
  readonly origin: string
  /** Id of an integration that sees a part of the home. */
  readonly integration: string
  /** Makes an agent ask to open the front door, if no request is open; requests expire after a few minutes. */
  opening(): Promise<void>
  /** Renames the integration as another person. */
  savedElsewhere(): Promise<void>
  /** Creates a one-time link code for Anna, or another person. */
  link(person?: string): Promise<string>
}

/** Anna's password. */
export const PASSWORD = 'eleven geese'

interface Named {
  readonly id: string
  readonly name: string
  readonly gangs?: readonly Named[]
  readonly units?: readonly Named[]
  readonly rooms?: readonly Named[]
}

/** @param dataDir an empty folder */
export async function furnishedHome(dataDir: string): Promise<FurnishedHome> {
  const gateway = await GatewayProcess.start({ dataDir, env: { HM_HMHC: SIMULATOR, HM_LOG_LEVEL: 'info' } })
  const { admin, url, ca, token } = gateway
  if (token === null) throw new Error('The gateway printed no key.')
  await lit({ url, ca, token })
  await admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
  await admin.call('POST', '/persons', { name: 'Ben' })
  await admin.call('POST', '/persons', { name: 'Lena', member: { expose: ['floor:ground-floor'], people: 'anyone' } })
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
    link: async (person = 'Anna') => {
      const { links } = await admin.call<{ links: string[] }>('POST', '/links', { person })
      return links[0]?.split('#')[1] ?? ''
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** Switches lamps on in one call, because single calls are slow on a busy machine. */
async function lit(access: Access): Promise<void> {
  await using caller = new HttpCaller(access)
  const { body } = await caller.call({ method: 'GET', path: '/v1/house' })
  const controls = devicesOf(body as { floors: Named[] })
    .filter(({ name }) => LIT.includes(name))
    .map(({ id }) => ({ device: id, op: 'set_power', args: { on: true } }))
  await caller.call({ method: 'POST', path: '/v1/control', body: { controls } })
}

/** Makes a request with an invalid key. */
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

/** Creates an integration with a key, and one with an agent's request. Returns both ids. */
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
  // A mistyped key appears among the failed authentications.
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
