import { isOfClient, runHm } from './run-command-line.ts'

// A reader like `head` may close the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const words = process.argv.slice(2)
process.exitCode = await runHm(words)
// Exits at once, because a cancelled attempt may still look up a name for seconds.
if (isOfClient(words)) process.stdout.write('', () => process.exit())
