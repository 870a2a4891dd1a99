import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CALENDAR_BYTES_MAX } from '../home/model/calendars.ts'
import type { CalendarContent, CalendarReader, CalendarTask } from '../home/ports/calendars.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, ok, type Result } from '../lib/result.ts'

/** Time after which a file counts as unreadable: a rule that repeats every second would not end. */
export const CALENDAR_READ_MS_MAX = 20_000
const MEMORY_MB_MAX = 96
const UNREADABLE = 'It cannot be read as an iCalendar file.'

/** Reads iCalendar files, one after the other, each in a thread of its own that ends with it. */
export function icalReader(clock: Pick<Clock, 'after'>): CalendarReader {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const reading = last.then(() => read(task, clock))
    last = reading
    return reading
  }
}

async function read(task: CalendarTask, clock: Pick<Clock, 'after'>): Promise<Result<CalendarContent, string>> {
  if (Buffer.byteLength(task.text) > CALENDAR_BYTES_MAX) return fail('It is larger than 1 MiB.')
  if (!/^BEGIN:VCALENDAR/imu.test(task.text.replace(/^\u{feff}/u, ''))) return fail('It is no iCalendar file.')
  const thread = new Worker(new URL('./ical-thread.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
    // The library warns about rules on the console.
    stdout: true,
    stderr: true,
    workerData: task,
  })
  const late = Promise.withResolvers<Result<never, string>>()
  const cancel = clock.after(CALENDAR_READ_MS_MAX, () => late.resolve(fail('It takes too long to read.')))
  try {
    return await Promise.race([answerOf(thread), late.promise])
  } finally {
    cancel()
    await thread.terminate()
  }
}

/** The events, or the error if the thread ends without them. */
async function answerOf(thread: Worker): Promise<Result<CalendarContent, string>> {
  const unreadable = (): Result<never, string> => fail(UNREADABLE)
  const message = once(thread, 'message') as Promise<[CalendarContent]>
  const answer = message.then(([content]) => ofContent(content), unreadable)
  return Promise.race([answer, once(thread, 'exit').then(unreadable, unreadable)])
}

/** A file without any event that can be used is refused, with the reason against its first one. */
function ofContent(content: CalendarContent): Result<CalendarContent, string> {
  const [first] = content.leftOut
  return content.events.length === 0 && first !== undefined
    ? fail(`It has no event that can be used. “${first.title}”: ${first.reason}.`)
    : ok(content)
}
