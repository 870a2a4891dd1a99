import { SteadyTime } from '../../../src/auth/credentials/steady-time.ts'
import { CoreDb } from '../../../src/db/core/core-db.ts'
import { SqliteRules } from '../../../src/db/core/rule-store.ts'
import { SqliteSteady } from '../../../src/db/core/single-rows.ts'
import type { ActivityDraft, Cause, HeldMode, HeldPresence, HomeEvent } from '../../../src/home/model/events.ts'
import { ANYONE, anyoneOf, type HomePerson, type PresenceState } from '../../../src/home/model/presence.ts'
import { causesOf } from '../../../src/home/model/presence-causes.ts'
import { BUILT_IN_MODES } from '../../../src/home/model/modes.ts'
import type { Author, HomeInfo, Origin, Scene } from '../../../src/home/model/house.ts'
import { type SceneStep, stateAfter } from '../../../src/home/model/steps.ts'
import {
  type ChangeTrigger,
  type DeviceClass,
  type DeviceState,
  OPERATIONS_OF,
  type Readings,
} from '../../../src/home/model/device.ts'
import type { GroupTarget } from '../../../src/home/model/groups.ts'
import type { ChangePart } from '../../../src/home/ports/activity-log.ts'
import type {
  Control,
  ControlFailure,
  ControlItem,
  OpeningRefusal,
  Priority,
  StateReader,
} from '../../../src/home/ports/unit-bus.ts'
import type { MessageDraft } from '../../../src/home/model/messages.ts'
import { Tells } from '../../../src/home/messages/tells.ts'
import type { CalendarEvents } from '../../../src/home/ports/calendars.ts'
import type { RuleStore, Teller } from '../../../src/home/ports/rule-store.ts'
import type { AutomationDraft, ScheduleDraft } from '../../../src/home/model/rules.ts'
import { PastValues } from '../../../src/home/record/past-values.ts'
import { Recorder } from '../../../src/home/record/recorder.ts'
import { Rules } from '../../../src/home/rules/rules.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import type { Random } from '../../../src/lib/random.ts'
import { type Result, fail, ok } from '../../../src/lib/result.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { tempHistory } from '#support/homes/history.ts'
import { homeInfo, sceneOf } from '#support/homes/house-content.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'

export const ANNA: Cause = { source: 'person', name: 'Anna' }
export const BERLIN: HomeInfo = homeInfo({ latitude: 52.52, longitude: 13.405 })

export const on = (device: string): SceneStep => ({ device, op: 'set_power', args: { on: true } })
export const off = (device: string): SceneStep => ({ device, op: 'set_power', args: { on: false } })

export function automation(draft: Partial<AutomationDraft>): AutomationDraft {
  return {
    name: 'Rule',
    enabled: true,
    when: [{ time: '07:00' }],
    if: [],
    then: [on('lamp')],
    mode: 'single',
    ...draft,
  }
}

export function schedule(draft: Partial<ScheduleDraft>): ScheduleDraft {
  return {
    name: 'Timer',
    enabled: true,
    at: { time: '07:00' },
    days: [1, 2, 3, 4, 5, 6, 7],
    if: [],
    then: [on('lamp')],
    ...draft,
  }
}

