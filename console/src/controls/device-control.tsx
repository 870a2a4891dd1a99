import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../lib/page-paths.ts'
import { ErrorLine } from '../parts/action.tsx'
import { deviceIcon, isLight, isUnlocked } from '../parts/device-icon.ts'
import { Switch } from '../parts/form.tsx'
import type { IconName } from '../parts/icons.ts'
import { Age, Button, Icon } from '../parts/page.tsx'
import { attachPress } from '../parts/press.ts'
import { Slider, useChosenValue } from '../parts/slider.tsx'
import { awaitedConfirmations, control, pendingControls, refusalOf } from '../stores/control.ts'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { connected, deviceOf } from '../stores/home.ts'
import { mayOpenDoors } from '../stores/own-session.ts'
import { alarmsIn, readingsOf } from '../stores/readings.ts'
import { stateStartOf } from '../stores/state-start.ts'
import { words } from '../words/device.ts'
import { controlWords, fieldOf, isOn, numberIn, numberWords, stateWords } from '../words/state.ts'

/** Main controls of a device, by its operations; nothing if it has none. */
export function DeviceControl({ device }: { device: HomeDevice }): JSX.Element | null {
  const { id, name } = device
  const supports = supportedBy(device)
  const progress = progressOf(device)
  if (device.class === 'lock') return <LockControl device={device} />
  if (supports('close')) return <CoverButtons device={device} disabled={progress.disabled} />
  if (!supports('set_power')) return null
  return (
    <>
      <Switch
        label={name}
        on={isOn(device)}
        lit={isLight(device)}
        {...progress}
        onChange={(on) => void control(id, { op: 'set_power', args: { on } })}
      />
      {supports('set_brightness') && (
        <Slider
          label={words.brightnessOf(name)}
          value={isOn(device) ? numberIn(device, 'bri') : 0}
          {...progress}
          onChange={(bri) => void control(id, { op: 'set_brightness', args: { bri } })}
        />
      )}
      {supports('set_temp') && (
        <Stepper
          label={name}
          value={numberIn(device, 'temp')}
          {...progress}
          onChange={(temp) => void control(id, { op: 'set_temp', args: { temp } })}
        />
      )}
    </>
  )
}

/** Props of a device's controls: `pending` during a command, `disabled` without a connection. */
export const progressOf = ({ id }: HomeDevice): { pending: boolean; disabled: boolean } => ({
  pending: pendingControls.value.has(id),
  disabled: !connected.value,
})

/** Checks whether a device supports an operation now. */
export const supportedBy =
  ({ operations }: HomeDevice) =>
  (operation: HomeDevice['operations'][number]): boolean =>
    operations.some((supported) => supported === operation)

/** One press locks an open lock; opening takes a hold. */
function LockControl({ device }: { device: HomeDevice }): JSX.Element | false {
  const { id, name } = device
  if (fieldOf(device, 'locked') !== false)
    return (
      mayOpenDoors.value && (
        <HoldButton name={name} disabled={!connected.value} onHeld={() => void control(id, { op: 'open' })} />
      )
    )
  return (
    <button
      type="button"
      class="hold"
      aria-label={words.doLockNamed(name)}
      disabled={!connected.value}
      onClick={() => void control(id, { op: 'close' })}
    >
      <span>{words.doLock}</span>
    </button>
  )
}

/** Icons of a cover: shutters move up and down, curtains and gates sideways. */
const ICONS = {
  vertical: { open: 'raise', close: 'lower' },
  sideways: { open: 'apart', close: 'together' },
} as const

