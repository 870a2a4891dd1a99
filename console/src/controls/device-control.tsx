import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { isLight } from '../parts/device-icon.ts'
import { Slider } from '../parts/slider.tsx'
import { Switch } from '../parts/switch.tsx'
import { fieldOf, isOn, numberIn } from '../words/state.ts'
import { asked, control } from '../stores/control.ts'
import { connected } from '../stores/home.ts'
import { words } from '../words/device.ts'
import { CoverButtons } from './cover-buttons.tsx'
import { HoldButton } from './hold-button.tsx'
import { Stepper } from './stepper.tsx'

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
