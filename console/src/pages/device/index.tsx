import type { JSX } from 'preact'
import type { ActivityEntry, Cause, ExplainItem, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { lastHeardAt } from '../../controls/device-control.tsx'
import { devicePath, localIdOf } from '../../lib/page-paths.ts'
import type { DevicesShowAnswer } from '../../lib/admin-contract.ts'
import { ErrorBox, ErrorLine, useAction } from '../../parts/action.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Age, Button, Card, Chip, Empty, Fact, LinkButton, Page, useShowMore } from '../../parts/page.tsx'
import { type FloorView, NO_FLOOR, type RoomView } from '../../stores/floor-views.ts'
import { openFloor, roomOf, roomToShow } from '../../stores/floors.ts'
import { homeTime, withHomeDays } from '../../stores/home-time.ts'
import { deviceOf, house, revision } from '../../stores/home.ts'
import { isAdministrator } from '../../stores/own-session.ts'
import { accessChanges } from '../../stores/admin-topics.ts'
import { useActivityCount, useResource } from '../../stores/use-resource.ts'
import { admin, owner } from '../../stores/session.ts'
import { words } from '../../words/device.ts'
import { words as frame } from '../../words/page-frame.ts'
import { ControlCard } from './control-card.tsx'
import { SettingsCard } from './settings-card.tsx'

/** One device: state, reasons, controls, settings, and its users. */
export function DevicePage({ id }: { readonly id: string }): JSX.Element {
  if (house.value === null) return <p class="wait">{frame.loading}</p>
  const device = deviceOf(id).value
  if (device === null)
    return (
      <Page title={words.notFound}>
        <Empty icon="rooms" sentence={words.notFoundAbout}>
          <LinkButton to="/console/" label={frame.toHome} />
        </Empty>
      </Page>
    )
  return (
    <Page title={device.name} aside={<Freshness device={device} />}>
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
          {isAdministrator.value && <SettingsCard device={device} />}
          {isAdministrator.value && <UsersCard device={device} />}
          <IdentityCard device={device} />
        </div>
      </div>
    </Page>
  )
}

/** Time of the last confirmation. */
function Freshness({ device }: { readonly device: HomeDevice }): JSX.Element {
  const at = device.reachable ? (device.state?.asOf ?? lastHeardAt(device)) : lastHeardAt(device)
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
      {place && mustNameFloor(place) && <PlaceLink floor={place.floor} />}
      {[classes[device.class] ?? device.class, model].map((part) => part && <span key={part}>{part}</span>)}
    </p>
  )
}

/** False for the view without a floor, and for a floor with the name of its room. */
const mustNameFloor = ({ floor, room }: { readonly floor: FloorView; readonly room: RoomView }): boolean =>
  floor.id !== NO_FLOOR && floor.name !== room.name

/** Link to a room or floor on the home page. */
function PlaceLink({ floor, room }: { readonly floor: FloorView; readonly room?: RoomView }): JSX.Element {
  const show = (): void => {
    openFloor.value = floor.id
    roomToShow.value = room?.id ?? null
  }
  return (
    <span>
      <a href="/console/" onClick={show} dir="auto">
        {room?.name ?? floor.name}
      </a>
    </span>
  )
}

/** Id of the device for the command line, and its module. */
function IdentityCard({ device }: { readonly device: HomeDevice }): JSX.Element {
  const id = localIdOf(device.id)
  const module = device.unit === null ? null : deviceOf(device.unit).value
  const { value } = useResource(() => owner.call('get', '/v1/devices/{id}', { path: { id: device.id } }), device.id)
  const canBlink = value !== null && 'capabilities' in value.device && value.device.capabilities?.includes('identify')
  return (
    <Card title={words.identity}>
      {canBlink && <BlinkButton device={device} />}
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

function BlinkButton({ device }: { readonly device: HomeDevice }): JSX.Element {
  const action = useAction(() => owner.call('post', '/v1/devices/{id}/identify', { path: { id: device.id } }))
  return (
    <>
      <Button label={words.blink} action={action} />
      <ErrorLine message={action.message} />
    </>
  )
}

/** Scenes and rules that use the device, and programs that see it. */
function UsersCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const read = () => admin.call('get', '/admin/v1/devices/{id}', { path: { id: localIdOf(id) } })
  const { value, error, reload } = useResource(read, id, revision.value, accessChanges.value)
  return (
    <Card title={words.usersTitle}>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
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

/** Users per step of the list. */
const USERS_STEP = 20

function UsedBy({ users }: { readonly users: DevicesShowAnswer['usedBy'] }): JSX.Element {
  const [visible, more] = useShowMore(users, USERS_STEP)
  return (
    <>
      <ul class="links">
        {visible.map(({ kind, id, name, next, enabled, until }) => (
          <li key={`${kind} ${id}`}>
            {name} <Chip>{words.users[kind]}</Chip>{' '}
            {(!enabled || until !== null) && (
              <Chip>{words.ruleState(enabled, until === null ? null : homeTime(until))}</Chip>
            )}{' '}
            {next !== null && <span class="hint">{words.nextAt(homeTime(next))}</span>}
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

const ENTRIES_MAX = 20
/** Further entries are folded. */
const UNFOLDED_MAX = 5
/** Narrow screens fold the entries, because the settings stand below them. */
const WIDE = '(width >= 800px)'

/** Explains the state in one sentence, with further reasons and recent events. */
function WhyCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const activityCount = useActivityCount(id)
  const read = async () => {
    const [{ items, note }, { entries }] = await Promise.all([
      owner.explain(id),
      owner.activity({ device: id, limit: ENTRIES_MAX }),
    ])
    return { items, note, entries }
  }
  const { value, error, reload } = useResource(read, id, activityCount)
  return (
    <Card title={words.why}>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
      {value === null ? error === null && <p class="wait">{frame.loading}</p> : <Reasons {...value} />}
    </Card>
  )
}

interface ReasonsProps {
  readonly items: readonly ExplainItem[]
  readonly note: string
  readonly entries: readonly ActivityEntry[]
}

function Reasons({ items: [answer, ...rest], note, entries }: ReasonsProps): JSX.Element {
  return (
    <>
      <p class="answer">{withHomeDays(answer?.what ?? note)}</p>
      {rest.length > 0 && (
        <details>
          <summary>
            {words.reasons} ({rest.length})
          </summary>
          <ul class="reasons">
            {rest.map(({ what, asOf }, place) => (
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
          <Entries entries={entries.slice(0, UNFOLDED_MAX)} />
          {entries.length > UNFOLDED_MAX && (
            <details>
              <summary>
                {words.earlier} ({entries.length - UNFOLDED_MAX})
              </summary>
              <Entries entries={entries.slice(UNFOLDED_MAX)} />
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
      <Event key={entry.id} entry={entry} />
    ))}
  </ol>
)

function Event({ entry: { at, what, cause, kind } }: { readonly entry: ActivityEntry }): JSX.Element {
  return (
    <li class={kind === 'failed' || kind === 'refused' ? 'bad' : ''}>
      <time class="fine" dateTime={new Date(at).toISOString()}>
        {homeTime(at)}
      </time>
      <span>{what}</span>
      {/* A detection has no cause besides its sensor. */}
      {kind !== 'detection' && <span class="hint">{causeWords(cause)}</span>}
    </li>
  )
}

/** The chain of causes: `← Dinner ← Anna`. */
function causeWords(cause: Cause): string {
  return `← ${[cause.name, ...(cause.by ? [causeWords(cause.by)] : [])].join(' ')}`
}
