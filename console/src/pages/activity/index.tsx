import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { AdminActivityEntry } from '../../lib/admin-contract.ts'
import { roomsOf } from '../../lib/house-units.ts'
import { ErrorBox } from '../../parts/action.tsx'
import { NewEntriesButton, useLastLoaded, usePauseWhileReading } from '../../parts/feed.tsx'
import { Select } from '../../parts/form.tsx'
import { Button, Empty, LinkButton, Page } from '../../parts/page.tsx'
import { ActivityFeed, type FeedQuery, filterIn, SHOWN_MAX } from '../../stores/activity-feed.ts'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { dayOf, dayWords, endOfDay, homeTime } from '../../stores/home-time.ts'
import { house } from '../../stores/home.ts'
import { isAdministrator } from '../../stores/own-session.ts'
import { integrations } from '../../stores/integrations.ts'
import { localDevices, localRoomOf } from '../../stores/local-devices.ts'
import { words } from '../../words/activity.ts'
import { words as frame } from '../../words/page-frame.ts'
import { Entry } from './entry.tsx'
import { groupEntries } from './folded-activity.ts'

const DAY_MS = 86_400_000

/** The activity log, live, with the cause of every entry. */
export function ActivityPage(): JSX.Element {
  const { query } = useLocation()
  const filterKey = new URLSearchParams(query).toString()
  const feed = useMemo(() => new ActivityFeed(queryIn(query)), [filterKey])
  useEffect(() => () => feed.close(), [feed])
  return (
    <Page title={frame.activity} aside={<NewEntriesButton feed={feed} labelFor={words.news} />}>
      <Filters query={query} />
      {feed.error.value !== null && <ErrorBox error={feed.error.value} onRetry={() => void feed.read()} />}
      <Log feed={feed} isFiltered={filterKey !== ''} />
    </Page>
  )
}

function Log({ feed: next, isFiltered }: { feed: ActivityFeed; isFiltered: boolean }): JSX.Element | null {
  const feed = useLastLoaded(next, next.entries.value !== null || next.error.value !== null)
  const pauseHandlers = usePauseWhileReading(feed)
  const entries = feed.entries.value
  if (entries === null) return feed.error.value === null ? <p class="wait">{frame.loading}</p> : null
  return (
    <div aria-busy={feed !== next} {...pauseHandlers}>
      {entries.length === 0 && feed.nextTo.value === null && (
        <Empty icon="activity" sentence={isFiltered ? words.emptyFiltered : words.empty}>
          {isFiltered && <LinkButton to="/console/activity" label={words.clear} />}
        </Empty>
      )}
      <Days entries={entries} />
      <Older feed={feed} />
    </div>
  )
}

function queryIn(query: Readonly<Record<string, string>>): FeedQuery {
  const { until, range = '' } = query
  const to = until === undefined ? null : endOfDay(until)
  const spanMs = RANGES_MS.get(range)
  return { filter: filterIn(query), from: spanMs === undefined ? null : (to ?? gatewayTime()) - spanMs, to }
}

type Query = Readonly<Record<string, string>>
type Options = readonly (readonly [value: string, name: string])[]

/** Length of the time ranges, in milliseconds. */
const RANGES_MS: ReadonlyMap<string, number> = new Map([
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
  ['month', 30 * DAY_MS],
])
/** Wide screens show all filters. */
const WIDE = '(width >= 800px)'

/** Filters of the log. The address contains them, for bookmarks, links and the Back button. */
function Filters({ query }: { readonly query: Query }): JSX.Element {
  const { route } = useLocation()
  const set = (name: string, value: string): void => {
    const { [name]: _, ...rest } = query
    const next = new URLSearchParams(value === '' ? rest : { ...rest, [name]: value })
    route(`/console/activity${next.size === 0 ? '' : `?${next}`}`)
  }
  const select = (name: string, label: string, options: Options, all: string = words.all): JSX.Element => (
    <Select
      label={label}
      value={query[name] ?? ''}
      options={[['', all], ...options]}
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
        {select('kind', words.kind, Object.entries(words.kinds))}
        {select('source', words.source, Object.entries(words.sources), words.anybody)}
        {select('room', words.room, rooms())}
        {select('device', words.device, ...devices(query))}
        {isAdministrator.value && select('integration', words.integration, programs())}
        {select('range', words.range, Object.entries(words.ranges).slice(1), words.ranges.all)}
        <Day value={query['until'] ?? ''} onChoose={(day) => set('until', day)} />
        {count > 0 && <LinkButton to="/console/activity" label={words.clear} />}
      </div>
    </details>
  )
}

function Day({ value, onChoose }: { value: string; onChoose: (day: string) => void }): JSX.Element {
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

/** Longest list of devices; above it the person chooses a room first. */
const DEVICES_MAX = 300

/** Options for devices, and the label of no choice. */
function devices({ room, device: chosen }: Query): readonly [Options, string] {
  const inRoom = [...localDevices.value].filter(([, device]) => room === undefined || device.room === room)
  const isTooLong = inRoom.length > DEVICES_MAX
  const options = isTooLong ? inRoom.filter(([id]) => id === chosen) : inRoom
  return [options.map(([id, { name }]) => [id, name]), isTooLong ? words.roomFirst : words.all]
}

const programs = (): Options => (integrations.value ?? []).map(({ id, name }) => [id, name])

/** Entries grouped by the home's days. */
function Days({ entries }: { readonly entries: readonly AdminActivityEntry[] }): JSX.Element {
  const unfolded = useSignal<ReadonlySet<string>>(new Set())
  const days = new Map<string, AdminActivityEntry[]>()
  for (const entry of entries) {
    const day = dayOf(entry.at)
    const dayEntries = days.get(day)
    if (dayEntries) dayEntries.push(entry)
    else days.set(day, [entry])
  }
  return (
    <>
      {[...days].map(([day, dayEntries]) => (
        <section key={day} class="day" aria-label={nameOf(day, dayEntries)}>
          <h2>{nameOf(day, dayEntries)}</h2>
          <ol>
            {groupEntries(dayEntries).map((group) => (
              <Entry key={group.at(-1)?.id} entry={group[0]} earlier={group.slice(1)} unfolded={unfolded} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

function nameOf(day: string, [first]: readonly AdminActivityEntry[]): string {
  const now = gatewayTime()
  if (day === dayOf(now)) return words.today
  return day === dayOf(now - DAY_MS) ? words.yesterday : dayWords(first?.at ?? 0)
}

/** Button for older entries, if there are any. */
function Older({ feed }: { readonly feed: ActivityFeed }): JSX.Element | null {
  const [nextTo, count] = [feed.nextTo.value, feed.entries.value?.length ?? 0]
  if (nextTo === null) return null
  if (count >= SHOWN_MAX) return <p class="muted">{words.full(SHOWN_MAX.toLocaleString())}</p>
  const moment = homeTime(nextTo)
  return (
    <div class="older">
      {count === 0 && <p class="muted">{words.emptySoFar(moment)}</p>}
      <Button label={words.back(moment)} disabled={feed.isReading.value} onClick={() => void feed.readOlder()} />
    </div>
  )
}
