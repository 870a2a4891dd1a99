import type { JSX } from 'preact'
import type { ActivityEntry, Cause, ExplainItem, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { heardAt } from '../../controls/device-control.tsx'
import { devicePath, localIdOf } from '../../lib/addresses.ts'
import type { DevicesShowAnswer } from '../../lib/admin-contract.ts'
import { Problem } from '../../parts/action.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Age, Card, Chip, Empty, Fact, LinkButton, Page, useFirst } from '../../parts/page.tsx'
import { type FloorView, NO_FLOOR, type RoomView } from '../../stores/floor-views.ts'
import { openFloor, roomOf, wantedRoom } from '../../stores/floors.ts'
import { homeTime, withHomeDays } from '../../stores/home-time.ts'
import { deviceOf, house, revision } from '../../stores/home.ts'
import { accessChanges } from '../../stores/pushed.ts'
import { useHappened, useReading } from '../../stores/reading.ts'
import { admin, owner } from '../../stores/session.ts'
import { words } from '../../words/device.ts'
import { words as frame } from '../../words/frame.ts'
import { ControlCard } from './control-card.tsx'
import { SettingsCard } from './settings-card.tsx'

/** One device: how it is and why, what it can be told, its settings, and who uses and sees it. */
export function DevicePage({ id }: { readonly id: string }): JSX.Element {
  if (house.value === null) return <p class="wait">{frame.loading}</p>
  const device = deviceOf(id).value
  if (device === null)
    return (
      <Page title={words.gone}>
        <Empty icon="rooms" sentence={words.goneAbout}>
          <LinkButton to="/console/" says={frame.toHome} />
        </Empty>
      </Page>
    )
  return (
    <Page title={device.name} beside={<Heard device={device} />}>
      <Whereabouts device={device} />
      {!device.reachable && (
        <p class="silent-help">
          <strong>{words.silent}.</strong> {words.silentWhatToDo}
        </p>
      )}
      <div class="device" key={id}>
        <div>
          <ControlCard device={device} />
          <WhyCard device={device} />
        </div>
        <div>
          <SettingsCard device={device} />
          <UsersCard device={device} />
          <IdentityCard device={device} />
        </div>
      </div>
    </Page>
  )
}

/** How sure what is shown is: when the unit said so. */
function Heard({ device }: { readonly device: HomeDevice }): JSX.Element {
  const at = device.reachable ? (device.state?.asOf ?? heardAt(device)) : heardAt(device)
  if (!device.reachable)
    return (
      <Chip tone="danger" icon="unreachable">
        {at === null ? (
          words.silent
        ) : (
          <>
            {words.lastHeard} <Age at={at} />
          </>
        )}
      </Chip>
    )
  if (at === null) return <Chip>{words.noState}</Chip>
  return (
    <Chip tone="ok" icon="check">
      {words.confirmed} <Age at={at} />
    </Chip>
  )
}

function Whereabouts({ device }: { readonly device: HomeDevice }): JSX.Element {
  const place = roomOf.value.get(device.id)
  const classes: Readonly<Record<string, string>> = words.classes
  const model = 'model' in device ? device.model : null
  return (
    <p class="whereabouts">
      {place && <PlaceLink {...place} />}
      {place && isNamedBeside(place) && <PlaceLink floor={place.floor} />}
      {[classes[device.class] ?? device.class, model].map((part) => part && <span key={part}>{part}</span>)}
    </p>
  )
}

/** A floor that is none, or is called as its room, is not named. */
const isNamedBeside = ({ floor, room }: { readonly floor: FloorView; readonly room: RoomView }): boolean =>
  floor.id !== NO_FLOOR && floor.name !== room.name

/** The way to a room or floor on the page of the home. */
function PlaceLink({ floor, room }: { readonly floor: FloorView; readonly room?: RoomView }): JSX.Element {
  const show = (): void => {
    openFloor.value = floor.id
    wantedRoom.value = room?.id ?? null
  }
  return (
    <span>
      <a href="/console/" onClick={show} dir="auto">
        {room?.name ?? floor.name}
      </a>
    </span>
  )
}

/** What the device is called by administrators' commands, and where it hangs. */
function IdentityCard({ device }: { readonly device: HomeDevice }): JSX.Element {
  const id = localIdOf(device.id)
  const module = device.unit === null ? null : deviceOf(device.unit).value
  return (
    <Card title={words.identity}>
      <dl class="facts">
        <dt>{words.id}</dt>
        <dd class="copied">
          <code>{id}</code>
          <CopyButton what={words.id} text={id} />
        </dd>
        {module && (
          <Fact term={words.module}>
            <a href={devicePath(module.id)}>{module.name}</a>
          </Fact>
        )}
      </dl>
    </Card>
  )
}

/** The scenes and rules that name the device, and the programs that see it. */
function UsersCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const read = () => admin.call('get', '/admin/v1/devices/{id}', { path: { id: localIdOf(id) } })
  const { value, error, again } = useReading(read, id, revision.value, accessChanges.value)
  return (
    <Card title={words.usersTitle}>
      {error !== null && <Problem error={error} onAgain={again} />}
      {value === null && error === null && <p class="wait">{frame.loading}</p>}
      {value !== null && (
        <>
          <h3>{words.usedBy}</h3>
          {value.usedBy.length === 0 && <p class="hint">{words.usedByNothing}</p>}
          <UsedBy users={value.usedBy} />
          <h3>{words.seenBy}</h3>
          {value.seenBy.length === 0 && <p class="hint">{words.seenByNobody}</p>}
          <ul class="links">
            {value.seenBy.map(({ id: integration, name, enabled }) => (
              <li key={integration}>
                <a href={`/console/access/${integration}`}>{name}</a> {!enabled && <Chip>{words.switchedOff}</Chip>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

/** A light in a large home may be named by hundreds. */
const SHOWN_FIRST = 20

function UsedBy({ users }: { readonly users: DevicesShowAnswer['usedBy'] }): JSX.Element {
  const [shown, more] = useFirst(users, SHOWN_FIRST)
  return (
    <>
      <ul class="links">
        {shown.map(({ kind, id, name, next }) => (
          <li key={`${kind} ${id}`}>
            {name} <Chip>{words.users[kind]}</Chip>{' '}
            {next !== null && <span class="hint">{words.nextAt(homeTime(next))}</span>}
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

const SHOWN_MAX = 20
/** The rest is folded. */
const SHOWN_AT_ONCE = 5
/** Beneath what a device is set to it would push that out of sight on a phone, and there it is folded. */
const WIDE = '(width >= 800px)'

/** Why the device is as it is, in one sentence; beneath it what else there is to know, and what happened to it. */
function WhyCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const happened = useHappened(id)
  const read = async () => {
    const [{ items, note }, { entries }] = await Promise.all([
      owner.explain(id),
      owner.activity({ device: id, limit: SHOWN_MAX }),
    ])
    return { items, note, entries }
  }
  const { value, error, again } = useReading(read, id, happened)
  return (
    <Card title={words.why}>
      {error !== null && <Problem error={error} onAgain={again} />}
      {value === null ? error === null && <p class="wait">{frame.loading}</p> : <Reasons {...value} />}
    </Card>
  )
}

interface ReasonsProps {
  readonly items: readonly ExplainItem[]
  readonly note: string
  readonly entries: readonly ActivityEntry[]
}

function Reasons({ items: [answer, ...others], note, entries }: ReasonsProps): JSX.Element {
  return (
    <>
      <p class="answer">{withHomeDays(answer?.what ?? note)}</p>
      {others.length > 0 && (
        <details>
          <summary>
            {words.reasons} ({others.length})
          </summary>
          <ul class="reasons">
            {others.map(({ what, asOf }, place) => (
              <li key={place}>
                {withHomeDays(what)}{' '}
                {asOf !== undefined && (
                  <span class="hint">
                    {words.read} <Age at={asOf} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {entries.length > 0 && (
        <details open={window.matchMedia(WIDE).matches}>
          <summary>
            {words.activity} ({entries.length})
          </summary>
          <Entries entries={entries.slice(0, SHOWN_AT_ONCE)} />
          {entries.length > SHOWN_AT_ONCE && (
            <details>
              <summary>
                {words.earlier} ({entries.length - SHOWN_AT_ONCE})
              </summary>
              <Entries entries={entries.slice(SHOWN_AT_ONCE)} />
            </details>
          )}
        </details>
      )}
    </>
  )
}

const Entries = ({ entries }: Pick<ReasonsProps, 'entries'>): JSX.Element => (
  <ol class="happened">
    {entries.map((entry) => (
      <Happened key={entry.id} entry={entry} />
    ))}
  </ol>
)

function Happened({ entry: { at, what, cause, kind } }: { readonly entry: ActivityEntry }): JSX.Element {
  return (
    <li class={kind === 'failed' || kind === 'refused' ? 'bad' : ''}>
      <time class="fine" dateTime={new Date(at).toISOString()}>
        {homeTime(at)}
      </time>
      <span>{what}</span>
      {/* That a sensor detected what it detected is plain. */}
      {kind !== 'detection' && <span class="hint">{causeWords(cause)}</span>}
    </li>
  )
}

/** Who did it, and what set that off: `Dinner ← Anna`. */
function causeWords(cause: Cause): string {
  return `← ${[cause.name, ...(cause.by ? [causeWords(cause.by)] : [])].join(' ')}`
}
