import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { LogLevelAnswer, LogLine } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Chip } from '../../parts/chip.tsx'
import { Empty } from '../../parts/empty.tsx'
import { News } from '../../parts/news.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Segments } from '../../parts/segments.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { useHolding } from '../../parts/use-holding.ts'
import { useLastRead } from '../../parts/use-last-read.ts'
import { Said } from '../../parts/said.tsx'
import { homeTime } from '../../stores/home-time.ts'
import { type FeedLine, LogFeed } from '../../stores/log-feed.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

const LEVELS = ['error', 'warn', 'info', 'debug'] as const
const WRITTEN = ['silent', ...LEVELS] as const
const TONES = { error: 'danger', warn: 'warn', info: 'plain', debug: 'plain' } as const
/** Lines that are drawn at once. */
const DRAWN = 100

/** The newest lines of the gateway's log, live; it stands still while somebody reads. */
export function LogPart(): JSX.Element {
  const level = useSignal<LogLine['level']>('info')
  const feed = useMemo(() => new LogFeed(level.value), [level.value])
  useEffect(() => () => feed.close(), [feed])
  const options = LEVELS.map((value) => ({ value, name: words.logLevels[value] }))
  return (
    <>
      <div class="log-head">
        <Segments
          legend={words.logShown}
          options={options}
          value={level.value}
          onChange={(value) => {
            level.value = value
          }}
        />
        <Written feed={feed} />
        <News feed={feed} words={words.logNews} />
      </div>
      {feed.error.value !== null && <Problem error={feed.error.value} onAgain={() => void feed.read()} />}
      <Lines feed={feed} />
    </>
  )
}

type Written = LogLevelAnswer['level']

/** Changes what is written to the log at all. */
const useWriting = (feed: LogFeed) =>
  useAction(async (level: Written) => {
    await admin.call('put', '/admin/v1/log/level', { body: { level } })
    await feed.read()
  })

/** What is written to the log at all, until the next start. */
function Written({ feed }: { readonly feed: LogFeed }): JSX.Element | null {
  const id = useId()
  const set = useWriting(feed)
  const written = feed.written.value
  if (written === null) return null
  return (
    <div>
      <label for={id}>{words.logWritten}</label>{' '}
      <select
        id={id}
        value={written}
        onChange={({ currentTarget }) => {
          const level = WRITTEN.find((each) => each === currentTarget.value)
          if (level !== undefined) void set.run(level)
        }}
      >
        {WRITTEN.map((each) => (
          <option key={each} value={each}>
            {words.logWrittenLevels[each]}
          </option>
        ))}
      </select>
      <Said of={set.said} />
    </div>
  )
}

function Lines({ feed: wanted }: { readonly feed: LogFeed }): JSX.Element | null {
  const feed = useLastRead(wanted, wanted.lines.value !== null || wanted.error.value !== null)
  const holding = useHolding(feed)
  const lines = feed.lines.value
  const part = useShownPart(lines?.length ?? 0, DRAWN)
  if (lines === null) return feed.error.value === null ? <p class="wait">{words.reading}</p> : null
  if (lines.length === 0) return <NoLines feed={feed} />
  return (
    <div class="card" aria-busy={feed !== wanted} {...holding}>
      <ol class="log">
        {lines.slice(0, part.count).map((line) => (
          <Line key={`${line.run} ${line.seq}`} {...line} />
        ))}
      </ol>
      <ShowMore part={part} />
    </div>
  )
}

/** Where less is written than is looked for, a healthy gateway has nothing to show, and says so. */
function NoLines({ feed }: { readonly feed: LogFeed }): JSX.Element {
  const { run, busy, said } = useWriting(feed)
  const written = feed.written.value
  const isLess = written !== null && written !== 'debug' && WRITTEN.indexOf(written) < WRITTEN.indexOf(feed.level)
  if (!isLess) return <Empty icon="activity" sentence={words.logEmpty} />
  return (
    <Empty icon="activity" sentence={words.logEmptyOf[written]}>
      <button type="button" aria-disabled={busy} onClick={() => void run('debug')}>
        {words.logWriteAll}
      </button>
      <Said of={said} />
    </Empty>
  )
}

function Line({ at, level, what, fields }: FeedLine): JSX.Element {
  const facts = Object.keys(fields).length > 0
  return (
    <li>
      <time datetime={new Date(at).toISOString()}>{homeTime(at)}</time>
      <Chip tone={TONES[level]}>{words.logLevel[level]}</Chip>
      {facts ? (
        <details>
          <summary>{what}</summary>
          <pre>{JSON.stringify(fields, null, 2)}</pre>
        </details>
      ) : (
        <span>{what}</span>
      )}
    </li>
  )
}
