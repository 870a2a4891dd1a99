import { HttpCaller } from '#support/gateway/callers.ts'
import type { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { AdminSocket } from '../../../src/cli/commands/context.ts'

/** The name of a home in its device paths, and a key of it. */
export interface DayHome {
  readonly prefix: string
  readonly token: string
}

export interface DayAnswer {
  readonly what: string
  readonly status: number
  readonly body: unknown
}

/** Changes that the gateway acknowledged and must still have after the next start. */
interface Acknowledged {
  readonly scenes: string[]
  readonly integrations: string[]
  readonly revoked: { readonly link: string; readonly token: string }[]
  readonly backups: string[]
  /** Possible names of the unit: the last acknowledged one, and later ones with unknown outcome. */
  names: string[]
}

const ANY_STATUS = /^(?:2\d\d|503|409|403|401|404|422)$/
const LAMP = 'hall-light'

/** One day of a home, step by step, with all responses. */
export class ScriptedDay {
  readonly answers: DayAnswer[] = []
  readonly acknowledged: Acknowledged = { scenes: [], integrations: [], revoked: [], backups: [], names: [] }
  readonly #home: DayHome

  constructor(home: DayHome) {
    this.#home = home
  }

  /** Responses that report a defect, and requests without a response. */
  get wrong(): readonly DayAnswer[] {
    return this.answers.filter(({ status }) => !ANY_STATUS.test(String(status)))
  }

  async live(gateway: GatewayProcess): Promise<void> {
    await using http = new HttpCaller({ url: gateway.url, ca: gateway.ca, token: this.#home.token })
    const { acknowledged } = this
    const lamp = `/v1/devices/${this.#home.prefix}:${LAMP}`
    const ask = (method: string, path: string, body?: object): Promise<DayAnswer> =>
      this.#request(`${method} ${path}`, http.send(method, path, { body }))
    const admin = (method: string, path: string, body?: object): Promise<DayAnswer> =>
      this.#request(
        `${method} ${path} by an administrator`,
        new AdminSocket(gateway.dataDir, ANSWER_WAIT_MS).exchange(method, `/admin/v1${path}`, body),
      )
    await ask('GET', '/v1/house')
    await ask('POST', `${lamp}/control`, { op: 'set_power', args: { on: true } })
    await this.#rename(ask, lamp, 'Morning light')
    const scene = await this.#withKey(http, 'POST', '/v1/scenes', {
      name: 'Evening',
      steps: [{ device: `${this.#home.prefix}:${LAMP}`, op: 'set_power', args: { on: true } }],
    })
    if (scene.status === 201) acknowledged.scenes.push((scene.body as { scene: { id: string } }).scene.id)
    const made = await admin('POST', '/integrations', { name: 'Day', expose: ['all'] })
    if (made.status === 201)
      await this.#integration(admin, (made.body as { integration: { id: string } }).integration.id)
    const { body: exported, status } = await admin('GET', '/house/file')
    if (status === 200) await admin('PUT', '/house/file', { file: (exported as { file: string }).file })
    const backup = await admin('POST', '/backups', { history: true })
    if (backup.status === 200) {
      const { name } = (backup.body as { backup: { name: string } }).backup
      acknowledged.backups.push(name)
      await admin('POST', `/backups/${name}/restore`, { check: true })
    }
    await admin('POST', '/tls/renew', {})
    for (const path of ['/v1/activity', '/v1/energy', `${lamp}/explain`, '/v1/runs', '/v1/scenes'])
      await ask('GET', path)
    for (const path of ['/status', '/metrics', '/activity', '/integrations', '/relay', '/backups', '/about', '/tls'])
      await admin('GET', path)
    await admin('PUT', '/relay/passthrough', { mode: 'only' })
    await this.#rename(ask, lamp, 'Evening light')
  }

  /** True if the gateway accepts changes now. */
  async changes(gateway: GatewayProcess): Promise<boolean> {
    await using http = new HttpCaller({ url: gateway.url, ca: gateway.ca, token: this.#home.token })
    const { status } = await this.#rename(
      (method, path, body) =>
        this.#request(`${method} ${path} on a disk that is well`, http.send(method, path, { body })),
      `/v1/devices/${this.#home.prefix}:${LAMP}`,
      'Night light',
    )
    return status === 200
  }

  /** Acknowledged changes that are missing after a start without faults. */
  async lost(gateway: GatewayProcess): Promise<readonly string[]> {
    const access = { url: gateway.url, ca: gateway.ca, token: this.#home.token }
    await using http = new HttpCaller(access)
    const { scenes, names, integrations, revoked, backups } = this.acknowledged
    const lost: string[] = []
    const { body: listed } = await http.send('GET', '/v1/scenes', { body: undefined })
    const ids = (listed as { scenes?: { id: string }[] }).scenes?.map(({ id }) => id) ?? []
    for (const id of scenes) if (!ids.includes(id)) lost.push(`scene ${id}`)
    const path = `/v1/devices/${this.#home.prefix}:${LAMP}`
    const { body } = await http.send('GET', path, { body: undefined })
    const name = (body as { device?: { name: string } }).device?.name ?? 'no device'
    if (names.length > 0 && !names.includes(name)) lost.push(`the name ${names.join(' or ')}: it is ${name}`)
    const admin = new AdminSocket(gateway.dataDir, ANSWER_WAIT_MS)
    const all = (await admin.exchange('GET', '/admin/v1/integrations')).body as { integrations: { id: string }[] }
    for (const id of integrations)
      if (!all.integrations.some((integration) => integration.id === id)) lost.push(`integration ${id}`)
    for (const { link, token } of revoked)
      if ((await http.send('GET', '/v1/house', { body: undefined, token })).status !== 401)
        lost.push(`the end of ${link}`)
    for (const backup of backups) {
      const checked = await admin.exchange('POST', `/admin/v1/backups/${backup}/check`)
      if (checked.status !== 200) lost.push(`backup ${backup}: ${JSON.stringify(checked.body)}`)
    }
    const activity = (await admin.exchange('GET', '/admin/v1/activity?limit=200')).body as {
      entries: { what: string }[]
    }
    if (scenes.length > 0 && !activity.entries.some(({ what }) => what.includes('Evening'))) lost.push('its activity')
    return lost
  }

  async #rename(ask: (method: string, path: string, body?: object) => Promise<DayAnswer>, lamp: string, name: string) {
    const answer = await ask('PATCH', lamp, { name })
    if (answer.status === 200) this.acknowledged.names = [name]
    else if (JSON.stringify(answer.body).includes('outcome_unknown')) this.acknowledged.names.push(name)
    return answer
  }

  async #integration(
    admin: (method: string, path: string, body?: object) => Promise<DayAnswer>,
    id: string,
  ): Promise<void> {
    this.acknowledged.integrations.push(id)
    const made = await admin('POST', '/keys', { integration: id })
    if (made.status !== 201) return
    const { token, link } = made.body as { token: string; link: string }
    const { status } = await admin('DELETE', `/keys/${link}`)
    if (status === 200) this.acknowledged.revoked.push({ link, token })
  }

  #withKey(http: HttpCaller, method: string, path: string, body: object): Promise<DayAnswer> {
    return this.#request(`${method} ${path} with a key`, http.send(method, path, { body, key: 'evening' }))
  }

  async #request(what: string, answered: Promise<{ status: number; body: unknown }>): Promise<DayAnswer> {
    const { status, body } = await answered.catch((error: unknown) => ({ status: 0, body: String(error) }))
    const answer = { what, status, body }
    this.answers.push(answer)
    return answer
  }
}

const ANSWER_WAIT_MS = 30_000
