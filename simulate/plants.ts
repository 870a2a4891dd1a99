import { type DeviceKey, parseDeviceKey, type DeviceState } from '../src/home/model/device.ts'
import type { Plant } from './world/plant.ts'
import { refusedWith } from '../src/api/answers.ts'
import type { Dispatcher } from '../src/api/dispatch.ts'
import { Refusal } from '../src/api/errors.ts'
import type { ExposedHouses } from '../src/exposure/exposed-house.ts'
import type { Integration } from '../src/exposure/integration.ts'
import type { HomeBus } from '../src/gateway/home.ts'
import { type ActivityDraft, GATEWAY_CAUSE } from '../src/home/model/events.ts'

const DEAF_EVERY = 5
const LOST_EVERY = 3
const THROWS_EVERY = 5
const REFUSED_EVERY = 3
const LEFT_BEHIND_MS = 3_600_000
const NUMBERS = 2 ** 19

/** Members of a part, and of its parts. */
type Members<T> = {
  readonly [K in keyof T]?: T[K] extends (...given: never[]) => unknown ? T[K] : Members<T[K]>
}

/** A part with some of its members replaced, or members of these; what it calls of its own stays its own. */
function overriding<T extends object>(part: T, members: Members<T>): T {
  const replaced = new Map<unknown, unknown>(
    Object.entries<unknown>({ ...members }).map(([name, member]) => {
      const own: unknown = Reflect.get(part, name)
      return [name, isPart(member) && isPart(own) ? overriding(own, member) : member]
    }),
  )
  return new Proxy(part, {
    get: (target, name) => {
      if (replaced.has(name)) return replaced.get(name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
    // A listener that is set in place of a planted one is not heard.
    set: (target, name, value) => replaced.has(name) || Reflect.set(target, name, value),
  })
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What is recorded passes `each` on its way. */
function recording(each: (draft: ActivityDraft, record: (draft: ActivityDraft) => void) => void): Plant {
  return {
    stores: (stores) => {
      const { activity } = stores.history
      const record = (draft: ActivityDraft): void => each(draft, (changed) => activity.record(changed))
      return overriding(stores, { history: { activity: { record } } })
    },
  }
}

/** Defects by name. */
export const PLANTS: ReadonlyMap<string, Plant> = new Map(
  Object.entries<Plant>({
    /** Records expire by the wall clock, even by a wrong one. */
    'wrong-clock-forgets': {
      stores: (stores, clock) => {
        const { upkeep } = stores.history
        const step = (): boolean => upkeep.step(clock.now())
        return overriding(stores, { history: { upkeep: { step } } })
      },
    },
    /** The step itself does not check whether its author may open. */
    'opens-unasked': { opening: (opening) => overriding(opening, { refusalOf: () => null }) },
    /** Each statement of a change is a transaction of its own. */
    'changes-in-pieces': {
      stores: (stores) => {
        const { core } = stores
        const change: typeof core.change = (run) => {
          const drafts: ActivityDraft[] = []
          let answer: ReturnType<typeof run> | undefined
          let failed: { readonly error: unknown } | null = null
          try {
            answer = run((draft) => drafts.push(draft))
          } catch (error) {
            failed = { error }
          }
          core.change((record) => {
            if (failed !== null) throw failed.error
            drafts.forEach(record)
          })
          return answer as ReturnType<typeof run>
        }
        return overriding(stores, { core: { change } })
      },
    },
    /** The configuration is acknowledged before it is synced. */
    'not-synced': {
      stores: (stores) => {
        const onDisk = (): Promise<void> => Promise.resolve()
        return overriding(stores, { core: { onDisk } })
      },
    },
    /** A change that is made while the disk fails to sync is refused as if it had not been. */
    'refused-but-made': {
      dispatcher: (dispatcher) => {
        const answer: Dispatcher['answer'] = async (call) => {
          const answered = await dispatcher.answer(call)
          const isMade = String(answered.body).includes('"outcome_unknown"')
          return isMade ? refusedWith('storage_unavailable', { retryAfter: 30 }) : answered
        }
        return overriding(dispatcher, { answer })
      },
    },
    /** Every row of the activity is there twice. */
    'records-twice': recording((draft, record) => {
      record(draft)
      record(draft)
    }),
    /** The author of a change is lost. */
    'forgets-causes': recording((draft, record) => record({ ...draft, cause: GATEWAY_CAUSE })),
    /** Every fifth state that a unit reports by itself is lost; states that the gateway reads are not. */
    'hears-badly': {
      bus: (bus) => {
        let reports = 0
        return overriding(bus, {
          onReport: (listener) =>
            bus.onReport((report) => {
              const isHeard = report.kind !== 'state' || report.trigger === 'sync' || ++reports % DEAF_EVERY !== 0
              if (isHeard) listener(report)
            }),
        })
      },
    },
    /** That an occurrence came round is not kept over a restart. */
    'runs-again': {
      stores: (stores) => {
        const { rules } = stores
        const claim: typeof rules.claim = (_claim, run) => {
          if (run !== null) rules.begin(run)
          return true
        }
        return overriding(stores, { rules: { claim, claims: () => [] } })
      },
    },
    /** A date that a wrong clock told counts as the right one. */
    'trusts-clocks': {
      stores: (stores) => {
        const { rules } = stores
        const claim: typeof rules.claim = (its, run) => {
          const isKnown = rules
            .claims()
            .some(({ owner, slot, date }) => owner === its.owner && slot === its.slot && date === its.date)
          return !isKnown && rules.claim(its, run)
        }
        return overriding(stores, { rules: { claim } })
      },
    },
    /** The stream shows every integration everything. */
    'shows-all': {
      views: (views) => {
        const shown = new WeakMap<Integration, Integration>()
        const of: ExposedHouses['of'] = (integration) => {
          const all = shown.get(integration) ?? { ...integration, exposure: { expose: 'All' } }
          shown.set(integration, all)
          return views.of(all)
        }
        return overriding(views, { of })
      },
    },
    /** A credential that was looked up once is not looked up again. */
    'remembers-keys': {
      stores: (stores) => {
        const { credentials } = stores
        const known = new Map<string, ReturnType<typeof credentials.get>>()
        const get: typeof credentials.get = (link) => {
          if (known.get(link) === undefined) known.set(link, credentials.get(link))
          return known.get(link)
        }
        return overriding(stores, { credentials: { get } })
      },
    },
    /** Callers that ask for missing things learn how many there are. */
    'tells-how-much': {
      dispatcher: (dispatcher, { house }) => {
        const answer: Dispatcher['answer'] = async (call) => {
          const answered = await dispatcher.answer(call)
          if (answered.status !== 404) return answered
          const { rooms } = house.load()
          return {
            ...answered,
            body: String(answered.body).replace('no such thing', `none among ${rooms.length} rooms`),
          }
        }
        return overriding(dispatcher, { answer })
      },
    },
    /** That the configuration changed is not heard: it is copied once a day. */
    'seldom-copies': {
      stores: (stores) => overriding(stores, { core: { onChanged: () => {} } }),
    },
    /** Times that passed while the gateway was off are neither run nor told. */
    'forgets-missed': {
      stores: (stores, clock) => {
        const { rules } = stores
        const begun = clock.now()
        const all: typeof rules.all = (kind) => rules.all(kind).map((rule) => ({ ...rule, changedAt: begun }))
        return overriding(stores, { rules: { all } })
      },
    },
    /** Entries that the history has stay in the outbox of the configuration. */
    'keeps-outbox': {
      stores: (stores) => overriding(stores, { core: { remove: () => {} } }),
    },
    /** Some commands never come back. */
    'loses-replies': {
      bus: (bus) => {
        let commands = 0
        const control: HomeBus['control'] = (...command) =>
          ++commands % LOST_EVERY === 0 ? new Promise(() => {}) : bus.control(...command)
        return overriding(bus, { control })
      },
    },
    /** A timer that is set leaves another behind. */
    'leaves-timers': {
      clock: (clock) => ({
        ...clock,
        after: (delayMs, run) => {
          if (delayMs >= 60_000) clock.after(LEFT_BEHIND_MS * 100, () => {})
          return clock.after(delayMs, run)
        },
      }),
    },
    /** Answered requests are never released. */
    'keeps-answers': {
      dispatcher: (dispatcher) => {
        const kept: number[][] = []
        const answer: Dispatcher['answer'] = (call) => {
          kept.push(Array.from({ length: NUMBERS }, () => kept.length + 0.5))
          return dispatcher.answer(call)
        }
        return overriding(dispatcher, { answer })
      },
    },
    /** A part that hears what units report throws now and then. */
    'fails-hearing': {
      bus: (bus) => {
        let reports = 0
        return overriding(bus, {
          onReport: (listener) =>
            bus.onReport((report) => {
              listener(report)
              if (++reports % THROWS_EVERY === 0) throw new Error('Planted.')
            }),
        })
      },
    },
    /** Some pages of the activity are refused with a code of changes. */
    'refuses-undeclared': {
      stores: (stores) => {
        const { activity } = stores.history
        let pages = 0
        const page: typeof activity.page = (wanted) => {
          if (++pages % REFUSED_EVERY === 0) throw new Refusal('revision_mismatch')
          return activity.page(wanted)
        }
        return overriding(stores, { history: { activity: { page } } })
      },
    },
    /** Units that are new in the house, or that took the place of another, are not asked for their state. */
    'reads-nothing-new': { bus: (bus) => overriding(bus, { refresh: () => {} }) },
    /** The state of a unit stays under its id after another unit took its place. */
    'keeps-states': {
      home: (home) => {
        const states = new Map<DeviceKey, { readonly state: DeviceState; readonly asOf: number }>()
        home.events.on((event) => {
          if (event.kind === 'state') states.set(event.device, event)
          const known = event.kind === 'forgotten' ? states.get(event.device) : undefined
          if (event.kind === 'forgotten' && known !== undefined)
            home.live.states.confirm(event.device, known.state, known.asOf)
        })
        return home
      },
    },
    /** Readings of a unit stay under its id until the new unit reports the same kind. */
    'keeps-readings': {
      home: (home) => {
        const { live } = home
        const known = new Map<DeviceKey, NonNullable<ReturnType<typeof live.readings>>>()
        const readings: typeof live.readings = (key) => {
          const [now, before] = [live.readings(key), known.get(key)]
          if (now === undefined) return before
          const merged = before === undefined ? now : { ...now, readings: { ...before.readings, ...now.readings } }
          known.set(key, merged)
          return merged
        }
        return overriding(home, { live: { readings } })
      },
    },
    /** Settings of a unit stay under its id. */
    'keeps-settings': {
      home: (home) => {
        const { settings } = home
        const known = new Map<DeviceKey, ReturnType<typeof settings.get>>()
        const get: typeof settings.get = (device) => {
          const merged = new Map([...(known.get(device) ?? []), ...settings.get(device)])
          known.set(device, merged)
          return merged
        }
        home.events.on((event) => {
          if (event.kind === 'settings' || event.kind === 'readings') get(event.device)
        })
        return overriding(home, { settings: { get } })
      },
    },
    /** Reasons of the unit before explain the unit that is there now. */
    'explains-old-units': {
      home: (home) => overriding(home, { identities: { since: () => 0 } }),
    },
    /** The counter of a unit goes on with the counter of the unit that takes its place. */
    'keeps-counters': {
      stores: (stores) => {
        return overriding(stores, { history: { energy: { resetCounters: () => {} } } })
      },
    },
    /** Energy of gangs is counted twice. */
    'counts-gangs-twice': {
      stores: (stores) => {
        const { energy } = stores.history
        const count: typeof energy.count = (device, allocate) => {
          energy.count(device, (last, largest) => {
            const counted = allocate(last, largest)
            const isGang = parseDeviceKey(device).gang !== null
            return counted && isGang ? { ...counted, amounts: [...counted.amounts, ...counted.amounts] } : counted
          })
        }
        return overriding(stores, { history: { energy: { count } } })
      },
    },
  }),
)
