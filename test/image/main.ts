// `npm run test:image`: carries out the Dockerfile in a clean root of Debian, step by step as it stands, and tries what
// comes of it as a container without privileges. No container engine is needed, but root, Linux and the network; what the
// machine cannot do is said, and is no failure. With a folder as its argument the clean root is kept there.

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

function notHere(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux, and root for roots of its own'
  const absent = missing(PROGRAMS)
  return absent.length > 0 ? `${absent.join(' and ')} cannot be found` : null
}

async function main(kept: string | undefined): Promise<void> {
  const reason = notHere()
  if (reason !== null) return say(`The image is not tried: ${reason}.`)
  const folder = mkdtempSync(join(tmpdir(), 'hm-image-'))
  try {
    const base = await cleanRoot(kept ?? join(folder, 'base'), say)
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

const [kept] = process.argv.slice(2)
if (kept !== undefined) mkdirSync(kept, { recursive: true })
await main(kept)
