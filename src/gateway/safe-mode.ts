import { refusedWith } from '../api/answers.ts'
import { createSafeServer } from '../http/safe-server.ts'
import type { Random } from '../lib/random.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { TlsFolderError } from '../tls/tls-folder.ts'
import { ABOUT } from './about.ts'
import { openCertificates } from './certificates.ts'
import { openAdminSocket } from './admin-socket.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import { type DataFolder, readHomeId } from '../settings/data-folder.ts'
import type { Failed } from '../operations/failed-starts.ts'
import { listen, portOf } from './network.ts'
import type { GatewaySettings } from '../settings/settings.ts'

/** Time until the gateway tries to start again, because the problem may have passed. */
export const SAFE_MODE_MS = 15 * 60_000

export interface SafeModeParts {
  readonly settings: GatewaySettings
  readonly folder: DataFolder
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly failed: Failed
}

export interface SafeMode {
  /** Null if HTTPS cannot be served either. */
  readonly port: number | null
  /** Resolves at the time of the next attempt. */
  readonly over: Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Safe mode after repeated failed starts, without opening a store. Over HTTPS it answers `/v1/about` and the CA, and
 * 503 `safe_mode` to everything else. Administrators see the failure and what to do. @throws SettingsError if it cannot
 * listen
 */
export async function openSafeMode(parts: SafeModeParts): Promise<SafeMode> {
  const { clock, log, failed } = parts
  await using opened = new AsyncDisposableStack()
  const over = Promise.withResolvers<void>()
  const until = clock.monotonic() + SAFE_MODE_MS
  opened.defer(clock.after(SAFE_MODE_MS, over.resolve))
  const retryAfter = (): number => Math.max(1, Math.ceil((until - clock.monotonic()) / 1_000))
  log.error({ failedStarts: failed.count, reason: failed.reason }, 'Safe mode: too many starts in a row have failed.')
  const port = await serveSafely(opened, parts, retryAfter)
  const answer = async (): Promise<ReturnType<typeof refusedWith>> =>
    refusedWith('safe_mode', { message: wordsOf(failed, retryAfter()), retryAfter: retryAfter() })
  opened.use(await openAdminSocket(parts, { answer }, null))
  const running = opened.move()
  return { port, over: over.promise, stop: () => running.disposeAsync() }
}

/** Serves HTTPS if the folder has the home's id and its CA; returns the port, or null. */
async function serveSafely(
  opened: AsyncDisposableStack,
  parts: SafeModeParts,
  retryAfter: () => number,
): Promise<number | null> {
  const serial = readHomeId(parts.folder)
  if (serial === null) return null
  try {
    const { tls } = opened.use(await openCertificates(parts, serial))
    const server = createSafeServer({
      tls: tls.secureContextOptions(),
      clock: parts.clock,
      about: ABOUT,
      caPem: () => tls.ca.pem,
      refusal: () => refusedWith('safe_mode', { retryAfter: retryAfter() }),
    })
    closeWithTimeout(opened, 'https', () => server.close(), parts)
    tls.attach(server.server)
    await listen(server, parts.settings)
    return portOf(server.server, parts.settings)
  } catch (error) {
    if (!(error instanceof TlsFolderError)) throw error
    parts.log.error({ err: error }, 'Even safe mode cannot be served: the certificates are not usable.')
    return null
  }
}

function wordsOf({ count, reason }: Failed, seconds: number): string {
  return `The gateway is in safe mode: ${count} starts in a row failed, the last one by "${reason}". Fix that and restart it; otherwise it tries again in ${Math.ceil(seconds / 60)} min.`
}
