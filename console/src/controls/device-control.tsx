import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../lib/addresses.ts'
import { Said } from '../parts/action.tsx'
import { deviceIcon, isLight, isUnlocked } from '../parts/device-icon.ts'
import { Switch } from '../parts/form.tsx'
import type { IconName } from '../parts/icons.ts'
import { Age, Button, Icon } from '../parts/page.tsx'
import { usePress } from '../parts/press.ts'
import { Slider, useWish } from '../parts/slider.tsx'
import { asked, control, refusalOf } from '../stores/control.ts'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { connected, deviceOf } from '../stores/home.ts'
import { alarmsIn, readingsOf } from '../stores/readings.ts'
import { sinceOf } from '../stores/since.ts'
import { words } from '../words/device.ts'
import { controlWords, fieldOf, isOn, numberIn, numberWords, stateWords } from '../words/state.ts'

/** What is done most with a device, by what it takes now; nothing where it takes nothing. */
export function DeviceControl({ device }: { device: HomeDevice }): JSX.Element | null {
  const { id, name } = device
  const takes = takenBy(device)
  const stands = standing(device)
  if (device.class === 'lock') return <LockControl device={device} />
  if (takes('close')) return <CoverButtons device={device} disabled={stands.disabled} />
  if (!takes('set_power')) return null
  return (
    <>
      <Switch
        label={name}
        on={isOn(device)}
        lit={isLight(device)}
        {...stands}
        onChange={(on) => void control(id, { op: 'set_power', args: { on } })}
      />
      {takes('set_brightness') && (
        <Slider
          label={words.brightnessOf(name)}
          value={isOn(device) ? numberIn(device, 'bri') : 0}
          {...stands}
          onChange={(bri) => void control(id, { op: 'set_brightness', args: { bri } })}
        />
      )}
      {takes('set_temp') && (
        <Stepper
          label={name}
          value={numberIn(device, 'temp')}
          {...stands}
          onChange={(temp) => void control(id, { op: 'set_temp', args: { temp } })}
        />
      )}
    </>
  )
}

/** Whether something is asked of a device and not answered yet, and whether nothing can be asked now. */
export const standing = ({ id }: HomeDevice): { asked: boolean; disabled: boolean } => ({
  asked: asked.value.has(id),
  disabled: !connected.value,
})

/** Whether a device takes an operation now. */
export const takenBy =
  ({ operations }: HomeDevice) =>
  (operation: HomeDevice['operations'][number]): boolean =>
    operations.some((each) => each === operation)

/** A lock that is open is locked at once; opening it takes a second. */
function LockControl({ device }: { device: HomeDevice }): JSX.Element {
  const { id, name } = device
  if (fieldOf(device, 'locked') !== false)
    return <HoldButton of={name} disabled={!connected.value} onHeld={() => void control(id, { op: 'open' })} />
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

/** A shutter goes up and down, a curtain and a gate apart and together. */
const WAYS = {
  down: { open: 'raise', close: 'lower' },
  aside: { open: 'apart', close: 'together' },
} as const

/** Open, stop and close of a shutter or curtain; a gate is held to open, since that lets people in. */
function CoverButtons({ device, disabled }: { readonly device: HomeDevice; readonly disabled: boolean }): JSX.Element {
  const { id, name } = device
  const way = device.class === 'curtain' || device.class === 'gate' ? WAYS.aside : WAYS.down
  const button = (op: 'open' | 'stop' | 'close', label: string, icon: IconName): JSX.Element => (
    <Button icon={icon} aria-label={label} disabled={disabled} onClick={() => void control(id, { op })} />
  )
  return (
    <div class="cover" role="group" aria-label={name}>
      {device.class === 'gate' ? (
        <HoldButton of={name} disabled={disabled} onHeld={() => void control(id, { op: 'open' })} />
      ) : (
        button('open', words.doOpen(name), way.open)
      )}
      {button('stop', words.doStop(name), 'stop')}
      {button('close', words.doClose(name), way.close)}
    </div>
  )
}

/** So long an entrance is held before it opens; the style sheet fills the button in the same time. */
const HOLD_MS = 1_000
/** So long a first press waits for the second. */
const ARMED_MS = 5_000

interface HoldButtonProps {
  /** The name of what is opened, for those who listen. */
  readonly of: string
  readonly disabled: boolean
  readonly onHeld: () => void
}

/**
 * Opens an entrance: held for a second by a finger or a pointer, or pressed twice by a key. A screen reader presses as
 * a key does, so it is never asked to hold.
 */
function HoldButton({ of, disabled, onHeld }: HoldButtonProps): JSX.Element {
  const phase = useSignal<'idle' | 'holding' | 'armed'>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const rest = (): void => {
    clearTimeout(timer.current)
    phase.value = 'idle'
  }
  const open = (): void => {
    rest()
    onHeld()
  }
  const begin = (next: 'holding' | 'armed', ms: number, then: () => void): void => {
    clearTimeout(timer.current)
    phase.value = next
    timer.current = setTimeout(then, ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const endHold = (): void => {
    if (phase.value === 'holding') rest()
  }
  return (
    <button
      type="button"
      class={`hold ${phase.value}`}
      aria-label={phase.value === 'armed' ? words.enterAgainNamed(of) : words.holdToOpenNamed(of)}
      disabled={disabled}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        const press = usePress({ isDrag: false, onRelease: endHold, onDrop: endHold })
        if (press?.isOn !== true) return
        begin('holding', HOLD_MS, () => {
          // The door is open: lifting the finger does no more, whatever stands under it by then.
          press.drop()
          open()
        })
      }}
      onPointerLeave={endHold}
      onBlur={rest}
      onKeyDown={(event) => {
        // A key that stays down is one press, and not the second one that opens.
        if (event.repeat && event.key === 'Enter') event.preventDefault()
      }}
      onClick={(event) => {
        // A pointer has held or let go already; only a key or a screen reader clicks without one.
        if (event.detail !== 0) return
        if (phase.value === 'armed') open()
        else begin('armed', ARMED_MS, rest)
      }}
    >
      <span>{PHASE_WORDS[phase.value]}</span>
    </button>
  )
}

const PHASE_WORDS = { idle: words.holdToOpen, holding: words.holding, armed: words.enterAgain } as const

const [LEAST, MOST, STEP] = [5, 35, 0.5]

interface StepperProps {
  /** What is set, for those who listen. */
  readonly label: string
  /** Degrees Celsius as confirmed; null: not heard yet. */
  readonly value: number | null
  readonly asked: boolean
  readonly disabled: boolean
  /** Called once after the last press. */
  readonly onChange: (value: number) => void
}

/** A temperature in steps of half a degree. While it is pressed it shows the wish, and then what was confirmed. */
function Stepper({ label, value, asked, disabled, onChange }: StepperProps): JSX.Element {
  const wish = useWish({ value, asked })
  const shown = wish.value.value ?? value
  const step = (by: number): void => {
    wish.step(Math.min(Math.max((shown ?? 20) + by, LEAST), MOST), onChange)
  }
  const button = (sign: string, label: string, by: number): JSX.Element => (
    <Button class="quiet" says={sign} aria-label={label} disabled={disabled} onClick={() => step(by)} />
  )
  return (
    <div class="stepper" role="group" aria-label={label}>
      {button('−', words.colder(label), -STEP)}
      <output class={wish.value.value === null ? '' : 'wish'}>{shown === null ? '–' : numberWords(shown, '°C')}</output>
      {button('+', words.warmer(label), STEP)}
    </div>
  )
}

/** One device: its name, which leads to its page, its confirmed state in words, and what is done most with it. */
export function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = deviceOf(id).value
  if (device === null) return null
  const refusal = refusalOf(id)
  return (
    <li class={`tile ${lookOf(device)}`}>
      <Icon of={deviceIcon(device)} />
      <a class="name" href={devicePath(id)} dir="auto" title={device.name}>
        {device.name}
      </a>
      <StateLine device={device} />
      <DeviceControl device={device} />
      <Said of={refusal} />
    </li>
  )
}

