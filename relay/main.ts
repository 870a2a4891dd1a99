import { pino } from 'pino'
import { systemClock } from '@hm-gateway/lib/clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { TlsFolderError } from '@hm-gateway/tls/tls-folder.ts'
import { Ending } from './ending.ts'
import { operate } from './operator-commands.ts'
import { openRelay, type Relay } from './relay.ts'
import { readSettings, SettingsError } from './model/relay-settings.ts'

/** Unwritten lines of the log; further lines are lost. */
const LOG_BUFFER_BYTES_MAX = 4 * 1024 * 1024

try {
  await run()
} catch (error) {
  // Problems that the operator can solve are one sentence. Defects show their stack.
  const reason =
    error instanceof SettingsError || error instanceof TlsFolderError
      ? error.message
      : `The relay could not start. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  // A part that is still open must not keep the failed process running.
  process.stderr.write(`${reason}\n`, () => process.exit(1))
}

async function run(): Promise<void> {
  const settings = readSettings(process.env)
  const args = process.argv.slice(2)
  if (args.length > 0) {
    const output = await operate(args, { settings, clock: systemClock, random: systemRandom })
    process.stdout.write(`${output}\n`)
    return
  }
  // A slow reader of the log does not block the relay. `Ending` flushes the buffer, which needs a `minLength`.
  const lines = pino.destination({ fd: 2, sync: false, minLength: 1, maxLength: LOG_BUFFER_BYTES_MAX })
  const log = pino({ level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines)
  const ending = new Ending({
    clock: systemClock,
    log,
    flushLog: (done) => lines.flush(() => done()),
    exit: (code) => process.exit(code),
    kill: () => process.kill(process.pid, 'SIGKILL'),
  })
  const relay = await openRelay({ settings, clock: systemClock, random: systemRandom, log })
  process.stdout.write(banner(relay, await relay.accounts.invites.first()))
  const stop = (): void => ending.stop(relay)
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const crash = (error: unknown): void => {
    log.error({ err: error }, 'The relay ends because of a defect.')
    ending.end(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
}

function banner({ url, authority }: Relay, invite: string | null): string {
  const pin = authority === null ? '' : ` --fingerprint ${authority.fingerprint}`
  return [
    '',
    `  Relay        ${url}`,
    ...(authority === null ? [] : [`  CA           ${authority.file}`, `  Fingerprint  ${authority.fingerprint}`]),
    ...(invite === null ? [] : ['', `  Create the first account: ${url}/signup?invite=${invite}`]),
    '',
    `  At the gateway: bin/hm relay connect ${url}${pin}`,
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n')
}
