import type { JSX } from 'preact'
import type { Control, ControlArgs, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { DeviceControl, lookOf, progressOf, StateLine, supportedBy, Tile } from '../../controls/device-control.tsx'
import { unitsOf } from '../../lib/house-units.ts'
import { deviceIcon } from '../../parts/device-icon.ts'
import { Segments } from '../../parts/form.tsx'
import { Button, Card, Icon } from '../../parts/page.tsx'
import { Slider } from '../../parts/slider.tsx'
import { control, refusalOf } from '../../stores/control.ts'
import { connected, house } from '../../stores/home.ts'
import { readingsOf } from '../../stores/readings.ts'
import { words } from '../../words/device.ts'
import { fieldOf, type Measure, measures, numberIn } from '../../words/state.ts'

/** State of the device and all its controls. */
export function ControlCard({ device }: { device: HomeDevice }): JSX.Element {
  if (device.kind === 'module') return <Gangs module={device} />
  const refusal = refusalOf(device.id)
  const supports = supportedBy(device)
  if (device.operations.length === 0) return <SensorCard device={device} />
  return (
    <Card title={words.control}>
      <div class={`tile ${lookOf(device)}`}>
        <Icon name={deviceIcon(device)} />
        <StateLine device={device} />
        <DeviceControl device={device} />
      </div>
      {supports('set_position') && <Position device={device} />}
      {supports('set_ac_mode') && <AcMode device={device} />}
      {supports('set_fan') && <Fan device={device} />}
      {supports('set_mode') && <Mode device={device} />}
      {supports('set_mode') && fieldOf(device, 'mode') === 'sleep' && <p class="hint">{words.modeSleep}</p>}
      {supports('key') && <RemoteKeys device={device} />}
      {/* Unreachable devices have their message above the cards. */}
      {refusal !== null && device.reachable && <p role="alert">{refusal}</p>}
      <ExtraMeasures device={device} />
    </Card>
  )
}

function Position({ device }: { device: HomeDevice }): JSX.Element {
  return (
    <div class="setting">
      <span class="fine" aria-hidden="true">
        {words.position}
      </span>
      <Slider
        label={words.position}
        value={numberIn(device, 'pos')}
        {...progressOf(device)}
        onChange={(pos) => void control(device.id, { op: 'set_position', args: { pos } })}
      />
    </div>
  )
}

/** Makes a control that sets one of a few values; `field` is its name in the state. */
const choice = <Value extends string>(
  legend: string,
  field: string,
  names: Readonly<Record<Value, string>>,
  controlFor: (value: Value) => Control,
) =>
  function Choice({ device }: { device: HomeDevice }): JSX.Element {
    const current = fieldOf(device, field)
    return (
      <div class="setting">
        <span class="fine" aria-hidden="true">
          {legend}
        </span>
        <Segments
          legend={legend}
          names={names}
          value={current as Value}
          disabled={!connected.value}
          onChange={(value) => void control(device.id, controlFor(value))}
        />
      </div>
    )
  }

/** Only the keys of the unit itself can set Sleep. */
const { sleep: _, ...MODES } = words.modes
const Mode = choice(words.mode, 'mode', MODES, (mode) => ({ op: 'set_mode', args: { mode } }))
const AcMode = choice(words.acMode, 'mode', words.acModes, (mode) => ({ op: 'set_ac_mode', args: { mode } }))
const Fan = choice(words.fan, 'fan', words.fans, (fan) => ({ op: 'set_fan', args: { fan } }))

/** Values of a sensor or meter, one per row. */
function SensorCard({ device }: { device: HomeDevice }): JSX.Element {
  const measured = device.state === null ? [] : measures({ ...device.state })
  return (
    <Card title={words.measured}>
      {measured.length > 0 ? (
        <Measures measures={measured} />
      ) : (
        <div class="tile">
          <Icon name={deviceIcon(device)} />
          <StateLine device={device} />
        </div>
      )}
    </Card>
  )
}

/** Measurements of a unit that is not a sensor. */
function ExtraMeasures({ device }: { device: HomeDevice }): JSX.Element | null {
  const reading = readingsOf(device.id).value
  const measured = reading === null ? [] : measures(reading)
  if (measured.length === 0) return null
  return (
    <div class="measured">
      <h3>{words.measured}</h3>
      <Measures measures={measured} />
    </div>
  )
}

const Measures = ({ measures }: { readonly measures: readonly Measure[] }): JSX.Element => (
  <dl class="measures">
    {measures.map(({ name, value, isAlarm }) => (
      <div key={name} class={isAlarm ? 'alarm' : undefined}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Tiles of a module's gangs; the module itself has no state. */
function Gangs({ module }: { readonly module: HomeDevice }): JSX.Element {
  const home = house.value
  const gangs = (home ? unitsOf(home) : []).find(({ id }) => id === module.id)?.gangs ?? []
  return (
    <Card title={words.gangs}>
      <ul class="tiles">
        {gangs.map(({ id }) => (
          <Tile key={id} id={id} />
        ))}
      </ul>
      <ExtraMeasures device={module} />
    </Card>
  )
}

type Key = NonNullable<ControlArgs['key']>

/** Layout of a hand-held remote, row by row. */
const ROWS: readonly (readonly Key[])[] = [
  ['power', 'source', 'mute'],
  ['back', 'up', 'home'],
  ['left', 'ok', 'right'],
  ['menu', 'down', 'stop'],
  ['volume_down', 'play', 'volume_up'],
  ['channel_down', 'pause', 'channel_up'],
]

/** Keys of an infrared remote. The unit confirms only that it sent a key. */
function RemoteKeys({ device: { id, name } }: { readonly device: HomeDevice }): JSX.Element {
  return (
    <div class="remote" role="group" aria-label={name}>
      {ROWS.flat().map((key) => (
        <Button
          key={key}
          label={words.keys[key]}
          disabled={!connected.value}
          onClick={() => void control(id, { op: 'key', args: { key } })}
        />
      ))}
    </div>
  )
}