/** Open, stop and close for covers. A gate needs a hold to open, because it lets people in. */
function CoverButtons({ device, disabled }: { readonly device: HomeDevice; readonly disabled: boolean }): JSX.Element {
  const { id, name } = device
  const icons = device.class === 'curtain' || device.class === 'gate' ? ICONS.sideways : ICONS.vertical
  const button = (op: 'open' | 'stop' | 'close', label: string, icon: IconName): JSX.Element => (
    <Button icon={icon} aria-label={label} disabled={disabled} onClick={() => void control(id, { op })} />
  )
  return (
    <div class="cover" role="group" aria-label={name}>
      {device.class === 'gate'
        ? mayOpenDoors.value && (
            <HoldButton name={name} disabled={disabled} onHeld={() => void control(id, { op: 'open' })} />
          )
        : button('open', words.doOpen(name), icons.open)}
      {button('stop', words.doStop(name), 'stop')}
      {button('close', words.doClose(name), icons.close)}
    </div>
  )
}

/** Hold before a lock or gate opens; the style sheet fills the button in the same time. */
const HOLD_MS = 1_000
/** Longest time between the two key presses. */
const ARMED_MS = 5_000

interface HoldButtonProps {
  /** Name of the lock or gate, for screen readers. */
  readonly name: string
  readonly disabled: boolean
  readonly onHeld: () => void
}

/** Opens a lock or gate after a hold of one second, or after two key presses, because screen readers cannot hold. */
function HoldButton({ name, disabled, onHeld }: HoldButtonProps): JSX.Element {
  const phase = useSignal<'idle' | 'holding' | 'armed'>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reset = (): void => {
    clearTimeout(timer.current)
    phase.value = 'idle'
  }
  const open = (): void => {
    reset()
    onHeld()
  }
  const begin = (next: 'holding' | 'armed', ms: number, then: () => void): void => {
    clearTimeout(timer.current)
    phase.value = next
    timer.current = setTimeout(then, ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const endHold = (): void => {
    if (phase.value === 'holding') reset()
  }
  return (
    <button
      type="button"
      class={`hold ${phase.value}`}
      aria-label={phase.value === 'armed' ? words.enterAgainNamed(name) : words.holdToOpenNamed(name)}
      disabled={disabled}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        const press = attachPress({ isDrag: false, onRelease: endHold, onDrop: endHold })
        if (press?.isActive !== true) return
        begin('holding', HOLD_MS, () => {
          // The command is sent. Lifting the finger must not press another control.
          press.drop()
          open()
        })
      }}
      onPointerLeave={endHold}
      onBlur={reset}
      onKeyDown={(event) => {
        // A key that stays down counts as one press.
        if (event.repeat && event.key === 'Enter') event.preventDefault()
      }}
      onClick={(event) => {
        // Clicks of a pointer have a detail; keys and screen readers have none.
        if (event.detail !== 0) return
        if (phase.value === 'armed') open()
        else begin('armed', ARMED_MS, reset)
      }}
    >
      <span>{PHASE_WORDS[phase.value]}</span>
    </button>
  )
}

const PHASE_WORDS = { idle: words.holdToOpen, holding: words.holding, armed: words.enterAgain } as const

const [MIN, MAX, STEP] = [5, 35, 0.5]

interface StepperProps {
  /** Label for screen readers. */
  readonly label: string
  /** Confirmed degrees Celsius; null before the unit reported any. */
  readonly value: number | null
  readonly pending: boolean
  readonly disabled: boolean
  /** Called once after the last press. */
  readonly onChange: (value: number) => void
}

/** Sets a temperature in half degrees. It shows the chosen value, then the confirmed one. */
function Stepper({ label, value, pending, disabled, onChange }: StepperProps): JSX.Element {
  const chosen = useChosenValue({ value, pending })
  const displayed = chosen.value.value ?? value
  const step = (by: number): void => {
    chosen.set(Math.min(Math.max((displayed ?? 20) + by, MIN), MAX), onChange)
  }
  const button = (sign: string, label: string, by: number): JSX.Element => (
    <Button class="quiet" label={sign} aria-label={label} disabled={disabled} onClick={() => step(by)} />
  )
  return (
    <div class="stepper" role="group" aria-label={label}>
      {button('−', words.colder(label), -STEP)}
      <output class={chosen.value.value === null ? '' : 'wish'}>
        {displayed === null ? '–' : numberWords(displayed, '°C')}
      </output>
      {button('+', words.warmer(label), STEP)}
    </div>
  )
}

