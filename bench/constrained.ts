import { newKey, startGateway } from './gateway.ts'
import { type Listener, fetchOnce, requestText } from './load.ts'
import { HealthyClient } from './healthy-client.ts'
import { NarrowCgroup } from './narrow-cgroup.ts'
import { reason, report, reportFigure, spread } from './report.ts'

const CORE_SHARE = 0.25
const MEMORY_BYTES = 256 * 2 ** 20
const UNITS = 34
const MEASURE_MS = 20_000
/** Fewer than the allowed connections of one address without a credential. */
const BURST = 30

/** Durations of the first start, reads, controls and events on a quarter of a core with 256 MiB. */
export async function constrained(): Promise<void> {
  const made = group()
  if (typeof made === 'string') return reportFigure('constrained', 'skipped', made)
  using narrow = made
  await using opened = new AsyncDisposableStack()
  const begun = performance.now()
  const gateway = opened.use(await startGateway(UNITS, 'limited', { under: narrow.under }))
  reportTimes('start of a new home', [performance.now() - begun])
  const { address } = gateway
  const token = await newKey(gateway, 'Constrained')
  const client = opened.use(await HealthyClient.open(address, token))
  const { reads, controls, events } = await client.measure(MEASURE_MS)
  reportTimes('read', reads)
  reportTimes('control', controls)
  reportTimes('event', events)
  const answered = await burst(address, token)
  const kills = narrow.oomKills
  report({
    work: 'constrained: nothing falls over',
    figure: `${answered} of ${BURST}`,
    target: `${BURST}, 0 kills`,
    met: answered === BURST && kills === 0,
    detail: `reads of the whole house at once that were answered; processes ended for memory: ${kills}`,
  })
  reportFigure('constrained: memory', `${narrow.peakMiB} MiB`, 'peak with file pages; the gateway still answers')
}

/** Reads the whole house on many connections at once. Returns the number of responses. */
async function burst(address: Listener, token: string): Promise<number> {
  const request = requestText('GET', '/v1/house', address.port, token)
  const answers = await Promise.allSettled(Array.from({ length: BURST }, () => fetchOnce(address, request)))
  return answers.filter((answer) => answer.status === 'fulfilled' && [200, 429].includes(answer.value.status)).length
}

/** Returns the group, or the reason why there is none. */
function group(): NarrowCgroup | string {
  try {
    return NarrowCgroup.make(CORE_SHARE, MEMORY_BYTES)
  } catch (error) {
    return `no control group can be made: ${reason(error)}`
  }
}

function reportTimes(work: string, times: readonly number[]): void {
  spread(`constrained: ${work}`, times, null, ', a quarter of a core and 256 MiB')
}
