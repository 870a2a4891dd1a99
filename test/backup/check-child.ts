import { inCheckFolder } from '../../src/backup/restoring/check-folder.ts'

// Takes a backup apart for ever in the data folder that it is given, and prints where once it has begun.
const [dataDir = ''] = process.argv.slice(2)
await inCheckFolder(dataDir, (folder) => {
  process.stdout.write(`${folder}\n`)
  return new Promise(() => setInterval(() => {}, 60_000))
})
