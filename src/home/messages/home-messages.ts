import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/durations.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { House } from '../house/house.ts'
import type { LiveHome } from '../live/live-home.ts'
import { ALARM_KINDS, type DeviceKey, type Readings } from '../model/device.ts'
import type { HomeEvent } from '../model/events.ts'
import { KIND_RULES, type MessageDraft, type MessageKind, OPEN_MS } from '../model/messages.ts'
import type { RuleKind } from '../model/rules.ts'
import { alarmTitle, entranceTitle, failedRuleTitle } from '../words/messages.ts'
import type { MessageBoard } from './messages.ts'

interface HomeMessagesParts {
  readonly messages: Pick<MessageBoard, 'post' | 'end' | 'endUnless' | 'recheckQuiet'>
  readonly house: Pick<House, 'devices'>
  readonly live: Pick<LiveHome, 'states' | 'readings'>
  readonly rule: (of: { readonly kind: RuleKind; readonly id: string }) => { readonly name: string } | undefined
  readonly events: Pick<Emitter<HomeEvent>, 'on'>
  readonly clock: Clock
}

/** The console's page of a unit. */
export const unitPage = (device: DeviceKey): string => `/console/go/unit?device=${encodeURIComponent(device)}`

/** A draft about one device; its page is the page that helps. */
export function deviceDraft(kind: MessageKind, device: DeviceKey, title: string): MessageDraft {
  return {
    ...KIND_RULES[kind],
    kind,
    title,
    device,
    go: unitPage(device),
    subjects: { devices: [device], scenes: [] },
    ref: device,
    lasts: true,
  }
}

/** A lasting condition of the home or the gateway, for administrators. */
export function conditionDraft(kind: MessageKind, ref: string, title: string, go: string): MessageDraft {
  return {
    ...KIND_RULES[kind],
    ...{ kind, title, go, ref },
    device: null,
    subjects: { devices: [], scenes: [] },
    lasts: true,
  }
}

/** Messages from events of the home: alarms, entrances that stand open, and rules that fail. */
export class HomeMessages {
  readonly #parts: HomeMessagesParts
  /** Running waits of open entrances. */
  readonly #open = new Map<DeviceKey, () => void>()
  readonly #unsubscribe: () => void

  constructor(parts: HomeMessagesParts) {
    this.#parts = parts
    this.#unsubscribe = parts.events.on((event) => this.#onHomeEvent(event))
  }

  stop(): void {
    this.#unsubscribe()
    for (const cancel of this.#open.values()) cancel()
  }

  #onHomeEvent(event: HomeEvent): void {
    switch (event.kind) {
      case 'readings':
        this.#alarms(event.device, event.readings, event.previous ?? {})
        return this.#entrance(event.device)
      case 'state':
        return this.#entrance(event.device)
      case 'forgotten':
        this.#forget(event.device)
        return this.#entrance(event.device)
      case 'structure':
        this.#parts.messages.recheckQuiet()
        return this.#removed()
      case 'run':
        return this.#ran(event.rule, event.id, event.failed)
      case 'detection':
      case 'energy':
      case 'link':
      case 'mode':
      case 'presence':
      case 'rebound':
      case 'rule':
      case 'scene':
      case 'settings':
      case 'touch':
      case 'unit':
        // Each detection is a reading too, and the status knows lost units and the line.
        return
    }
  }

  #alarms(device: DeviceKey, readings: Readings, previous: Readings): void {
    const name = this.#parts.house.devices.get(device)?.name
    if (name === undefined) return
    for (const kind of ALARM_KINDS) {
      if (readings[kind] === true && previous[kind] !== true)
        this.#parts.messages.post(deviceDraft(kind, device, alarmTitle(name, kind)))
      else if (readings[kind] === false) this.#parts.messages.end(kind, device)
    }
  }

  /** Starts or ends the wait of an entrance. */
  #entrance(device: DeviceKey): void {
    const isOpen = this.#isOpen(device)
    if (isOpen && this.#open.has(device)) return
    this.#open.get(device)?.()
    this.#open.delete(device)
    if (isOpen)
      this.#open.set(
        device,
        this.#parts.clock.after(OPEN_MS, () => this.#stoodOpen(device)),
      )
    else if (isOpen === false) this.#parts.messages.end('entrance_open', device)
  }

  /**
   * True for a gate that is not closed, and for a lock whose door is open; a lock without a door contact counts as open
   * while it is unlocked. Null for other devices and while nothing is known.
   */
  #isOpen(key: DeviceKey): boolean | null {
    const { house, live } = this.#parts
    const device = house.devices.get(key)
    const state = live.states.get(key)?.state
    if (device?.class === 'gate') return state !== undefined && 'pos' in state ? state.pos > 0 : null
    if (device?.class !== 'lock') return null
    return live.readings(key)?.readings.door ?? (state !== undefined && 'locked' in state ? !state.locked : null)
  }

  #stoodOpen(device: DeviceKey): void {
    const name = this.#parts.house.devices.get(device)?.name
    if (name === undefined) return
    const title = entranceTitle(name, Math.round(OPEN_MS / MINUTE_MS))
    this.#parts.messages.post(deviceDraft('entrance_open', device, title))
  }

  #ran(kind: RuleKind, id: string, failed: boolean): void {
    const rule = this.#parts.rule({ kind, id })
    const ref = `${kind}:${id}`
    if (!failed || rule === undefined) return this.#parts.messages.end('rule_failed', ref)
    const title = failedRuleTitle(kind, rule.name)
    this.#parts.messages.post(conditionDraft('rule_failed', ref, title, '/console/activity'))
  }

  /** A replaced unit is unknown, so its conditions are over. */
  #forget(device: DeviceKey): void {
    this.#parts.messages.endUnless((message) => message.device !== device)
  }

  #removed(): void {
    const { devices } = this.#parts.house
    this.#parts.messages.endUnless(({ device }) => device === null || devices.has(device))
    for (const [key, cancel] of this.#open) {
      if (devices.has(key)) continue
      cancel()
      this.#open.delete(key)
    }
  }
}
