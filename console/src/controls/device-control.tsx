import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { isLight } from '../parts/device-icon.ts'
import { Switch } from '../parts/form.tsx'
import type { IconName } from '../parts/icons.ts'
import { Icon } from '../parts/page.tsx'
import { usePress } from '../parts/press.ts'
import { Slider } from '../parts/slider.tsx'
import { useWish } from '../parts/wish.ts'
import { asked, control } from '../stores/control.ts'
import { connected } from '../stores/home.ts'
import { words } from '../words/device.ts'
import { fieldOf, isOn, numberIn, numberWords } from '../words/state.ts'

interface DeviceProps {
  readonly device: HomeDevice
}

/** What is done most with a device, by what it takes now; nothing where it takes nothing. */
export function DeviceControl({ device }: DeviceProps): JSX.Element | null {
  const takes = takenBy(device)
  if (device.class === 'lock') return <LockControl device={device} />
  if (takes('close')) return <CoverButtons device={device} disabled={!connected.value} />
  if (!takes('set_power')) return null
  return (
    <>
      <PowerSwitch device={device} />
      {takes('set_brightness') && <Brightness device={device} />}
      {takes('set_temp') && <SetTemperature device={device} />}
    </>
  )
}

/** Whether a device takes an operation now. */
export const takenBy =
  ({ operations }: HomeDevice) =>
  (operation: HomeDevice['operations'][number]): boolean =>
    operations.some((each) => each === operation)

function PowerSwitch({ device }: DeviceProps): JSX.Element {
  return (
    <Switch
      label={device.name}
      on={isOn(device)}
      asked={asked.value.has(device.id)}
      disabled={!connected.value}
      lit={isLight(device)}
      onChange={(on) => void control(device.id, { op: 'set_power', args: { on } })}
    />
  )
}

function Brightness({ device }: DeviceProps): JSX.Element {
  return (
    <Slider
      label={words.brightnessOf(device.name)}
      value={isOn(device) ? numberIn(device, 'bri') : 0}
      unit="%"
      asked={asked.value.has(device.id)}
      disabled={!connected.value}
      onChange={(bri) => void control(device.id, { op: 'set_brightness', args: { bri } })}
    />
  )
}

function SetTemperature({ device }: DeviceProps): JSX.Element {
  return (
    <Stepper
      label={device.name}
      value={numberIn(device, 'temp')}
      asked={asked.value.has(device.id)}
      disabled={!connected.value}
      onChange={(temp) => void control(device.id, { op: 'set_temp', args: { temp } })}
    />
  )
}

/** A lock that is open is locked at once; opening it takes a second. */
function LockControl({ device }: DeviceProps): JSX.Element {
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
    <button type="button" aria-label={label} disabled={disabled} onClick={() => void control(id, { op })}>
      <Icon of={icon} />
    </button>
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
  return (
    <div class="stepper" role="group" aria-label={label}>
      <button
        type="button"
        class="quiet"
        aria-label={words.colder(label)}
        disabled={disabled}
        onClick={() => step(-STEP)}
      >
        −
      </button>
      <output class={wish.value.value === null ? '' : 'wish'}>{shown === null ? '–' : numberWords(shown, '°C')}</output>
      <button
        type="button"
        class="quiet"
        aria-label={words.warmer(label)}
        disabled={disabled}
        onClick={() => step(STEP)}
      >
        +
      </button>
    </div>
  )
}
