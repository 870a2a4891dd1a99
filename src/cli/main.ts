import { isOfClient, runHm } from './run.ts'

// Whoever reads only the first lines, as head does, has what they wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const words = process.argv.slice(2)
process.exitCode = await runHm(words)
// A way to the home that has lost may still look up a name for seconds: nobody waits for it.
if (isOfClient(words)) process.stdout.write('', () => process.exit())
