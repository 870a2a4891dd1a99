import { type DeviceKey, parseDeviceKey, type DeviceState } from '../src/home/model/device.ts'
import type { PlantedDefect } from './world/planted-defect.ts'
import { refusedWith } from '../src/api/answers.ts'
import type { Dispatcher } from '../src/api/dispatch.ts'
import { Refusal } from '../src/api/errors.ts'
import type { ExposedHouses } from '../src/exposure/exposed-houses.ts'
import type { Integration } from '../src/exposure/integration.ts'
import type { HomeBus } from '../src/gateway/home.ts'
import { type ActivityDraft, GATEWAY_CAUSE } from '../src/home/model/events.ts'

const LOST_REPORT_EVERY = 5
const LOST_EVERY = 3
const THROWS_EVERY = 5
const REFUSED_EVERY = 3
const LEFT_BEHIND_MS = 3_600_000
const NUMBERS = 2 ** 19

/** Replacements for members of a part and of its own parts. */
type Members<T> = {
  readonly [K in keyof T]?: T[K] extends (...args: never[]) => unknown ? T[K] : Members<T[K]>
}

/** Returns a part with replaced members, also nested ones. Its own calls still reach the original members. */
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
    // A replaced member stays, even if the gateway sets it.
    set: (target, name, value) => replaced.has(name) || Reflect.set(target, name, value),
  })
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Passes each draft of the activity through `change`. */
function recording(change: (draft: ActivityDraft, record: (draft: ActivityDraft) => void) => void): PlantedDefect {
  return {
    stores: (stores) => {
      const { activity } = stores.history
      const record = (draft: ActivityDraft): void => change(draft, (changed) => activity.record(changed))
      return overriding(stores, { history: { activity: { record } } })
    },
  }
}

/** Planted defects by name. */
export const DEFECTS: ReadonlyMap<string, PlantedDefect> = new Map(
  Object.entries<PlantedDefect>({
    /** Records expire by the wall clock, even a wrong one. */
    'wrong-clock-forgets': {
      stores: (stores, clock) => {
        const { upkeep } = stores.history
        const step = (): boolean => upkeep.step(clock.now())
        return overriding(stores, { history: { upkeep: { step } } })
      },
    },
    /** An opening step ignores the permission of its author. */
    'opens-unasked': { opening: (opening) => overriding(opening, { refusalOf: () => null }) },
    /** Each statement of a change is a separate transaction. */
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
    /** A change that was made during a failed sync is refused as if it had not been made. */
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
    /** Every row of activity is stored twice. */
    'records-twice': recording((draft, record) => {
      record(draft)
      record(draft)
    }),
    /** The author of a change is lost. */
    'forgets-causes': recording((draft, record) => record({ ...draft, cause: GATEWAY_CAUSE })),
    /** Every fifth state report of a unit is lost, except states that the gateway reads. */
    'hears-badly': {
      bus: (bus) => {
        let reports = 0
        return overriding(bus, {
          onReport: (listener) =>
            bus.onReport((report) => {
              const passes = report.kind !== 'state' || report.trigger === 'sync' || ++reports % LOST_REPORT_EVERY !== 0
              if (passes) listener(report)
            }),
        })
      },
    },
    /** A restart forgets that an occurrence was due. */
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
    /** A date by a wrong clock counts as the right one. */
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
        const widened = new WeakMap<Integration, Integration>()
        const of: ExposedHouses['of'] = (integration) => {
          const all = widened.get(integration) ?? { ...integration, exposure: { expose: 'All' } }
          widened.set(integration, all)
          return views.of(all)
        }
        return overriding(views, { of })
      },
    },
    /** A credential is cached forever after its first use. */
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
    /** A 404 response contains the number of rooms. */
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
    /** Safety copies ignore changes and are made once a day. */
    'seldom-copies': {
      stores: (stores) => overriding(stores, { core: { onChanged: () => {} } }),
    },
    /** Occurrences while the gateway was off are neither run nor logged. */
    'forgets-missed': {
      stores: (stores, clock) => {
        const { rules } = stores
        const begun = clock.now()
        const all: typeof rules.all = (kind) => rules.all(kind).map((rule) => ({ ...rule, changedAt: begun }))
        return overriding(stores, { rules: { all } })
      },
    },
    /** Entries stay in the outbox after the history has them. */
    'keeps-outbox': {
      stores: (stores) => overriding(stores, { core: { remove: () => {} } }),
    },
    /** Some commands get no reply. */
    'loses-replies': {
      bus: (bus) => {
        let commands = 0
        const control: HomeBus['control'] = (...command) =>
          ++commands % LOST_EVERY === 0 ? new Promise(() => {}) : bus.control(...command)
        return overriding(bus, { control })
      },
    },
    /** Each long timer creates another one that stays. */
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
        const leaked: number[][] = []
        const answer: Dispatcher['answer'] = (call) => {
          leaked.push(Array.from({ length: NUMBERS }, () => leaked.length + 0.5))
          return dispatcher.answer(call)
        }
        return overriding(dispatcher, { answer })
      },
    },
    /** A listener for reports sometimes throws. */
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
    /** Some pages of activity are refused with a code for changes. */
    'refuses-undeclared': {
      stores: (stores) => {
        const { activity } = stores.history
        let pages = 0
        const page: typeof activity.page = (query) => {
          if (++pages % REFUSED_EVERY === 0) throw new Refusal('revision_mismatch')
          return activity.page(query)
        }
        return overriding(stores, { history: { activity: { page } } })
      },
    },
    /** The gateway does not read the state of new and replaced units. */
    'reads-nothing-new': { bus: (bus) => overriding(bus, { refresh: () => {} }) },
    /** The state of a unit stays after its replacement. */
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
    /** Readings of a unit stay after its replacement until the new unit reports the same kind. */
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
    /** Settings of a unit stay after its replacement. */
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
    /** Explanations of a unit include reasons of the previous unit. */
    'explains-old-units': {
      home: (home) => overriding(home, { identities: { since: () => 0 } }),
    },
    /** The counter of a replaced unit continues with the counter of the new one. */
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