/** Tile of a device: name with a link to its page, confirmed state, and main controls. */
export function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = deviceOf(id).value
  if (device === null) return null
  const refusal = refusalOf(id)
  return (
    <li class={`tile ${lookOf(device)}`}>
      <Icon name={deviceIcon(device)} />
      <a class="name" href={devicePath(id)} dir="auto" title={device.name}>
        {device.name}
      </a>
      <StateLine device={device} />
      <DeviceControl device={device} />
      <ErrorLine message={refusal} />
    </li>
  )
}

/** CSS class for the state of a device. */
export function lookOf(device: HomeDevice): string {
  if (alarmsIn(readingsOf(device.id).value).length > 0) return 'alarm'
  const sensorClass = device.operations.length === 0 ? 'measures' : ''
  if (!device.reachable) return `silent ${sensorClass}`
  if (sensorClass !== '') return sensorClass
  if (isUnlocked(device)) return 'unlocked'
  return isLight(device) && isOn(device) ? 'lit' : ''
}

/** Older measurements show their age. Other units report every change, so their state never gets old. */
const OLD_MS = 30 * 60_000

/** State of a device in words: confirmed, pending, old, unknown or unreachable. */
export function StateLine({ device }: { readonly device: HomeDevice }): JSX.Element {
  const pending = pendingControls.value.get(device.id)?.at(-1)
  const state = stateWords(device)
  const extras = device.class === 'sensor' || device.class === 'meter' ? [] : extraWords(device.id)
  return (
    <span class="state">
      {!device.reachable && <strong>{words.silent}</strong>}
      <span>{state ?? (device.reachable && extras.length === 0 ? words.noState : '')}</span>
      {extras.map((text) => (
        <span key={text}>{text}</span>
      ))}
      {pending && (
        <span class="asked">
          {awaitedConfirmations.value.has(device.id) ? words.mustConfirm : words.sending(controlWords(pending))}
        </span>
      )}
      {!pending && state !== null && <StateTime device={device} />}
    </span>
  )
}

/** Alarms and power of a device that is not a sensor or meter. */
function extraWords(id: string): readonly string[] {
  const reading = readingsOf(id).value
  const { power = 0 } = reading ?? {}
  const powerWords = Math.round(power) === 0 ? [] : [numberWords(Math.round(power), 'W')]
  return [...alarmsIn(reading).map((kind) => words.alarms[kind]), ...powerWords]
}

/** Start of a state or time of a measurement; the age of the last report if the value may be outdated. */
function StateTime({ device }: { readonly device: HomeDevice }): JSX.Element | null {
  const isMeasured = device.class === 'sensor' || device.class === 'meter'
  const heardAt = lastHeardAt(device)
  if (heardAt === null) return null
  const isOld = isMeasured && now.value - heardAt > OLD_MS
  if (!device.reachable || !connected.value || isOld)
    return (
      <span class="confirmed">
        {words.heardAgo} <Age at={heardAt} />
      </span>
    )
  const start = isMeasured ? null : stateStartOf(device)
  const at = start?.at ?? heardAt
  const confirmedAt = isMeasured ? heardAt : (device.state?.asOf ?? heardAt)
  return (
    <time class="confirmed" dateTime={new Date(at).toISOString()} title={words.confirmedAt(momentWords(confirmedAt))}>
      {start === null ? words.measuredAt(homeTime(at)) : words.since(homeTime(at), start.isExact)}
    </time>
  )
}

/** Time of the last message from a device, epoch milliseconds; null before the first. */
export function lastHeardAt(device: HomeDevice): number | null {
  const lastSeen = 'lastSeen' in device ? device.lastSeen : null
  const at = Math.max(device.state?.asOf ?? 0, lastSeen ?? 0, readingsOf(device.id).value?.asOf ?? 0)
  return at === 0 ? null : at
}