/** The class by which a device looks as it is. */
export function lookOf(device: HomeDevice): string {
  if (alarmsIn(readingsOf(device.id).value).length > 0) return 'alarm'
  const measures = device.operations.length === 0 ? 'measures' : ''
  if (!device.reachable) return `silent ${measures}`
  if (measures !== '') return measures
  if (isUnlocked(device)) return 'unlocked'
  return isLight(device) && isOn(device) ? 'lit' : ''
}

/** A measured value that is older says so. What is switched tells each change, so its word holds while it answers. */
const OLD_MS = 30 * 60_000

/** How a device is: confirmed, asked for, old, not heard yet, or without an answer. */
export function StateLine({ device }: { readonly device: HomeDevice }): JSX.Element {
  const wish = asked.value.get(device.id)?.at(-1)
  const said = stateWords(device)
  const also = device.class === 'sensor' || device.class === 'meter' ? [] : besides(device.id)
  return (
    <span class="state">
      {!device.reachable && <strong>{words.silent}</strong>}
      <span>{said ?? (device.reachable && also.length === 0 ? words.noState : '')}</span>
      {also.map((words) => (
        <span key={words}>{words}</span>
      ))}
      {wish && <span class="asked">{words.askedFor(controlWords(wish))}</span>}
      {!wish && said !== null && <Confirmed device={device} />}
    </span>
  )
}

/** The alarms of a device that does more than measure, and its power while it draws some. */
function besides(id: string): readonly string[] {
  const reading = readingsOf(id).value
  const { power = 0 } = reading ?? {}
  const drawn = Math.round(power) === 0 ? [] : [numberWords(Math.round(power), 'W')]
  return [...alarmsIn(reading).map((kind) => words.alarms[kind]), ...drawn]
}

/** Since when a state holds, or when a value was measured; how long ago it was heard, if it may hold no more. */
function Confirmed({ device }: { readonly device: HomeDevice }): JSX.Element | null {
  const isMeasured = device.class === 'sensor' || device.class === 'meter'
  const heard = heardAt(device)
  if (heard === null) return null
  const isOld = isMeasured && now.value - heard > OLD_MS
  if (!device.reachable || !connected.value || isOld)
    return (
      <span class="confirmed">
        {words.heard} <Age at={heard} />
      </span>
    )
  const since = isMeasured ? null : sinceOf(device)
  const at = since?.at ?? heard
  const confirmedAt = isMeasured ? heard : (device.state?.asOf ?? heard)
  return (
    <time class="confirmed" dateTime={new Date(at).toISOString()} title={words.confirmedAt(momentWords(confirmedAt))}>
      {since === null ? words.measuredAt(homeTime(at)) : words.since(homeTime(at), since.isExact)}
    </time>
  )
}

/** When a device told something last, epoch milliseconds; null before that. */
export function heardAt(device: HomeDevice): number | null {
  const seen = 'lastSeen' in device ? device.lastSeen : null
  const at = Math.max(device.state?.asOf ?? 0, seen ?? 0, readingsOf(device.id).value?.asOf ?? 0)
  return at === 0 ? null : at
}
