import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { commandOf, type Instruction, pairsOf, type Stage } from './dockerfile.ts'
import { ownCa, run, registryEnvironment } from './host.ts'

/** Configuration of an image. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
}

export interface Image extends ImageConfig {
  readonly root: string
}

export interface BuildParts {
  /** The checkout. */
  readonly context: string
  readonly takesPart: (path: string) => boolean
  /** Root that replaces the base image. */
  readonly base: string
  /** Parent folder of the stages' roots. */
  readonly folder: string
  readonly say: (line: string) => void
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Initial configuration of a base image. */
const BASE_CONFIG: ImageConfig = { env: { PATH }, workdir: '/', user: 'root', entrypoint: [], command: [] }
/** Path of this machine's CA during a RUN. It is no part of the image. */
const CA_INSIDE = '/run/ca-of-the-builder.pem'

/**
 * Runs a step as a builder does, in its own namespaces with /proc, /dev, host names and name servers. The mounts vanish
 * afterwards. Arguments: root, user, folder, file of the CA or nothing, then the command.
 */
const RUN_STEP = `
set -eu
root=$1 user=$2 folder=$3 ca=$4; shift 4
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
for file in resolv.conf hosts; do touch "$root/etc/$file" && mount --bind "/etc/$file" "$root/etc/$file"; done
if [ -n "$ca" ]; then cp "$ca" "$root${CA_INSIDE}"; fi
ip link set lo up 2>/dev/null || true
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups env -C "$folder" "$@"
`

/** Builds the stages of a Dockerfile one after the other. Returns their images by name. */
export async function build(stages: readonly Stage[], parts: BuildParts): Promise<ReadonlyMap<string, Image>> {
  const images = new Map<string, Image>()
  for (const stage of stages) {
    const before = images.get(stage.base) ?? { ...BASE_CONFIG, root: parts.base }
    const root = join(parts.folder, stage.name)
    await run('cp', ['-a', '--reflink=auto', before.root, root])
    images.set(stage.name, await new StageBuilder({ ...before, root }, images, parts).carryOut(stage))
  }
  return images
}

class StageBuilder {
  readonly #images: ReadonlyMap<string, Image>
  readonly #parts: BuildParts
  #image: Image

  constructor(image: Image, images: ReadonlyMap<string, Image>, parts: BuildParts) {
    this.#image = image
    this.#images = images
    this.#parts = parts
  }

  async carryOut(stage: Stage): Promise<Image> {
    for (const step of stage.steps) await this.#step(step)
    return this.#image
  }

  async #step(step: Instruction): Promise<void> {
    const { rest } = step
    if (step.word === 'RUN') return this.#run(step)
    if (step.word === 'COPY') return this.#copy(step)
    const image = this.#image
    if (step.word === 'ENV') this.#image = { ...image, env: { ...image.env, ...pairsOf(rest) } }
    else if (step.word === 'USER') this.#image = { ...image, user: rest }
    else if (step.word === 'ENTRYPOINT') this.#image = { ...image, entrypoint: commandOf(rest) }
    else if (step.word === 'CMD') this.#image = { ...image, command: commandOf(rest) }
    else if (step.word === 'WORKDIR') {
      this.#image = { ...image, workdir: resolve(image.workdir, rest) }
      mkdirSync(this.#inside('.'), { recursive: true })
    } else if (!['LABEL', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'STOPSIGNAL'].includes(step.word))
      throw new Error(`The builder does not know ${step.word}.`)
  }

  /** The path on this machine for a path in the image. */
  #inside(path: string): string {
    return join(this.#image.root, resolve(this.#image.workdir, path))
  }

  async #run({ rest, flags }: Instruction): Promise<void> {
    this.#parts.say(`RUN ${rest.slice(0, 100)}${rest.length > 100 ? ' …' : ''}`)
    const { user, workdir, env: set, root } = this.#image
    const ca = ownCa === null ? {} : { NODE_EXTRA_CA_CERTS: CA_INSIDE }
    const env = Object.entries({
      ...registryEnvironment(),
      ...ca,
      HOME: user === 'root' ? '/root' : `/home/${user}`,
      ...set,
    })
    const namespaces = [
      '--mount',
      '--pid',
      '--ipc',
      '--fork',
      '--kill-child',
      ...(flags['network'] === 'none' ? ['--net'] : []),
    ]
    const inside = ['-i', ...env.map(([name, value]) => `${name}=${value}`), ...commandOf(rest)]
    await run('unshare', [...namespaces, 'sh', '-c', RUN_STEP, 'step', root, user, workdir, ownCa ?? '', ...inside])
  }

  async #copy({ rest, flags }: Instruction): Promise<void> {
    const words = rest.split(/\s+/)
    const target = words.at(-1) ?? ''
    const from = flags['from'] === undefined ? null : (this.#images.get(flags['from'])?.root ?? '')
    for (const source of words.slice(0, -1)) {
      const path = join(from ?? this.#parts.context, source)
      const isFolder = statSync(path).isDirectory()
      const to = target.endsWith('/') && !isFolder ? join(target, path.split('/').at(-1) ?? '') : target
      mkdirSync(join(this.#inside(to), '..'), { recursive: true })
      if (from === null) this.#copyFromContext(path, this.#inside(to))
      else await run('cp', ['-a', ...(isFolder ? ['-T'] : []), path, this.#inside(to)])
      if (!existsSync(this.#inside(to))) throw new Error(`COPY ${source}: .dockerignore excludes all of it.`)
    }
  }

  #copyFromContext(path: string, to: string): void {
    const { context, takesPart } = this.#parts
    const filter = (file: string): boolean => statSync(file).isDirectory() || takesPart(relative(context, file))
    cpSync(path, to, { recursive: true, filter })
  }
}
