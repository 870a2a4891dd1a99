import { pino } from 'pino'
import type { Logbook } from '../admin/gateway.ts'
import type { Log, LogLevel } from '../lib/log.ts'
import { LogLines } from '../lib/log-lines.ts'
import { randomId, systemRandom } from '../lib/random.ts'

const RUN_LENGTH = 10

/**
 * The gateway's log: JSON lines for `write`. The newest lines stay in memory for administrators, who can change the
 * level at run time.
 */
export function openLogbook(
  level: LogLevel,
  write: (line: string) => void,
): { readonly log: Log; readonly logbook: Logbook } {
  const lines = new LogLines(randomId(systemRandom, RUN_LENGTH))
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write: (line: string) => {
        write(line)
        lines.take(line)
      },
    },
  )
  return {
    log,
    logbook: {
      run: lines.run,
      list: (query) => lines.list(query),
      level: () => log.level as LogLevel,
      setLevel: (next) => {
        log.level = next
      },
    },
  }
}
