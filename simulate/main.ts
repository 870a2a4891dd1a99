// `npm run simulate -- --seeds 1..100 --days 2` runs simulated homes and checks their invariants. Exit code 1 means a
// violation, 2 wrong arguments.

import { CommanderError } from 'commander'
import { type Arguments, readArguments } from './arguments.ts'
import { commandOf, report, summary, folderInMemory, defectNamed, runAll } from './batch.ts'
import { shrink } from './shrink.ts'
import { run } from './run.ts'

const args = argumentsOrExit()
const { seeds, days, plant, acts, verbose } = args
const began = performance.now()

if (acts !== undefined || verbose) {
  const only = acts === undefined ? {} : { only: new Set(acts) }
  const options = {
    seed: seeds.first,
    days,
    folder: folderInMemory(),
    defect: defectNamed(plant),
    keepsLines: true,
    ...only,
  }
  const outcome = await run(options)
  console.log([...outcome.lines, report(outcome)].join('\n'))
  process.exitCode = outcome.violation === null ? 0 : 1
} else {
  const outcomes = await runAll(args, (outcome) => console.log(report(outcome)))
  console.log(summary(outcomes, performance.now() - began))
  const failed = outcomes.find(({ violation }) => violation !== null)
  if (failed !== undefined) {
    process.exitCode = 1
    const options = { seed: failed.seed, days, folder: folderInMemory(), defect: defectNamed(plant) }
    const shortest = await shrink(options, await run(options))
    console.log(`\nThe shortest history of seed ${failed.seed}:\n${shortest.lines.join('\n')}\n${report(shortest)}`)
    console.log(`\nAgain: ${commandOf(args, shortest)}`)
  }
}

function argumentsOrExit(): Arguments {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exit(error.exitCode)
  }
}
