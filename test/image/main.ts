// `npm run test:image` runs the steps of the Dockerfile in a clean root of Debian and tries the images as containers
// without privileges. It needs no container engine, but root, Linux and the network. Missing requirements are reported
// and are no failure. With a folder as its argument it reuses the clean root there.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { build } from './builder.ts'
import { cleanRoot } from './clean-root.ts'
import { buildContext, readDockerfile } from './dockerfile.ts'
import { missing } from './host.ts'
import { triesBackup } from './backup-trial.ts'
import { type Bench, sizes, triesFaults, triesGateway, triesRelay, Volume } from './trials.ts'

const PROGRAMS = ['debootstrap', 'unshare', 'nsenter', 'mount', 'chroot', 'setpriv']
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8')
const say = (line: string): void => console.log(line)

function missingRequirement(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux, and root for roots of its own'
  const absent = missing(PROGRAMS)
  return absent.length > 0 ? `${absent.join(' and ')} cannot be found` : null
}

async function main(baseFolder: string | undefined): Promise<void> {
  const reason = missingRequirement()
  if (reason !== null) return say(`The image is not tried: ${reason}.`)
  const folder = mkdtempSync(join(tmpdir(), 'hm-image-'))
  try {
    const base = await cleanRoot(baseFolder ?? join(folder, 'base'), say)
    const takesPart = buildContext(read('.dockerignore'))
    const stages = join(folder, 'stages')
    mkdirSync(stages)
    const images = await build(readDockerfile(read('Dockerfile')), {
      context: PROJECT_ROOT,
      takesPart,
      base,
      folder: stages,
      say,
    })
    const benchOf = async (name: string): Promise<Bench> => {
      const image = images.get(name)
      if (image === undefined) throw new Error(`The Dockerfile has no stage ${name}.`)
      say(`ok   every step of the image of the ${name}: ${await sizes(base, image)}`)
      return { image, folder, say }
    }
    const bench = await benchOf('gateway')
    await using home = await Volume.make(join(folder, 'home'))
    const token = await triesGateway(bench, home)
    await triesFaults(bench, home, token)
    await triesBackup(bench, home, token)
    await using relay = await Volume.make(join(folder, 'relay'))
    await triesRelay(await benchOf('relay'), relay)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [baseFolder] = process.argv.slice(2)
if (baseFolder !== undefined) mkdirSync(baseFolder, { recursive: true })
await main(baseFolder)
