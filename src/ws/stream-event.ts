import { openMessage } from '../api/handlers/messages.ts'
import type { EventKind, ListTopic } from '../api/contract/events.ts'
import { modeJson } from '../api/handlers/mode.ts'
import { peopleJson } from '../api/handlers/people.ts'
import type { ExposedDevice, ExposedHouse, ExposedScene } from '../exposure/exposed-house.ts'
import { isMessageVisible } from '../exposure/visible-messages.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { DeviceKey, RegisterValues } from '../home/model/device.ts'
import type { HomeEvent } from '../home/model/events.ts'
import type { HomeMessage, MessageNotice } from '../home/model/messages.ts'
import { ANYONE } from '../home/model/presence.ts'
import { contextOf, intentsFor } from '../intents/index.ts'
import { textFrame } from './websocket-frame.ts'

/** Age up to which a socket that comes back gets a missed touch. */
export const TOUCH_FRESH_MS = 10_000

/** Subject of an event in the home's terms, so that it can be looked up again for a delayed delivery. */
export type EventSubject =
  | { readonly kind: 'device'; readonly key: DeviceKey; readonly settings: RegisterValues | null }
  /** Reachability of a unit or module. */
  | { readonly kind: 'unit'; readonly key: DeviceKey; readonly reachable: boolean }
  /** A touch of a key, with its time. */
  | { readonly kind: 'touch'; readonly key: DeviceKey; readonly at: number }
  | { readonly kind: 'scene'; readonly scene: string }
  /** An entry of a list by local id; `deleted` if the event reports its deletion. */
  | { readonly kind: 'listed'; readonly list: ListTopic; readonly id: string; readonly deleted: boolean }
  | { readonly kind: 'message'; readonly notice: MessageNotice }
  | { readonly kind: 'exposure' | 'integration' | 'mode' }
  /** Presence for integrations that see people in this way. */
  | { readonly kind: 'presence'; readonly people: 'anyone' | 'each' }

/**
 * An event before it is written for an integration. `state` is JSON without ids of integrations, so that all can share
 * it.
 */
export interface EventDraft {
  readonly event: EventKind
  readonly at: number
  readonly subject: EventSubject
  readonly state: string
}

/** An event for one integration: a finished frame, shared by all of its sockets. */
export interface StreamEvent {
  readonly seq: number
  readonly event: EventKind
  readonly subject: EventSubject
  readonly frame: Buffer
  /** For slow readers, a newer event with the same key replaces an older one. */
  readonly collapse: string
  /** Intents in the event, and a function that adds further ones; only for events about settings. */
  readonly intents: readonly string[]
  readonly naming: ((intents: readonly string[]) => StreamEvent) | null
}

/** An event's subject as an integration sees it, and its topics. */
export interface ShownSubject {
  readonly id: string | null
  readonly class: string | null
  readonly intents: readonly string[]
  readonly topics: readonly string[]
}

/** Stream event for an event of the home; null if there is none, or if feeds find out themselves. */
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
      // Sensors and meters have their readings in their state; other units measure in addition to their state.
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
    case 'mode':
      return modeDraft(event)
    case 'touch':
      return touchDraft(event)
    case 'detection':
    case 'energy':
    case 'link':
    case 'run':
    case 'rule':
    case 'rebound':
    case 'structure':
    case 'presence':
      return null
  }
}

/** Stream events for a changed presence. Integrations that see only anyone learn nothing about single persons. */
export function presenceDrafts(event: Extract<HomeEvent, { kind: 'presence' }>): readonly EventDraft[] {
  const { at, anyone, persons, changes } = event
  const draft = (people: 'anyone' | 'each', visible: typeof persons): EventDraft => {
    const state = JSON.stringify(peopleJson(anyone, visible))
    return { event: 'presence', at, subject: { kind: 'presence', people }, state }
  }
  const whole = [draft('each', persons)]
  return changes.some(({ person }) => person === ANYONE) ? [...whole, draft('anyone', [])] : whole
}

function modeDraft({ held, modes, at }: Extract<HomeEvent, { kind: 'mode' }>): EventDraft {
  return { event: 'mode', at, subject: { kind: 'mode' }, state: JSON.stringify(modeJson(held, modes)) }
}

function touchDraft({ device, key, press, at }: Extract<HomeEvent, { kind: 'touch' }>): EventDraft {
  return { event: 'touch', at, subject: { kind: 'touch', key: device, at }, state: JSON.stringify({ key, press }) }
}

/** False for a touch that is too old to act on: a socket that comes back does not get it. */
export function isFresh({ subject }: StreamEvent, now: number): boolean {
  return subject.kind !== 'touch' || now - subject.at <= TOUCH_FRESH_MS
}

