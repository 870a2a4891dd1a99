import type { JSX } from 'preact'
import type { Control, ControlArgs, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { DeviceControl, lookOf, standing, StateLine, takenBy, Tile } from '../../controls/device-control.tsx'
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

/** How the device is, and all that it can be told. */
export function ControlCard({ device }: { device: HomeDevice }): JSX.Element {
  if (device.kind === 'module') return <Gangs module={device} />
  const refusal = refusalOf(device.id)
  const takes = takenBy(device)
  if (device.operations.length === 0) return <Measuring device={device} />
  return (
    <Card title={words.control}>
      <div class={`tile ${lookOf(device)}`}>
        <Icon of={deviceIcon(device)} />
        <StateLine device={device} />
        <DeviceControl device={device} />
      </div>
      {takes('set_position') && <Position device={device} />}
      {takes('set_ac_mode') && <AcMode device={device} />}
      {takes('set_fan') && <Fan device={device} />}
      {takes('set_mode') && <Mode device={device} />}
      {takes('set_mode') && fieldOf(device, 'mode') === 'sleep' && <p class="hint">{words.modeSleep}</p>}
      {takes('key') && <RemoteKeys device={device} />}
      {/* What is silent says so above, and what to do. */}
      {refusal !== null && device.reachable && <p role="alert">{refusal}</p>}
      <Measured device={device} />
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
        {...standing(device)}
        onChange={(pos) => void control(device.id, { op: 'set_position', args: { pos } })}
      />
    </div>
  )
}

/** A choice among a few words of the state; `field` says which one holds. */
const choice = <Value extends string>(
  legend: string,
  field: string,
  names: Readonly<Record<Value, string>>,
  order: (value: Value) => Control,
) =>
  function Choice({ device }: { device: HomeDevice }): JSX.Element {
    const holds = fieldOf(device, field)
    return (
      <div class="setting">
        <span class="fine" aria-hidden="true">
          {legend}
        </span>
        <Segments
          legend={legend}
          names={names}
          value={holds as Value}
          disabled={!connected.value}
          onChange={(value) => void control(device.id, order(value))}
        />
      </div>
    )
  }

/** A unit goes to sleep by its own keys. */
const { sleep: _, ...MODES } = words.modes
const Mode = choice(words.mode, 'mode', MODES, (mode) => ({ op: 'set_mode', args: { mode } }))
const AcMode = choice(words.acMode, 'mode', words.acModes, (mode) => ({ op: 'set_ac_mode', args: { mode } }))
const Fan = choice(words.fan, 'fan', words.fans, (fan) => ({ op: 'set_fan', args: { fan } }))

/** What only measures: each value in a row of its own. */
function Measuring({ device }: { device: HomeDevice }): JSX.Element {
  const measured = device.state === null ? [] : measures({ ...device.state })
  return (
    <Card title={words.measured}>
      {measured.length > 0 ? (
        <Measures of={measured} />
      ) : (
        <div class="tile">
          <Icon of={deviceIcon(device)} />
          <StateLine device={device} />
        </div>
      )}
    </Card>
  )
}

/** What a unit measures besides what it is. */
function Measured({ device }: { device: HomeDevice }): JSX.Element | null {
  const reading = readingsOf(device.id).value
  const measured = reading === null ? [] : measures(reading)
  if (measured.length === 0) return null
  return (
    <div class="measured">
      <h3>{words.measured}</h3>
      <Measures of={measured} />
    </div>
  )
}

const Measures = ({ of }: { readonly of: readonly Measure[] }): JSX.Element => (
  <dl class="measures">
    {of.map(({ name, value, isAlarm }) => (
      <div key={name} class={isAlarm ? 'alarm' : undefined}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A module does nothing itself: its gangs do, each with a state of its own. */
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
      <Measured device={module} />
    </Card>
  )
}

type Key = NonNullable<ControlArgs['key']>

/** As on a remote in the hand: row by row. */
const ROWS: readonly (readonly Key[])[] = [
  ['power', 'source', 'mute'],
  ['back', 'up', 'home'],
  ['left', 'ok', 'right'],
  ['menu', 'down', 'stop'],
  ['volume_down', 'play', 'volume_up'],
  ['channel_down', 'pause', 'channel_up'],
]

/** The keys of an infrared remote. What they did nobody answers: the unit confirms that it sent them. */
function RemoteKeys({ device: { id, name } }: { readonly device: HomeDevice }): JSX.Element {
  return (
    <div class="remote" role="group" aria-label={name}>
      {ROWS.flat().map((key) => (
        <Button
          key={key}
          says={words.keys[key]}
          disabled={!connected.value}
          onClick={() => void control(id, { op: 'key', args: { key } })}
        />
      ))}
    </div>
  )
}
