import type { Surroundings } from '#support/gateway/id-places.ts'
import { causeEventByHidden, causeHiddenEvent, causeVisibleEvent } from './home-events.ts'
import { NoninterferenceHome } from './home.ts'
import { visibleKeys, watchedView } from './watched-view.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'
import { type TestedAction, CLASSES, LOCALS, OPERATIONS, PICKED, PLACES, READS, TOPICS } from './actions.ts'

/** One home of a pair, with its last responses: paging continues from there. */
export class Player {
  readonly tested: NoninterferenceHome
  #nextTo: number | null = null
  #nextCursor: string | null = null
  #seq: number | null = null
  #run: string | null = null
  #requests = 0

  constructor(way: number, seed: number) {
    this.tested = new NoninterferenceHome(way, seed)
  }

  async play(step: TestedAction): Promise<void> {
    switch (step.kind) {
      case 'nothing':
        return undefined
      case 'read':
        return this.#ask({ method: 'GET', path: READS[step.path] ?? '' }, step.stream, step)
      case 'page':
        return this.#page(step)
      case 'ask':
        return this.#ask(await this.#request(step), step.stream, { conditional: step.local % 4 < 2 })
      case 'look': {
        const devices = [...watchedView(this.tested).devices()]
        return this.#ask(
          {
            method: 'GET',
            path: `/v1/devices/${encodeURIComponent(devices[step.which % devices.length]?.id ?? '')}${step.rest}`,
          },
          false,
          { conditional: step.which % 4 < 2 },
        )
      }
      case 'control':
        return this.#ask(
          {
            method: 'POST',
            path: `/v1/devices/${encodeURIComponent(this.#idOf(step.local))}/control`,
            body: OPERATIONS[step.value % OPERATIONS.length],
            ...(step.value % 4 === 0 ? { key: `key-${step.value % 3}` } : {}),
          },
          step.stream,
        )
      case 'batch':
        return this.#ask(
          {
            method: 'POST',
            path: '/v1/control',
            body: this.#manyOf(step),
            ...(step.value % 2 === 0 ? { key: `many-${step.value % 5}` } : {}),
          },
          step.stream,
        )
      case 'try':
        return this.#try(step)
      case 'edit':
        return this.#edit(step.scene, step.value)
      case 'subscribe':
        return this.#subscribe(step.topics, step.since)
      case 'seen':
        return causeVisibleEvent(this.tested, step.which, step.value)
      case 'by-hidden':
        return causeEventByHidden(this.tested, step.which, step.value)
      case 'link':
        return this.tested.bus.setLink(step.down ? 'radio' : null)
      case 'hidden':
        return causeHiddenEvent(this.tested)
      case 'pass':
        return this.tested.pass(step.ms)
    }
  }

  async #ask(
    request: TestRequest,
    stream: boolean,
    how: { conditional?: boolean; gzip?: boolean } = {},
  ): Promise<void> {
    if (!stream) return void (await this.tested.ask(request, how))
    this.#requests += 1
    this.tested.say({
      id: `r${this.#requests}`,
      method: request.method,
      path: request.path,
      query: request.query ?? null,
      body: request.body ?? null,
      idempotencyKey: request.key ?? null,
    })
    return undefined
  }

  async #page({ what, local, limit }: Extract<TestedAction, { kind: 'page' }>): Promise<void> {
    const id = this.#idOf(local)
    if (what === 'energy')
      return void (await this.tested.ask({
        method: 'GET',
        path: '/v1/energy',
        query: { scope: local % 2 === 0 ? 'house' : `device:${id}`, period: 'day' },
      }))
    if (what === 'house' || what === 'state' || what === 'sensors')
      return void (await this.tested.ask(
        {
          method: 'GET',
          path: `/v1/${what}`,
          query: {
            ...(local % 2 === 0 ? { class: CLASSES[limit % CLASSES.length] ?? '' } : {}),
            ...(local % 3 === 0 ? {} : { room: this.tested.id(local % 3 === 1 ? 'room:parlour' : 'room:vault') }),
          },
        },
        { conditional: limit % 2 === 0 },
      ))
    if (what === 'readings')
      return void (await this.tested.ask({
        method: 'GET',
        path: `/v1/devices/${encodeURIComponent(id)}/readings`,
        query: { kind: limit % 2 === 0 ? 'temperature' : 'motion', points: String(limit) },
      }))
    if (what === 'detections') {
      const cursor: Record<string, string> = this.#nextCursor === null ? {} : { cursor: this.#nextCursor }
      const { body } = await this.tested.ask({
        method: 'GET',
        path: `/v1/sensors/${encodeURIComponent(id)}/detections`,
        query: { limit: String(limit), ...cursor },
      })
      this.#nextCursor = (JSON.parse(String(body)) as { nextCursor?: string | null }).nextCursor ?? null
      return undefined
    }
    const query = {
      limit: String(limit),
      ...PICKED[local % PICKED.length],
      ...(local % 3 === 0 ? { device: id } : {}),
      ...(this.#nextTo === null ? {} : { to: String(this.#nextTo) }),
    }
    const { body } = await this.tested.ask({ method: 'GET', path: '/v1/activity', query })
    this.#nextTo = (JSON.parse(String(body)) as { nextTo?: number | null }).nextTo ?? null
    return undefined
  }

  /** A request of the contract with an id in it, valid or not. */
  async #request({ place: index, local, wrong }: Extract<TestedAction, { kind: 'ask' }>): Promise<TestRequest> {
    const place = PLACES[index]!
    const [automation, schedule] = [await this.#ruleOf('automation', local), await this.#ruleOf('schedule', local)]
    const around: Surroundings = {
      device: this.tested.id(visibleKeys(this.tested)[0] ?? 'none'),
      scene: this.tested.id('scene:evening'),
      group: this.tested.id('group:set'),
      automation,
      schedule,
    }
    const isRule = place.kinds.includes('automation') || place.kinds.includes('schedule')
    if (place.kinds.includes('run')) return place.request(await this.#runOf(local), around)
    const id = isRule ? (place.kinds.includes('automation') ? automation : schedule) : this.#idOf(local)
    const encoded = place.withWrongBody ? encodeURIComponent(id) : id
    return (wrong ? (place.withWrongBody ?? place.request) : place.request)(encoded, around)
  }

  /** The listed id of a visible rule, or the id of a hidden one. */
  async #ruleOf(kind: 'automation' | 'schedule', local: number): Promise<string> {
    const { body } = await this.tested.ask({ method: 'GET', path: `/v1/${kind}s` })
    const rules = (JSON.parse(String(body)) as Record<string, { id: string }[] | undefined>)[`${kind}s`] ?? []
    if (local % 2 === 0 && rules[0]) return rules[0].id
    const hidden = this.tested.home.rules[`${kind}s`]
      .list()
      .map(({ id }) => this.tested.id(`${kind}:${id}`))
      .find((id) => !rules.some((rule) => rule.id === id))
    return hidden ?? this.tested.id(`${kind}:invented`)
  }

  /** A dry run of a stored object, visible or hidden, or of a draft about visible things and perhaps another. */
  async #try({ what, stored, local, value, stream }: Extract<TestedAction, { kind: 'try' }>): Promise<void> {
    if (stored) {
      const scenes = ['scene:evening', 'scene:morning', 'scene:plot'] as const
      const id = what === 'scene' ? this.tested.id(scenes[value % 3]!) : await this.#ruleOf(what, local)
      return this.#ask({ method: 'POST', path: `/v1/${what}s/${encodeURIComponent(id)}/try` }, stream)
    }
    const seen = visibleKeys(this.tested).map((key) => this.tested.id(key))
    const device = seen[value % Math.max(1, seen.length)] ?? ''
    const steps = [
      { device, ...OPERATIONS[value % 2] },
      { delay: 1 + (value % 9) },
      ...(value % 3 === 0 ? [{ device: this.#idOf(local), op: 'open' }] : []),
      ...(value % 5 === 0 && what !== 'scene' ? [{ scene: this.tested.id('scene:evening') }] : []),
    ]
    const test = { device: value % 4 === 0 ? this.#idOf(local) : device, state: 'on', is: value % 2 === 0 }
    const rest = {
      scene: { steps },
      automation: { when: [{ time: '12:30' }], if: [test], then: steps },
      schedule: { at: { sun: 'sunset' }, then: steps },
    }[what]
    return this.#ask({ method: 'POST', path: `/v1/${what}s/try`, body: { name: 'Mine', ...rest } }, stream)
  }

  /** The id of the last visible run, or of a hidden one. */
  async #runOf(local: number): Promise<string> {
    const { body } = await this.tested.ask({ method: 'GET', path: '/v1/runs' })
    const { runs } = JSON.parse(String(body)) as { runs: { runId: string }[] }
    this.#run = runs[0]?.runId ?? this.#run
    // The run may have ended since.
    if (local % 3 > 0 && this.#run !== null) return this.#run
    const hidden = this.tested.home.rules.runs
      .underWay()
      .map(({ id }) => id)
      .find((id) => !runs.some(({ runId }) => runId === id))
    return hidden ?? 'invented'
  }

  /** Reads a scene and edits its visible steps. */
  async #edit(scene: string, value: number): Promise<void> {
    const path = `/v1/scenes/${encodeURIComponent(this.tested.id(`scene:${scene}`))}`
    const { body } = await this.tested.ask({ method: 'GET', path })
    const { scene: read } = JSON.parse(String(body)) as { scene?: { revision: number; steps: object[] } }
    if (!read) return
    const steps =
      value % 3 === 0
        ? read.steps.slice(1)
        : value % 3 === 1
          ? [...read.steps, { delay: 1 + value / 10 }]
          : read.steps.toReversed()
    await this.tested.ask({
      method: 'PATCH',
      path,
      // The whole scene as read, or only its steps.
      body: {
        ...(value % 4 === 1 ? read : {}),
        steps,
        ifRevision: value % 10 === 0 ? read.revision + 1 : read.revision,
      },
    })
  }

  /** Control of some devices, or of a room or floor. */
  #manyOf({ locals, place, value }: Extract<TestedAction, { kind: 'batch' }>): object {
    const operation = (shift: number): object => OPERATIONS[(value + shift) % OPERATIONS.length] ?? {}
    const where = /^(room|floor):/.exec(LOCALS[place] ?? '')?.[1]
    return where === undefined
      ? { controls: locals.map((local, index) => ({ device: this.#idOf(local), ...operation(index) })) }
      : { [where]: this.#idOf(place), ...operation(0) }
  }

  #subscribe(topics: readonly number[], since: boolean): void {
    this.#requests += 1
    const subscribe = topics.map((topic) => TOPICS[topic - LOCALS.length] ?? this.#topic(LOCALS[topic] ?? ''))
    this.tested.say({
      id: `r${this.#requests}`,
      subscribe,
      ...(since && this.#seq !== null ? { since: this.#seq } : {}),
    })
  }

  #topic(local: string): string {
    const kind = /^(room|floor):/.exec(local)?.[1] ?? 'device'
    return `${kind}:${this.tested.id(local)}`
  }

  #idOf(local: number): string {
    return this.tested.id(LOCALS[local % LOCALS.length] ?? '')
  }

  /** All answers since the last step. */
  async stepAnswers(): Promise<string[]> {
    await this.tested.settle()
    const answers = this.tested.answersSoFar()
    this.#seq =
      answers.map((text) => Number(/"seq":(\d+)/.exec(text)?.[1] ?? NaN)).findLast((seq) => !Number.isNaN(seq)) ??
      this.#seq
    return answers
  }
}
