import { startGateway } from './gateway.ts'
import { ALL_CORES, residentMiB, startServer } from './processes.ts'
import { median, reportFigure } from './report.ts'

const STARTS = 5
/** By then an idle server rests. */
const SETTLE_MS = 2_000

/**
 * Lower bounds for the start and idle memory of a gateway with Node, fastify, ws and SQLite: these packages alone,
 * without tokens, exposure, history or a home. The figures have no targets.
 */
export async function benchFloor(): Promise<void> {
  await using gateway = await startGateway(1)
  for (const [name, kind] of [
    ['node:https alone', 'node'],
    ['the libraries alone', 'libraries'],
  ] as const) {
    const starts: number[] = []
    let resident = 0
    for (let count = 1; count <= STARTS; count += 1) {
      const begun = performance.now()
      await using server = await startServer('bare-server.ts', [gateway.facts.leaf, kind], { core: ALL_CORES })
      starts.push(performance.now() - begun)
      if (count < STARTS) continue
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      resident = residentMiB(server.pid)
    }
    reportFigure(`start to listening, ${name}`, `${median(starts).toFixed(0)} ms`, `median of ${STARTS}`)
    reportFigure(`resident memory, idle, ${name}`, `${resident} MiB`, `${SETTLE_MS / 1_000} s after the start`)
  }
}
