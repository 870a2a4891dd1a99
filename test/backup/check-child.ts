import { inCheckFolder } from '../../src/backup/restoring/check-folder.ts'

// Keeps a work folder in a data folder open for ever, and prints its path.
const [dataDir = ''] = process.argv.slice(2)
await inCheckFolder(dataDir, (folder) => {
  process.stdout.write(`${folder}\n`)
  return new Promise(() => setInterval(() => {}, 60_000))
})
