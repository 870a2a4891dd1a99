import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useId } from 'preact/hooks'
import { roomsOf } from '../../lib/house-units.ts'
import { house } from '../../stores/home.ts'
import { integrations } from '../../stores/integrations.ts'
import { localDevices, localRoomOf } from '../../stores/local-devices.ts'
import { words } from '../../words/activity.ts'

type Query = Readonly<Record<string, string>>
type Options = readonly (readonly [value: string, name: string])[]

const DAY_MS = 86_400_000
/** How far back each range goes, in milliseconds. */
export const RANGES_MS: ReadonlyMap<string, number> = new Map([
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
  ['month', 30 * DAY_MS],
])
/** On a screen this wide there is room for all of them. */
const WIDE = '(width >= 800px)'

/** What of the log is shown. The address has it, so that it can be kept and sent, and Back undoes it. */
export function Filters({ query }: { readonly query: Query }): JSX.Element {
  const { route } = useLocation()
  const set = (name: string, value: string): void => {
    const { [name]: _, ...others } = query
    const next = new URLSearchParams(value === '' ? others : { ...others, [name]: value })
    route(`/console/activity${next.size === 0 ? '' : `?${next}`}`)
  }
  const choice = (name: string, label: string, options: Options, all: string = words.all): JSX.Element => (
    <Choice
      label={label}
      value={query[name] ?? ''}
      all={all}
      options={options}
      onChoose={(value) => set(name, value)}
    />
  )
  const count = Object.keys(query).length
  return (
    <details class="filters" open={window.matchMedia(WIDE).matches}>
      <summary>
        {words.filters}
        {count > 0 && <span class="chip">{count}</span>}
      </summary>
      <div>
        {choice('kind', words.kind, Object.entries(words.kinds))}
        {choice('source', words.source, Object.entries(words.sources), words.anybody)}
        {choice('room', words.room, rooms())}
        {choice('device', words.device, ...devices(query))}
        {choice('integration', words.integration, programs())}
        {choice('range', words.range, Object.entries(words.ranges).slice(1), words.ranges.all)}
        <Day value={query['until'] ?? ''} onChoose={(day) => set('until', day)} />
        {count > 0 && (
          <a class="button" href="/console/activity">
            {words.clear}
          </a>
        )}
      </div>
    </details>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** What no choice is called. */
  readonly all: string
  readonly options: Options
  readonly onChoose: (value: string) => void
}

function Choice({ label, value, all, options, onChoose }: ChoiceProps): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

function Day({ value, onChoose }: Pick<ChoiceProps, 'value' | 'onChoose'>): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{words.until}</label>
      <input id={id} type="date" value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)} />
    </div>
  )
}

function rooms(): Options {
  const home = house.value
  return (home ? roomsOf(home) : []).map(({ id, name }) => [localRoomOf(id), name])
}

/** Nobody finds one of thousands in a list: where there are more, a room is chosen first. */
const DEVICES_MAX = 300

/** The devices to choose from, and what no choice is called. */
function devices({ room, device: chosen }: Query): readonly [Options, string] {
  const inRoom = [...localDevices.value].filter(([, device]) => room === undefined || device.room === room)
  const isTooMany = inRoom.length > DEVICES_MAX
  const offered = isTooMany ? inRoom.filter(([id]) => id === chosen) : inRoom
  return [offered.map(([id, { name }]) => [id, name]), isTooMany ? words.roomFirst : words.all]
}

const programs = (): Options => (integrations.value ?? []).map(({ id, name }) => [id, name])
