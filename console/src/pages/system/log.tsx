import { effect, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { LogLevelAnswer, LogLine, LogListAnswer } from '../../lib/admin-contract.ts'
import { ErrorBox, ErrorLine, useAction } from '../../parts/action.tsx'
import { NewEntriesButton, useLastLoaded, usePauseWhileReading } from '../../parts/feed.tsx'
import { Segments } from '../../parts/form.tsx'
import { Button, Chip, Empty, useShowMore } from '../../parts/page.tsx'
import { homeTime } from '../../stores/home-time.ts'
import { connected } from '../../stores/home.ts'
import { admin } from '../../stores/session.ts'
import { words as frame } from '../../words/page-frame.ts'
import { words } from '../../words/system.ts'

const LEVELS = ['error', 'warn', 'info', 'debug'] as const
const LOG_LEVELS = ['silent', ...LEVELS] as const
const TONES = { error: 'danger', warn: 'warn', info: 'plain', debug: 'plain' } as const
/** Lines per step of the list. */
const LINES_STEP = 100

/** The gateway's log, live; it pauses while somebody reads. */
export function LogPart(): JSX.Element {
  const level = useSignal<LogLine['level']>('info')
  const feed = useMemo(() => new LogFeed(level.value), [level.value])
  useEffect(() => () => feed.close(), [feed])
  return (
    <>
      <div class="log-head">
        <Segments
          legend={words.logShown}
          names={words.logLevels}
          value={level.value}
          onChange={(value) => (level.value = value)}
        />
        <LogLevelSelect feed={feed} />
        <NewEntriesButton feed={feed} labelFor={words.logNews} />
      </div>
      {feed.error.value !== null && <ErrorBox error={feed.error.value} onRetry={() => void feed.read()} />}
      <Lines feed={feed} />
    </>
  )
}

type LogLevel = LogLevelAnswer['level']

/** Sets the log level of the gateway. */
const useSetLevel = (feed: LogFeed) =>
  useAction(async (level: LogLevel) => {
    await admin.call('put', '/admin/v1/log/level', { body: { level } })
    await feed.read()
  })

/** Selects the log level until the next start. */
function LogLevelSelect({ feed }: { readonly feed: LogFeed }): JSX.Element | null {
  const id = useId()
  const set = useSetLevel(feed)
  const written = feed.written.value
  if (written === null) return null
  return (
    <div>
      <label for={id}>{words.logWritten}</label>{' '}
      <select
        id={id}
        value={written}
        onChange={({ currentTarget }) => {
          const level = LOG_LEVELS.find((known) => known === currentTarget.value)
          if (level !== undefined) void set.run(level)
        }}
      >
        {LOG_LEVELS.map((level) => (
          <option key={level} value={level}>
            {words.logWrittenLevels[level]}
          </option>
        ))}
      </select>
      <ErrorLine message={set.message} />
    </div>
  )
}

function Lines({ feed: next }: { readonly feed: LogFeed }): JSX.Element | null {
  const feed = useLastLoaded(next, next.lines.value !== null || next.error.value !== null)
  const pauseHandlers = usePauseWhileReading(feed)
  const lines = feed.lines.value
  const [visible, more] = useShowMore(lines ?? [], LINES_STEP)
  if (lines === null) return feed.error.value === null ? <p class="wait">{frame.reading}</p> : null
  if (lines.length === 0) return <NoLines feed={feed} />
  return (
    <div class="card" aria-busy={feed !== next} {...pauseHandlers}>
      <ol class="log">
        {visible.map((line) => (
          <Line key={`${line.run} ${line.seq}`} {...line} />
        ))}
      </ol>
      {more}
    </div>
  )
}

/** Explains an empty list; a quiet log level may be the reason. */
function NoLines({ feed }: { readonly feed: LogFeed }): JSX.Element {
  const { run, busy, message } = useSetLevel(feed)
  const written = feed.written.value
  const isTooQuiet =
    written !== null && written !== 'debug' && LOG_LEVELS.indexOf(written) < LOG_LEVELS.indexOf(feed.level)
  if (!isTooQuiet) return <Empty icon="activity" sentence={words.logEmpty} />
  return (
    <Empty icon="activity" sentence={words.logEmptyOf[written]}>
      <Button label={words.logWriteAll} aria-disabled={busy} onClick={() => void run('debug')} />
      <ErrorLine message={message} />
    </Empty>
  )
}

function Line({ at, level, what, fields }: FeedLine): JSX.Element {
  const hasFields = Object.keys(fields).length > 0
  return (
    <li>
      <time datetime={new Date(at).toISOString()}>{homeTime(at)}</time>
      <Chip tone={TONES[level]}>{words.logLevel[level]}</Chip>
      {hasFields ? (
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

/** Interval between two requests. */
const POLL_MS = 2_000
/** Longest list, equal to the gateway's memory. */
const LINES_MAX = 2_000

/** A log line with its run of the gateway; every run counts its lines from one. */
interface FeedLine extends LogLine {
  readonly run: string
}

/** Log lines of one level and above, the newest first, until `close`. */
class LogFeed {
  /** Null before the first answer. */
  readonly lines = signal<readonly FeedLine[] | null>(null)
  /** Lines that arrived while the list is paused. */
  readonly newEntries = signal<readonly FeedLine[]>([])
  /** Log level of the gateway; null before the first answer. */
  readonly written = signal<LogLevelAnswer['level'] | null>(null)
  /** Error of the last request; null if it succeeded. */
  readonly error = signal<unknown>(null)

  /** Lowest visible level. */
  readonly level: LogLine['level']
  readonly #stops: readonly (() => void)[]
  #isPaused = false
  #isReading = false
  /** Run of the newest lines; null before the first answer. */
  #run: string | null = null
  #after = 0

  constructor(level: LogLine['level']) {
    this.level = level
    const timer = setInterval(() => {
      if (connected.peek()) void this.read()
    }, POLL_MS)
    this.#stops = [
      () => clearInterval(timer),
      effect(() => {
        if (connected.value) void this.read()
      }),
    ]
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** Pauses the list while somebody reads: new lines wait until `showNew`. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
  }

  showNew(): void {
    this.lines.value = [...this.newEntries.peek(), ...(this.lines.peek() ?? [])].slice(0, LINES_MAX)
    this.newEntries.value = []
  }

  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const first = await this.#request()
      const hasRestarted = this.#run !== null && this.#run !== first.run
      // Lines of the earlier run stay, because they may explain its end and the gateway has lost them.
      if (hasRestarted) this.#after = 0
      const { run, level, lines } = hasRestarted ? await this.#request() : first
      this.#run = run
      this.written.value = level
      this.error.value = null
      this.#add(run, lines)
    } catch (error) {
      this.error.value = error
    } finally {
      this.#isReading = false
    }
  }

  #request(): Promise<LogListAnswer> {
    const query = { level: this.level, after: String(this.#after), limit: String(LINES_MAX) }
    return admin.call('get', '/admin/v1/log', { query })
  }

  #add(run: string, lines: readonly LogLine[]): void {
    this.#after = lines.at(-1)?.seq ?? this.#after
    const mustWait = this.#isPaused && this.lines.peek() !== null
    const fresh = lines.toReversed().map((line) => ({ ...line, run }))
    this.newEntries.value = [...fresh, ...this.newEntries.peek()].slice(0, LINES_MAX)
    if (!mustWait) this.showNew()
  }
}
