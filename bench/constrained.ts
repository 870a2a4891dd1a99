import { newKey, startGateway } from './gateway.ts'
import { type Door, fetched, requestText } from './load.ts'
import { HealthyClient } from './healthy-client.ts'
import { NarrowCgroup } from './narrow-cgroup.ts'
import { reason, report, shown, spread } from './report.ts'

const CORE_SHARE = 0.25
const MEMORY_BYTES = 256 * 2 ** 20
const UNITS = 34
const MEASURE_MS = 20_000
/** Fewer than the connections that one address may have before it has shown a credential. */
const BURST = 30

/** A gateway with a quarter of a core and 256 MiB: how long its first start, reads, controls and events take. */
export async function constrained(): Promise<void> {
  const made = group()
  if (typeof made === 'string') return shown('constrained', 'skipped', made)
  using narrow = made
  await using opened = new AsyncDisposableStack()
  const begun = performance.now()
  const gateway = opened.use(await startGateway(UNITS, 'limited', { under: narrow.under }))
  told('start of a new home', [performance.now() - begun])
  const { door } = gateway
  const token = await newKey(gateway, 'Constrained')
  const client = opened.use(await HealthyClient.open(door, token))
  const { reads, controls, events } = await client.measure(MEASURE_MS)
  told('read', reads)
  told('control', controls)
  told('event', events)
  const answered = await burst(door, token)
  const kills = narrow.oomKills
  report({
    work: 'constrained: nothing falls over',
    figure: `${answered} of ${BURST}`,
    target: `${BURST}, 0 kills`,
    met: answered === BURST && kills === 0,
    detail: `reads of the whole house at once that were answered; processes ended for memory: ${kills}`,
  })
  shown('constrained: memory', `${narrow.peakMiB} MiB`, 'the most, with pages of files; the gateway still answers')
}

/** So many read the whole house at once, each on a connection of its own; answers how many got an answer. */
async function burst(door: Door, token: string): Promise<number> {
  const request = requestText('GET', '/v1/house', door.port, token)
  const answers = await Promise.allSettled(Array.from({ length: BURST }, () => fetched(door, request)))
  return answers.filter((each) => each.status === 'fulfilled' && [200, 429].includes(each.value.status)).length
}

/** Or why there is none. */
function group(): NarrowCgroup | string {
  try {
    return NarrowCgroup.make(CORE_SHARE, MEMORY_BYTES)
  } catch (error) {
    return `no control group can be made: ${reason(error)}`
  }
}

function told(work: string, times: readonly number[]): void {
  spread(`constrained: ${work}`, times, null, ', a quarter of a core and 256 MiB')
}
