import type { EventKind, List } from '../api/contract/events.ts'
import type { ExposedDevice, ExposedHouse, ExposedScene } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { DeviceKey, RegisterValues } from '../home/model/device.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { contextOf, intentsFor } from '../intents/index.ts'
import { textFrame } from './frame.ts'

/**
 * What an event is about, in the home's own terms, so that it can be looked up again for a socket that gets it later.
 */
export type EventSubject =
  | { readonly kind: 'device'; readonly key: DeviceKey; readonly settings: RegisterValues | null }
  /** Whether a unit or module answers. */
  | { readonly kind: 'unit'; readonly key: DeviceKey; readonly reachable: boolean }
  | { readonly kind: 'scene'; readonly scene: string }
  /** One thing of a list, by its local id; `gone`: the event told that it went. */
  | { readonly kind: 'listed'; readonly list: List; readonly id: string; readonly gone: boolean }
  | { readonly kind: 'exposure' | 'integration' }

/** Something that happened. `state` is JSON, made once for all integrations where it names none of their ids. */
export interface EventDraft {
  readonly event: EventKind
  readonly at: number
  readonly subject: EventSubject
  readonly state: string
}

/** An event as one integration gets it: a finished frame, shared by all of its sockets. */
export interface StreamEvent {
  readonly seq: number
  readonly event: EventKind
  readonly subject: EventSubject
  readonly frame: Buffer
  /** For a reader that is too slow, of two events with this name only the later one counts. */
  readonly collapse: string
  /**
   * The intents that the event names, and the same event naming more of them; only events about settings have these.
   */
  readonly intents: readonly string[]
  readonly naming: ((intents: readonly string[]) => StreamEvent) | null
}

/** What an integration is shown of an event's subject, and the topics under which its sockets may have asked for it. */
export interface Shown {
  readonly id: string | null
  readonly class: string | null
  readonly intents: readonly string[]
  readonly topics: readonly string[]
}

/** The stream's event for an event of the home, or null where there is none, or feeds find it out themselves. */
export function eventDraftOf(event: HomeEvent, live: LiveHome): EventDraft | null {
  switch (event.kind) {
    case 'state':
      if (!event.changed) return null
      return {
        event: 'state',
        at: event.asOf,
        subject: { kind: 'device', key: event.device, settings: null },
        state: live.states.get(event.device)?.json ?? 'null',
      }
    case 'readings': {
      if (!event.changed) return null
      // Sensors and meters have their readings as their state, already written; other units measure beside what they
      // do.
      const state = JSON.stringify({ ...event.readings, asOf: event.asOf })
      return { event: 'sensor', at: event.asOf, subject: { kind: 'device', key: event.device, settings: null }, state }
    }
    case 'settings':
      return {
        event: 'state',
        at: event.asOf,
        subject: { kind: 'device', key: event.device, settings: event.values },
        state: live.states.get(event.device)?.json ?? 'null',
      }
    case 'scene':
      return {
        event: 'scene',
        at: event.at,
        subject: { kind: 'scene', scene: event.scene },
        state: `{"running":${event.running}}`,
      }
    case 'unit':
      return {
        event: 'state',
        at: event.at,
        subject: { kind: 'unit', key: event.unit, reachable: event.reachable },
        state: live.states.get(event.unit)?.json ?? 'null',
      }
    case 'forgotten':
      return {
        event: 'state',
        at: event.at,
        subject: { kind: 'device', key: event.device, settings: null },
        state: 'null',
      }
    case 'detection':
    case 'energy':
    case 'link':
    case 'rule':
    case 'rebound':
    case 'structure':
      return null
  }
}

/** Says whether a list shows a thing now, or has it in it at all without `id`. */
export type ListSight = (list: List, id: string | null, view: ExposedHouse) => boolean

/** Looks an event's subject up in what an integration sees now; null hides the event from it. */
export function shownOf(subject: EventSubject, event: EventKind, view: ExposedHouse, shows: ListSight): Shown | null {
  switch (subject.kind) {
    case 'device': {
      const device = view.byKey(subject.key)
      // A module that is there only for the sake of its gangs shows no readings and settings.
      if (!device || device.onlyGangs) return null
      const intents = subject.settings ? namedIntents(device, subject.settings, view) : []
      if (subject.settings && intents.length === 0) return null
      return { id: device.id, class: device.class, intents, topics: topicsOf(event, device) }
    }
    case 'unit': {
      const unit = view.byKey(subject.key)
      return unit ? { id: unit.id, class: unit.class, intents: [], topics: topicsOf(event, unit) } : null
    }
    case 'scene': {
      const scene = view.scene(view.ids.of('scene', subject.scene))
      return scene ? { id: scene.id, class: 'scene', intents: [], topics: topicsOf(event, scene) } : null
    }
    case 'listed':
      // What went is told to whoever may read the list, because it is in no view any more.
      return shows(subject.list, subject.gone ? null : subject.id, view) ? aboutNoDevice(event) : null
    case 'exposure':
    case 'integration':
      return aboutNoDevice(event)
  }
}

function aboutNoDevice(event: EventKind): Shown {
  return { id: null, class: null, intents: [], topics: ['*', event] }
}

/** Writes the event for one integration: the state's JSON goes in as it is. */
export function writeEvent(draft: EventDraft, shown: Shown, house: string, seq: number): StreamEvent {
  const { event, subject, at, state } = draft
  const reach = subject.kind === 'unit' ? `,"reachable":${subject.reachable}` : ''
  const head = `{"at":${at},"event":"${event}","house":${JSON.stringify(house)},"device":${JSON.stringify(shown.id)},"class":${JSON.stringify(shown.class)},"state":${state}${reach}`
  const naming = (intents: readonly string[]): StreamEvent => ({
    seq,
    event,
    subject,
    intents,
    frame: textFrame(`${head},"seq":${seq}${intents.length > 0 ? `,"intents":${JSON.stringify(intents)}` : ''}}`, true),
    collapse: collapseOf(draft),
    naming: intents.length > 0 ? naming : null,
  })
  return naming(shown.intents)
}

function collapseOf({ event, subject }: EventDraft): string {
  switch (subject.kind) {
    case 'device':
      return `${subject.settings ? 'settings' : event}:${subject.key}`
    case 'unit':
      return `unit:${subject.key}`
    case 'scene':
      return `scene:${subject.scene}`
    case 'listed':
      return `${event}:${subject.id}`
    case 'exposure':
    case 'integration':
      return subject.kind
  }
}

/** The intents behind settings that a unit confirmed; none where this integration may not see settings. */
function namedIntents(device: ExposedDevice, settings: RegisterValues, view: ExposedHouse): readonly string[] {
  if (view.integration.knobs.advanced_config === 'off') return []
  const context = contextOf(device.model, device.type === 'gang' ? device.class : null)
  if (!context) return []
  return intentsFor(context)
    .filter((intent) => intent.coding(context).registers.some((name) => Object.hasOwn(settings, name)))
    .map((intent) => intent.id)
}

function topicsOf(event: EventKind, thing: ExposedDevice | ExposedScene): readonly string[] {
  const topics = ['*', event, `device:${thing.id}`]
  // Whoever asked for a module gets the events of its gangs.
  if (thing.type === 'gang') topics.push(`device:${thing.id.slice(0, thing.id.lastIndexOf(':'))}`)
  if (thing.room !== null) topics.push(`room:${thing.room}`)
  if (thing.floor !== null) topics.push(`floor:${thing.floor}`)
  return topics
}