/** True if a list shows an entry; with a null id, true if the list may be read. */
export type ListSight = (list: ListTopic, id: string | null, view: ExposedHouse) => boolean

/** Looks up an event's subject in an integration's current view; null hides the event. */
export function shownOf(
  subject: EventSubject,
  event: EventKind,
  view: ExposedHouse,
  shows: ListSight,
): ShownSubject | null {
  switch (subject.kind) {
    case 'device': {
      const device = view.byKey(subject.key)
      // A module that is visible only because of its gangs shows no readings and settings.
      if (!device || device.onlyGangs) return null
      const intents = subject.settings ? namedIntents(device, subject.settings, view) : []
      if (subject.settings && intents.length === 0) return null
      return { id: device.id, class: device.class, intents, topics: topicsOf(event, device) }
    }
    case 'touch': {
      const device = view.byKey(subject.key)
      // Only for sockets that asked for it, because clients of `*` store the state of every event with a device.
      if (!device || device.onlyGangs) return null
      return { id: device.id, class: device.class, intents: [], topics: ['touch'] }
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
      // A deletion is sent to everybody who may read the list, because the entry is in no view any more.
      return shows(subject.list, subject.deleted ? null : subject.id, view) ? aboutNoDevice(event) : null
    case 'message':
      return shownMessage(subject.notice.message, view)
    case 'mode':
      // Only sockets that asked for it get it, never those of `*`.
      return view.modes.length > 0 ? { id: null, class: null, intents: [], topics: ['mode'] } : null
    case 'presence':
      return view.integration.people === subject.people
        ? { id: null, class: null, intents: [], topics: ['presence'] }
        : null
    case 'exposure':
    case 'integration':
      return aboutNoDevice(event)
  }
}

/** Messages go only to sockets that subscribed to their topic, never to `*`. */
function shownMessage({ to, subjects, device: key }: HomeMessage, view: ExposedHouse): ShownSubject | null {
  if (!isMessageVisible({ to, subjects }, view)) return null
  const device = key === null ? undefined : view.byKey(key)
  return { id: device?.id ?? null, class: device?.class ?? null, intents: [], topics: ['message'] }
}

/** Stream event of a notice. */
export function noticeDraft(notice: MessageNotice, at: number): EventDraft {
  const { device: _, ...message } = openMessage(notice.message)
  const state = JSON.stringify({ ...message, change: notice.change, repeat: notice.repeat })
  return { event: 'message', at, subject: { kind: 'message', notice }, state }
}

function aboutNoDevice(event: EventKind): ShownSubject {
  return { id: null, class: null, intents: [], topics: ['*', event] }
}

/** Serialises an event for one integration; the state's JSON is inserted unchanged. */
export function writeEvent(draft: EventDraft, visible: ShownSubject, house: string, seq: number): StreamEvent {
  const { event, subject, at, state } = draft
  const reach = subject.kind === 'unit' ? `,"reachable":${subject.reachable}` : ''
  const head = `{"at":${at},"event":"${event}","house":${JSON.stringify(house)},"device":${JSON.stringify(visible.id)},"class":${JSON.stringify(visible.class)},"state":${state}${reach}`
  const naming = (intents: readonly string[]): StreamEvent => ({
    seq,
    event,
    subject,
    intents,
    frame: textFrame(`${head},"seq":${seq}${intents.length > 0 ? `,"intents":${JSON.stringify(intents)}` : ''}}`, true),
    collapse: collapseOf(draft),
    naming: intents.length > 0 ? naming : null,
  })
  return naming(visible.intents)
}

function collapseOf({ event, subject, state }: EventDraft): string {
  switch (subject.kind) {
    case 'touch':
      return `touch:${subject.key}:${state}`
    case 'device':
      return `${subject.settings ? 'settings' : event}:${subject.key}`
    case 'unit':
      return `unit:${subject.key}`
    case 'scene':
      return `scene:${subject.scene}`
    case 'listed':
      return `${event}:${subject.id}`
    case 'message':
      return `message:${subject.notice.message.id}`
    case 'exposure':
    case 'integration':
    case 'mode':
    case 'presence':
      return subject.kind
  }
}

/** Intents of settings that a unit confirmed; none if this integration may not see settings. */
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
  // A subscription to a module includes the events of its gangs.
  if (thing.type === 'gang') topics.push(`device:${thing.id.slice(0, thing.id.lastIndexOf(':'))}`)
  if (thing.room !== null) topics.push(`room:${thing.room}`)
  if (thing.floor !== null) topics.push(`floor:${thing.floor}`)
  return topics
}
