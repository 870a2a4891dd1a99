// `npm run simulate -- --seeds 1..100 --days 2`: runs simulated homes and holds them to what must always be so; ends
// with 1 where something was not, and with 2 where it was not asked in a way that it understands.

import { CommanderError } from 'commander'
import { type Arguments, readArguments } from './arguments.ts'
import { commandOf, report, summary, folderInMemory, plantNamed, runAll } from './batch.ts'
import { shrink } from './shrink.ts'
import { run } from './run.ts'

const asked = askedOrEnd()
const { seeds, days, plant, acts, verbose } = asked
const began = performance.now()

if (acts !== undefined || verbose) {
  const only = acts === undefined ? {} : { only: new Set(acts) }
  const options = {
    seed: seeds.first,
    days,
    folder: folderInMemory(),
    plant: plantNamed(plant),
    keepsLines: true,
    ...only,
  }
  const outcome = await run(options)
  console.log([...outcome.lines, report(outcome)].join('\n'))
  process.exitCode = outcome.violation === null ? 0 : 1
} else {
  const outcomes = await runAll(asked, (outcome) => console.log(report(outcome)))
  console.log(summary(outcomes, performance.now() - began))
  const failed = outcomes.find(({ violation }) => violation !== null)
  if (failed !== undefined) {
    process.exitCode = 1
    const options = { seed: failed.seed, days, folder: folderInMemory(), plant: plantNamed(plant) }
    const shortest = await shrink(options, await run(options))
    console.log(`\nThe shortest history of seed ${failed.seed}:\n${shortest.lines.join('\n')}\n${report(shortest)}`)
    console.log(`\nAgain: ${commandOf(asked, shortest)}`)
  }
}

function askedOrEnd(): Arguments {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exit(error.exitCode)
  }
}
