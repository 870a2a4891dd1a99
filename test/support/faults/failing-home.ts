import { expect } from 'vitest'
import { PassingClock } from '../clocks/passing-clock.ts'
import { EVERYTHING_ALLOWED, TestHome } from '../gateway/harness.ts'
import { TestGateway } from '../gateway/test-gateway.ts'
import { tempFolder } from '../temp-folder.ts'
import { FailingDisk } from './failing-disk.ts'

/** Notice of the command line about a revocation that is not on the disk yet. */
export const STORED_LATER =
  'The disk accepts no writes now. The change holds at once and is stored as soon as possible;'
/** Time after which the gateway has retried its pending writes. */
export const DISK_RETRY_MS = 11_000

/** A home on a disk that can fail to sync, with an integration that may do everything. */
export async function failingHome() {
  const [disk, clock, dataDir] = [new FailingDisk(), new PassingClock(), tempFolder()]
  const options = { clock, dataDir, settled: false, syncFile: disk.syncFile }
  const running = await TestGateway.open(options)
  const home = await TestHome.at('http', running)
  const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
  const fails = async (): Promise<void> => {
    disk.fail(dataDir)
    expect((await home.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Plain' } })).status).toBe(409)
  }
  const heals = async (): Promise<void> => {
    disk.heal()
    await clock.pass(DISK_RETRY_MS)
  }
  const again = async (): Promise<TestGateway> => {
    await running.stop()
    return TestGateway.open(options)
  }
  return { disk, clock, running, home, other, fails, heals, again }
}

/** Revocations in the activity, newest first; creations and sign-ins are left out. */
export async function accessActivity({ admin }: TestGateway): Promise<readonly string[]> {
  const { entries } = await admin.call<{ entries: { kind: string; what: string }[] }>('GET', '/activity')
  return entries
    .filter(({ kind }) => kind === 'access')
    .map(({ what }) => what)
    .filter((what) => !/created|made|signed in/.test(what))
}
