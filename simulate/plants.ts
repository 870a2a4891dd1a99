import { type DeviceKey, parseDeviceKey, type DeviceState } from '../src/home/model/device.ts'
import type { Plant } from './world/plant.ts'
import { refusedWith } from '../src/api/answers.ts'
import type { Dispatcher } from '../src/api/dispatch.ts'
import { Refusal } from '../src/api/errors.ts'
import type { ExposedHouses } from '../src/exposure/exposed-house.ts'
import type { Integration } from '../src/exposure/integration.ts'
import type { HomeBus } from '../src/gateway/home.ts'
import { type ActivityDraft, GATEWAY_CAUSE } from '../src/home/model/events.ts'

/** A part with some of its members replaced; what it calls of its own stays its own. */
function overriding<T extends object>(part: T, members: Partial<T>): T {
  return new Proxy(part, {
    get: (target, name) => {
      if (name in members) return Reflect.get(members, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Units that are new in the house, or that took the place of another, are not asked for their state. */
const readsNothingNew: Plant = { bus: (bus) => overriding(bus, { refresh: () => {} }) }

/** The state of a unit stays under its id after another unit took its place. */
const keepsStates: Plant = {
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
}

/** Readings of a unit stay under its id until the new unit reports the same kind. */
const keepsReadings: Plant = {
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
    return overriding(home, { live: overriding(live, { readings }) })
  },
}

/** Settings of a unit stay under its id. */
const keepsSettings: Plant = {
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
    return overriding(home, { settings: overriding(settings, { get }) })
  },
}

/** Reasons of the unit before explain the unit that is there now. */
const explainsOldUnits: Plant = {
  home: (home) => overriding(home, { identities: overriding(home.identities, { since: () => 0 }) }),
}

/** The counter of a unit goes on with the counter of the unit that takes its place. */
const keepsCounters: Plant = {
  stores: (stores) => {
    const { energy } = stores.history
    return overriding(stores, {
      history: overriding(stores.history, { energy: overriding(energy, { beginAnew: () => {} }) }),
    })
  },
}

/** Energy of gangs is counted twice. */
const countsGangsTwice: Plant = {
  stores: (stores) => {
    const { energy } = stores.history
    const count: typeof energy.count = (device, allocate) => {
      energy.count(device, (last, largest) => {
        const counted = allocate(last, largest)
        const isGang = parseDeviceKey(device).gang !== null
        return counted && isGang ? { ...counted, amounts: [...counted.amounts, ...counted.amounts] } : counted
      })
    }
    return overriding(stores, {
      history: overriding(stores.history, { energy: overriding(energy, { count }) }),
    })
  },
}

/** Defects of units that come late or take the place of others, by name. */
const UNIT_PLANTS: readonly (readonly [name: string, plant: Plant])[] = [
  ['reads-nothing-new', readsNothingNew],
  ['keeps-states', keepsStates],
  ['keeps-readings', keepsReadings],
  ['keeps-settings', keepsSettings],
  ['explains-old-units', explainsOldUnits],
  ['keeps-counters', keepsCounters],
  ['counts-gangs-twice', countsGangsTwice],
]

/** What is forgotten goes by the wall clock, whatever it says. */
const wrongClockForgets: Plant = {
  stores: (stores, clock) => {
    const { upkeep } = stores.history
    const step = (): boolean => upkeep.step(clock.now())
    return overriding(stores, { history: overriding(stores.history, { upkeep: overriding(upkeep, { step }) }) })
  },
}

/** Nobody asks at the step itself whether whoever saved it may open. */
const opensUnasked: Plant = { opening: (opening) => overriding(opening, { refusalOf: () => null }) }

/** Each statement of a change is a transaction of its own. */
const changesInPieces: Plant = {
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
    return overriding(stores, { core: overriding(core, { change }) })
  },
}

/** The configuration is acknowledged before it is synced. */
const notSynced: Plant = {
  stores: (stores) => {
    const onDisk = (): Promise<void> => Promise.resolve()
    return overriding(stores, { core: overriding(stores.core, { onDisk }) })
  },
}

/** A change that is made while the disk fails to sync is refused as if it had not been. */
const refusedButMade: Plant = {
  dispatcher: (dispatcher) => {
    const answer: Dispatcher['answer'] = async (call) => {
      const answered = await dispatcher.answer(call)
      const isMade = String(answered.body).includes('"outcome_unknown"')
      return isMade ? refusedWith('storage_unavailable', { retryAfter: 30 }) : answered
    }
    return overriding(dispatcher, { answer })
  },
}

/** What is recorded passes `each` on its way. */
function recording(each: (draft: ActivityDraft, record: (draft: ActivityDraft) => void) => void): Plant {
  return {
    stores: (stores) => {
      const { activity } = stores.history
      const record = (draft: ActivityDraft): void => each(draft, (changed) => activity.record(changed))
      return overriding(stores, {
        history: overriding(stores.history, { activity: overriding(activity, { record }) }),
      })
    },
  }
}

/** Every row of the activity is there twice. */
const recordsTwice = recording((draft, record) => {
  record(draft)
  record(draft)
})

/** Whoever made a change is forgotten. */
const forgetsCauses = recording((draft, record) => record({ ...draft, cause: GATEWAY_CAUSE }))

/** Every fifth state that a unit reports by itself is lost; states that the gateway reads are not. */
const DEAF_EVERY = 5
const hearsBadly: Plant = {
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
}

/** That an occurrence came round is not kept over a restart. */
const runsAgain: Plant = {
  stores: (stores) => {
    const { rules } = stores
    const claim: typeof rules.claim = (_claim, run) => {
      if (run !== null) rules.begin(run)
      return true
    }
    return overriding(stores, { rules: overriding(rules, { claim, claims: () => [] }) })
  },
}

/** What a wrong clock told of a date counts as the date itself. */
const trustsClocks: Plant = {
  stores: (stores) => {
    const { rules } = stores
    const claim: typeof rules.claim = (its, run) => {
      const isKnown = rules
        .claims()
        .some(({ owner, slot, date }) => owner === its.owner && slot === its.slot && date === its.date)
      return !isKnown && rules.claim(its, run)
    }
    return overriding(stores, { rules: overriding(rules, { claim }) })
  },
}

/** The stream shows every integration everything. */
const showsAll: Plant = {
  views: (views) => {
    const shown = new WeakMap<Integration, Integration>()
    const of: ExposedHouses['of'] = (integration) => {
      const all = shown.get(integration) ?? { ...integration, exposure: { expose: 'All' } }
      shown.set(integration, all)
      return views.of(all)
    }
    return overriding(views, { of })
  },
}

/** A credential that was looked up once is not looked up again. */
const remembersKeys: Plant = {
  stores: (stores) => {
    const { credentials } = stores
    const known = new Map<string, ReturnType<typeof credentials.get>>()
    const get: typeof credentials.get = (link) => {
      if (known.get(link) === undefined) known.set(link, credentials.get(link))
      return known.get(link)
    }
    return overriding(stores, { credentials: overriding(credentials, { get }) })
  },
}

/** Some commands never come back. */
const LOST_EVERY = 3
const losesReplies: Plant = {
  bus: (bus) => {
    let commands = 0
    const control: HomeBus['control'] = (...command) =>
      ++commands % LOST_EVERY === 0 ? new Promise(() => {}) : bus.control(...command)
    return overriding(bus, { control })
  },
}

/** A part that hears what units report throws now and then. */
const THROWS_EVERY = 5
const failsHearing: Plant = {
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
}

/** Some pages of the activity are refused with a code of changes. */
const REFUSED_EVERY = 3
const refusesUndeclared: Plant = {
  stores: (stores) => {
    const { activity } = stores.history
    let pages = 0
    const page: typeof activity.page = (wanted) => {
      if (++pages % REFUSED_EVERY === 0) throw new Refusal('revision_mismatch')
      return activity.page(wanted)
    }
    return overriding(stores, { history: overriding(stores.history, { activity: overriding(activity, { page }) }) })
  },
}

/** Whoever asks for what is not there is told how much there is. */
const tellsHowMuch: Plant = {
  dispatcher: (dispatcher, { house }) => {
    const answer: Dispatcher['answer'] = async (call) => {
      const answered = await dispatcher.answer(call)
      if (answered.status !== 404) return answered
      const { rooms } = house.load()
      return { ...answered, body: String(answered.body).replace('no such thing', `none among ${rooms.length} rooms`) }
    }
    return overriding(dispatcher, { answer })
  },
}

/** That the configuration changed is not heard: it is copied once a day. */
const seldomCopies: Plant = {
  stores: (stores) => overriding(stores, { core: overriding(stores.core, { onChanged: () => {} }) }),
}

/** What came round while the gateway was off is neither run nor told. */
const forgetsMissed: Plant = {
  stores: (stores, clock) => {
    const { rules } = stores
    const begun = clock.now()
    const all: typeof rules.all = (kind) => rules.all(kind).map((rule) => ({ ...rule, changedAt: begun }))
    return overriding(stores, { rules: overriding(rules, { all }) })
  },
}

/** What the history has stays in the outbox of the configuration. */
const keepsOutbox: Plant = {
  stores: (stores) => overriding(stores, { core: overriding(stores.core, { remove: () => {} }) }),
}

/** A timer that is set leaves another behind. */
const LEFT_BEHIND_MS = 3_600_000
const leavesTimers: Plant = {
  clock: (clock) => ({
    ...clock,
    after: (delayMs, run) => {
      if (delayMs >= 60_000) clock.after(LEFT_BEHIND_MS * 100, () => {})
      return clock.after(delayMs, run)
    },
  }),
}

/** Nothing that was answered is let go. */
const NUMBERS = 2 ** 19
const keepsAnswers: Plant = {
  dispatcher: (dispatcher) => {
    const kept: number[][] = []
    const answer: Dispatcher['answer'] = (call) => {
      kept.push(Array.from({ length: NUMBERS }, () => kept.length + 0.5))
      return dispatcher.answer(call)
    }
    return overriding(dispatcher, { answer })
  },
}

/** Defects by name. */
export const PLANTS: ReadonlyMap<string, Plant> = new Map([
  ['wrong-clock-forgets', wrongClockForgets],
  ['opens-unasked', opensUnasked],
  ['changes-in-pieces', changesInPieces],
  ['not-synced', notSynced],
  ['refused-but-made', refusedButMade],
  ['records-twice', recordsTwice],
  ['forgets-causes', forgetsCauses],
  ['hears-badly', hearsBadly],
  ['runs-again', runsAgain],
  ['trusts-clocks', trustsClocks],
  ['shows-all', showsAll],
  ['remembers-keys', remembersKeys],
  ['tells-how-much', tellsHowMuch],
  ['seldom-copies', seldomCopies],
  ['forgets-missed', forgetsMissed],
  ['keeps-outbox', keepsOutbox],
  ['loses-replies', losesReplies],
  ['leaves-timers', leavesTimers],
  ['keeps-answers', keepsAnswers],
  ['fails-hearing', failsHearing],
  ['refuses-undeclared', refusesUndeclared],
  ...UNIT_PLANTS,
])
