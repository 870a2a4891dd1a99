import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { News } from '../../parts/news.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useHolding } from '../../parts/use-holding.ts'
import { useLastRead } from '../../parts/use-last-read.ts'
import { ActivityFeed, type FeedQuery, filterIn } from '../../stores/activity-feed.ts'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { endOfDay } from '../../stores/home-time.ts'
import { words } from '../../words/activity.ts'
import { words as frame } from '../../words/frame.ts'
import { Days } from './days.tsx'
import { Filters, RANGES_MS } from './filters.tsx'
import { Older } from './older.tsx'

/** What happened, live and as far back as is kept, with who or what was behind it. */
export function ActivityPage(): JSX.Element {
  const { query } = useLocation()
  const shown = new URLSearchParams(query).toString()
  const feed = useMemo(() => new ActivityFeed(queryIn(query)), [shown])
  useEffect(() => () => feed.close(), [feed])
  return (
    <Page title={frame.activity} beside={<News feed={feed} words={words.news} />}>
      <Filters query={query} />
      {feed.error.value !== null && <Problem error={feed.error.value} onAgain={() => void feed.read()} />}
      <Log feed={feed} isFiltered={shown !== ''} />
    </Page>
  )
}

interface LogProps {
  readonly feed: ActivityFeed
  readonly isFiltered: boolean
}

function Log({ feed: wanted, isFiltered }: LogProps): JSX.Element | null {
  const feed = useLastRead(wanted, wanted.entries.value !== null || wanted.error.value !== null)
  const holding = useHolding(feed)
  const entries = feed.entries.value
  if (entries === null) return feed.error.value === null ? <p class="wait">{frame.loading}</p> : null
  return (
    <div aria-busy={feed !== wanted} {...holding}>
      {entries.length === 0 && feed.nextTo.value === null && (
        <Empty icon="activity" sentence={isFiltered ? words.emptyFiltered : words.empty}>
          {isFiltered && (
            <a class="button" href="/console/activity">
              {words.clear}
            </a>
          )}
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
