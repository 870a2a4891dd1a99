import { effect, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { LogLevelAnswer, LogLine, LogListAnswer } from '../../lib/admin-contract.ts'
import { Problem, Said, useAction } from '../../parts/action.tsx'
import { News, useHolding, useLastRead } from '../../parts/feed.tsx'
import { Segments } from '../../parts/form.tsx'
import { Button, Chip, Empty, useFirst } from '../../parts/page.tsx'
import { homeTime } from '../../stores/home-time.ts'
import { connected } from '../../stores/home.ts'
import { admin } from '../../stores/session.ts'
import { words as frame } from '../../words/frame.ts'
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
  return (
    <>
      <div class="log-head">
        <Segments
          legend={words.logShown}
          names={words.logLevels}
          value={level.value}
          onChange={(value) => (level.value = value)}
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
  const [shown, more] = useFirst(lines ?? [], DRAWN)
  if (lines === null) return feed.error.value === null ? <p class="wait">{frame.reading}</p> : null
  if (lines.length === 0) return <NoLines feed={feed} />
  return (
    <div class="card" aria-busy={feed !== wanted} {...holding}>
      <ol class="log">
        {shown.map((line) => (
          <Line key={`${line.run} ${line.seq}`} {...line} />
        ))}
      </ol>
      {more}
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
      <Button says={words.logWriteAll} aria-disabled={busy} onClick={() => void run('debug')} />
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

/** How often the gateway is asked for what is new. */
const EVERY_MS = 2_000
/** Lines that are kept here, as many as the gateway has in memory. */
const LINES_MAX = 2_000

/** A line with the start of the gateway that wrote it: each start counts its lines from one. */
interface FeedLine extends LogLine {
  readonly run: string
}

/** The log of the gateway from one level on, the newest first, as long as a page shows it. */
class LogFeed {
  /** Null before they were read. */
  readonly lines = signal<readonly FeedLine[] | null>(null)
  /** Newer ones, which wait while somebody reads. */
  readonly held = signal<readonly FeedLine[]>([])
  /** What is written to the log at all; null before it was read. */
  readonly written = signal<LogLevelAnswer['level'] | null>(null)
  /** Why it could not be read. */
  readonly error = signal<unknown>(null)

  /** From which level on lines are shown. */
  readonly level: LogLine['level']
  readonly #stops: readonly (() => void)[]
  #isHeld = false
  #isReading = false
  /** Of which start the lines are; null before they were read. */
  #run: string | null = null
  #after = 0

  constructor(level: LogLine['level']) {
    this.level = level
    const timer = setInterval(() => {
      if (connected.peek()) void this.read()
    }, EVERY_MS)
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

  /** While somebody reads nothing moves: what is new waits, and what waits is shown when it is asked for. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
  }

  showHeld(): void {
    this.lines.value = [...this.held.peek(), ...(this.lines.peek() ?? [])].slice(0, LINES_MAX)
    this.held.value = []
  }

  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const first = await this.#ask()
      const isAnew = this.#run !== null && this.#run !== first.run
      // Lines of an earlier start stay: they tell why it ended, and the gateway has them no more.
      if (isAnew) this.#after = 0
      const { run, level, lines } = isAnew ? await this.#ask() : first
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

  #ask(): Promise<LogListAnswer> {
    const query = { level: this.level, after: String(this.#after), limit: String(LINES_MAX) }
    return admin.call('get', '/admin/v1/log', { query })
  }

  #add(run: string, lines: readonly LogLine[]): void {
    this.#after = lines.at(-1)?.seq ?? this.#after
    const waits = this.#isHeld && this.lines.peek() !== null
    const fresh = lines.toReversed().map((line) => ({ ...line, run }))
    this.held.value = [...fresh, ...this.held.peek()].slice(0, LINES_MAX)
    if (!waits) this.showHeld()
  }
}