/** Ids that count up, for readable tests. */
export class CountingRandom implements Random {
  #count = 0
  bytes(count: number): Buffer {
    this.#count += 1
    return Buffer.from(Array.from({ length: count }, (_, index) => (this.#count >> (index * 4)) & 15))
  }
  uuid(): string {
    this.#count += 1
    return `run-${this.#count}`
  }
}

export interface Sent {
  readonly at: number
  readonly device: string
  readonly op: string
  readonly cause: Cause
  readonly priority: Priority
  /** Number of the call; items of one call share it. */
  readonly group: number
}

/** Takes commands as units would; states follow while `echo` is set. */
export class FakeControl implements Control {
  readonly sent: Sent[] = []
  readonly failures = new Map<string, ControlFailure>()
  delayMs = 0
  /** Reports the confirmed state as an event, as the gateway does. */
  echo: ((item: ControlItem, state: DeviceState, cause: Cause) => void) | null = null
  #groups = 0
  readonly #clock: ManualClock

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  obstacle({ device }: ControlItem): ControlFailure | null {
    return this.failures.get(device) ?? null
  }

  async perform(item: ControlItem, cause: Cause, priority: Priority): Promise<Result<DeviceState, ControlFailure>> {
    return (await this.performMany([item], cause, priority))[0]!
  }

  async performMany(
    items: readonly ControlItem[],
    cause: Cause,
    priority: Priority,
  ): Promise<readonly Result<DeviceState, ControlFailure>[]> {
    const group = this.#groups++
    for (const { device, command } of items)
      this.sent.push({ at: this.#clock.now(), device, op: command.op, cause, priority, group })
    if (this.delayMs > 0) await new Promise<void>((resolve) => this.#clock.after(this.delayMs, resolve))
    return items.map((item) => {
      const { device, command } = item
      const failure = this.failures.get(device)
      if (failure) return fail(failure)
      const state: DeviceState = { on: command.op === 'set_power' && command.args.on, mode: 'manual' }
      this.echo?.(item, state, cause)
      return ok(state)
    })
  }
}

/** A history that keeps the events of a home over its restarts. */
type HistoryOfTest = ReturnType<typeof tempHistory>

/** A home with the real rules over a real database, a fake control and a clock that stands still. */
export class RulesHome {
  readonly clock: ManualClock
  readonly core: CoreDb
  readonly events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  readonly control: FakeControl
  /** Messages of rules. */
  readonly messages: MessageDraft[] = []
  /** Links whose rules may send no messages. */
  readonly silenced = new Set<string>()
  readonly log: ActivityDraft[] = []
  readonly emittedEvents: HomeEvent[] = []
  readonly scenes = new Map<string, Scene>()
  /** Reasons why credentials may not open locks and gates, by link; other credentials may. */
  readonly refusals = new Map<string, OpeningRefusal>()
  /** Devices of groups: `light`, or `light kitchen` in a room. */
  readonly groups = new Map<string, readonly string[]>()
  /** The latest to change the members of a group; missing for an administrator. */
  readonly groupAuthors = new Map<string, Origin>()
  /** Devices that are hidden from authors, by their integration. */
  readonly hidden = new Map<string, readonly string[]>()
  /** Classes of devices that are no light switch, besides `door…`. */
  readonly classes = new Map<string, DeviceClass>()
  readonly states = new Map<string, DeviceState>()
  readonly readings = new Map<string, Readings>()
  /** Units that do not answer. */
  readonly silent = new Set<string>()
  /** Replacement times of devices, epoch ms. */
  readonly replacedAt = new Map<string, number>()
  held: HeldMode = { mode: 'home', since: 0, until: null, previous: null, cause: ANNA }
  /** Persons with their presences. */
  readonly people = new Map<string, HomePerson & HeldPresence>()
  /** The gateway's own log over all restarts. */
  readonly lines: RecordingLog
  readonly rules: Rules
  isClockDoubted = false
  readonly #history: HistoryOfTest | undefined
  readonly #calendars: CalendarEvents | undefined
  readonly #steady: SteadyTime
  readonly #random: Random
  info: HomeInfo = BERLIN

  constructor(
    parts: {
      at?: string | number
      /** The clock of a machine that ran on while the process was stopped. */
      clock?: ManualClock
      file?: string
      core?: CoreDb
      store?: (store: RuleStore) => RuleStore
      random?: Random
      lines?: RecordingLog
      history?: HistoryOfTest
      calendars?: CalendarEvents
    } = {},
  ) {
    const { at = '2027-05-03T12:00:00+02:00' } = parts
    this.clock = parts.clock ?? new ManualClock(typeof at === 'number' ? at : Date.parse(at))
    this.core = parts.core ?? new CoreDb(parts.file ?? ':memory:')
    this.control = new FakeControl(this.clock)
    this.lines = parts.lines ?? recordingLog()
    this.#random = parts.random ?? new CountingRandom()
    const store = new SqliteRules(this.core)
    this.#steady = new SteadyTime({ clock: this.clock, store: new SqliteSteady(this.core) })
    this.events.on((event) => this.emittedEvents.push(event))
    this.#history = parts.history
    this.#calendars = parts.calendars
    if (parts.history) {
      const { activity, detections, readings, lastReadings } = parts.history
      const energy = { take: () => {}, resetCounters: () => {} }
      const recorder = new Recorder({ activity, detections, readings, lastReadings, energy })
      this.events.on((event) => recorder.onHomeEvent(event))
    }
    this.rules = new Rules({
      store: parts.store ? parts.store(store) : store,
      work: this.core,
      activity: { record: (draft) => this.log.push(draft), committed: () => Promise.resolve() },
      control: this.control,
      states: {
        reachable: (unit) => !this.silent.has(unit),
        state: (device) => this.states.get(device) ?? null,
        readings: (unit) => this.readings.get(unit) ?? null,
        mode: () => this.held,
        presence: (person) => this.presenceOf(person),
      },
      hasMode: (mode) => BUILT_IN_MODES.some(({ id }) => id === mode),
      modeName: (mode) => BUILT_IN_MODES.find(({ id }) => id === mode)?.name ?? null,
      setMode: (mode, cause) => this.mode(mode, cause),
      past: parts.history ? new PastValues(parts.history) : { valuesOf: () => [] },
      events: this.events,
      scenes: (id) => this.scenes.get(id),
      since: (device) => this.replacedAt.get(device) ?? 0,
      classOf: (device) => this.#classOf(device),
      groups: {
        members: (target, author) => this.#membersOf(target, author),
        includes: (target, author, device) => this.#membersOf(target, author).includes(device),
        exists: ({ group }) => this.groups.has(group),
        author: ({ group }) => this.groupAuthors.get(group) ?? null,
        devicesOf: (unit) => [unit],
        operations: (device) => OPERATIONS_OF[this.#classOf(device)],
      },
      opening: { refusalOf: ({ link }) => this.refusals.get(link) ?? null },
      teller: this.#teller(),
      home: () => this.info,
      ...(parts.calendars && { calendars: parts.calendars }),
      seed: 'this home',
      clock: this.clock,
      steady: () => this.#steady.now(),
      isClockDoubted: () => this.isClockDoubted,
      random: this.#random,
      log: this.lines,
    })
  }

  /** All devices stand in the kitchen. */
  #teller(): Teller {
    return new Tells({
      post: (draft) => this.messages.push(draft),
      place: (name) => ({ name, room: { id: 'kitchen', name: 'Kitchen' } }),
      timeZone: () => this.info.timeZone,
      rule: ({ kind, id }) => (kind === 'scene' ? undefined : this.rules[`${kind}s`].get(id)),
      mayTell: ({ link }) => !this.silenced.has(link),
      activity: { record: (draft) => this.log.push(draft), committed: () => Promise.resolve() },
      clock: this.clock,
    })
  }

  /**
   * A home after the gateway's process has died and `ms` have passed; only stored state remains. The machine restarted
   * too, unless `clock` is that of this home.
   */
  restarted(ms = 0, clock?: ManualClock): RulesHome {
    this.control.sent.length = 0
    this.#steady.save()
    this.rules.stop()
    // Random ids never repeat, because restarted ids would equal stored ones.
    const home = new RulesHome({
      at: this.clock.now() + ms,
      ...(clock && { clock }),
      core: this.core,
      random: this.#random,
      lines: this.lines,
      ...(this.#history && { history: this.#history }),
      ...(this.#calendars && { calendars: this.#calendars }),
    })
    for (const [id, scene] of this.scenes) home.scenes.set(id, scene)
    for (const [group, members] of this.groups) home.groups.set(group, members)
    for (const [device, its] of this.classes) home.classes.set(device, its)
    for (const [device, state] of this.states) home.states.set(device, state)
    home.held = this.held
    for (const [id, person] of this.people) home.people.set(id, person)
    for (const unit of this.silent) home.silent.add(unit)
    for (const [device, at] of this.replacedAt) home.replacedAt.set(device, at)
    for (const [link, refusal] of this.refusals) home.refusals.set(link, refusal)
    for (const link of this.silenced) home.silenced.add(link)
    return home
  }

  #classOf(device: string): DeviceClass {
    return this.classes.get(device) ?? (device.startsWith('door') ? 'lock' : 'light_switch')
  }

  #membersOf({ group, room }: GroupTarget, author: Author): readonly string[] {
    const hidden = author === null ? [] : (this.hidden.get(author.integration) ?? [])
    const members = this.groups.get(room === undefined ? group : `${group} ${room}`) ?? []
    return members.filter((device) => !hidden.includes(device))
  }

  /** Stores one part of a change separately. */
  change(part: ChangePart): void {
    this.core.change(part.store)
    part.apply()
  }

  automation(draft: Partial<AutomationDraft>, author: Author = null): string {
    const made = this.rules.automations.create(automation(draft), author, ANNA)
    if (!made.ok) throw new Error(made.error.kind)
    return made.value.id
  }

  schedule(draft: Partial<ScheduleDraft>): string {
    const made = this.rules.schedules.create(schedule(draft), null, ANNA)
    if (!made.ok) throw new Error(made.error.kind)
    return made.value.id
  }

  scene(id: string, steps: readonly SceneStep[]): void {
    this.scenes.set(id, sceneOf(id, { steps }))
  }

  /** Changes a device's confirmed state. */
  state(
    device: string,
    state: DeviceState,
    cause: Cause = { source: 'unit', name: 'touched at the wall', ref: device },
    trigger: ChangeTrigger = 'touch',
  ): void {
    const previous = this.states.get(device) ?? null
    this.states.set(device, state)
    this.events.emit({
      kind: 'state',
      device,
      state,
      previous,
      changed: JSON.stringify(previous) !== JSON.stringify(state),
      trigger,
      cause,
      asOf: this.clock.now(),
    })
  }

  /** Sets the mode of the home for good, as `PresentMode` does. */
  mode(mode: string, cause: Cause = ANNA): void {
    const { mode: before } = this.held
    if (mode === before) return
    const at = this.clock.now()
    this.held = { mode, since: at, until: null, previous: null, cause }
    this.events.emit({ kind: 'mode', held: this.held, before, modes: BUILT_IN_MODES, at })
  }

  /** The presence of a person or `anyone`, as `Presences` has it. */
  presenceOf(person: string): ReturnType<StateReader['presence']> {
    const all = [...this.people.values()]
    const is = person === ANYONE ? anyoneOf(all.map((one) => one.is)) : (this.people.get(person)?.is ?? 'unknown')
    return { is, causes: causesOf(person, all) }
  }

  /** Reports the presence of a person, as `Presences` does. */
  reports(person: string, is: PresenceState, cause: Cause = ANNA, isReported = true): void {
    const before = [person, ANYONE].map((id) => ({ person: id, before: this.presenceOf(id).is }))
    this.people.set(person, { id: person, name: person, is, since: this.clock.now(), cause })
    const all = before.map((change) => ({ ...change, is: this.presenceOf(change.person).is }))
    const [anyone, persons] = [{ is: this.presenceOf(ANYONE).is, since: 0, cause: null }, [...this.people.values()]]
    const changes = all.filter((change) => change.is !== change.before)
    this.events.emit({ kind: 'presence', changes, isReported, anyone, persons, cause, at: this.clock.now() })
  }

  /** Replaces a device's unit by another, whose state is not read yet. */
  replace(unit: string): void {
    this.states.delete(unit)
    this.readings.delete(unit)
    this.replacedAt.set(unit, this.clock.now())
    this.events.emit({ kind: 'rebound', unit, cause: ANNA, at: this.clock.now() })
  }

  power(device: string, isOn: boolean, cause?: Cause): void {
    this.state(device, { on: isOn, mode: 'manual' }, cause)
  }

  reading(unit: string, readings: Readings): void {
    const previous = this.readings.get(unit) ?? null
    const merged = { ...previous, ...readings }
    this.readings.set(unit, merged)
    this.events.emit({
      kind: 'readings',
      device: unit,
      readings: merged,
      previous,
      changed: true,
      asOf: this.clock.now(),
    })
  }

  /** A unit stops answering, or answers again. */
  contact(unit: string, reachable: boolean): void {
    if (reachable) this.silent.delete(unit)
    else this.silent.add(unit)
    this.events.emit({ kind: 'unit', unit, reachable, at: this.clock.now() })
  }

  detect(unit: string, value = true): void {
    this.events.emit({ kind: 'detection', unit, detection: 'motion', value, at: this.clock.now() })
  }

  /** Reports confirmed states of commands as events. */
  echo(): void {
    this.control.echo = ({ device, command }, state, cause) => {
      const known = this.states.get(device)
      this.state(device, known === undefined ? state : stateAfter(known, command), cause)
    }
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advanceAsync(ms)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  /** Devices of the sent commands, in order. */
  get devices(): string[] {
    return this.control.sent.map((sent) => sent.device)
  }

  /** Activity of configuration changes, oldest first. */
  changes(): string[] {
    const rows = this.core.db.prepare('SELECT draft FROM activity_outbox ORDER BY id').all() as { draft: string }[]
    return rows.map((row) => (JSON.parse(row.draft) as ActivityDraft).what)
  }

  entries(kind: ActivityDraft['kind']): string[] {
    return this.log.filter((draft) => draft.kind === kind).map((draft) => draft.what)
  }
}

/** A started home whose rules are created first. */
export function startedRules(
  build: (home: RulesHome) => void = () => {},
  parts: { readonly history?: HistoryOfTest } = {},
): RulesHome {
  const home = new RulesHome(parts)
  build(home)
  home.rules.start()
  return home
}
