import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { Image } from './builder.ts'
import { run } from './host.ts'

export interface ContainerOptions {
  /** A folder of this machine in the place of the volume /data. */
  readonly volume: string
  readonly env: Readonly<Record<string, string>>
  /** What runs in the place of the image's command. */
  readonly command?: readonly string[]
  /** A folder of this machine as /backup. */
  readonly backup?: string
  /** A device of this machine, and its path inside. */
  readonly device?: { readonly from: string; readonly to: string }
}

/** As deploy/compose.yaml has it: no privilege, no capability, none to be gained. */
const WITHOUT_PRIVILEGES = '--no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all'

/**
 * A container with this machine's network: the root read-only, the volume and /tmp as the only places that take writes,
 * few devices. Arguments: root, user, folder, volume, /backup or nothing, device here and there or nothing, then the command.
 */
const CONTAINER = `
set -eu
root=$1 user=$2 folder=$3 volume=$4 backup=$5 device=$6 place=$7; shift 7
mount --bind "$root" "$root"
mount --bind "$volume" "$root/data"
if [ -n "$backup" ]; then mkdir -p "$root/backup" && mount --bind "$backup" "$root/backup"; fi
mount -t tmpfs -o mode=1777,noexec,nosuid,nodev tmpfs "$root/tmp"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount --bind -o ro /sys "$root/sys"
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
mkdir "$root/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for each in null zero full random urandom tty; do touch "$root/dev/$each" && mount --bind "/dev/$each" "$root/dev/$each"; done
if [ -n "$device" ]; then touch "$root$place" && mount --bind "$device" "$root$place"; fi
for each in resolv.conf hosts; do touch "$root/etc/$each" && mount --bind "/etc/$each" "$root/etc/$each"; done
mount -o remount,bind,ro "$root"
hostname hm-gateway
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups ${WITHOUT_PRIVILEGES} env -C "$folder" "$@"
`

const SERVES = 'Ctrl-C stops it.'

/** A running container. */
export class Container implements AsyncDisposable {
  readonly #image: Image
  readonly #env: readonly string[]
  readonly #outer: ChildProcess
  readonly #closed: Promise<unknown>
  /** All that it printed. */
  printed = ''
  said = ''

  private constructor(image: Image, { volume, env, command = image.command, backup, device }: ContainerOptions) {
    const home = { HOME: `/home/${image.user}`, ...image.env, ...env }
    this.#image = image
    this.#env = Object.entries(home).map(([name, value]) => `${name}=${value}`)
    const apart = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', CONTAINER, 'container']
    const where = [image.root, image.user, image.workdir, volume, backup ?? '', device?.from ?? '', device?.to ?? '']
    this.#outer = spawn('unshare', [...apart, ...where, '-i', ...this.#env, ...image.entrypoint, ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#outer.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString('utf8')))
    this.#outer.stderr?.on('data', (chunk: Buffer) => (this.said += chunk.toString('utf8')))
    this.#closed = once(this.#outer, 'close')
  }

  /** Starts one and waits until it serves. @throws what it said instead, when it ends. */
  static async start(image: Image, options: ContainerOptions): Promise<Container> {
    const made = new Container(image, options)
    while (!made.printed.includes(SERVES)) {
      await Promise.race([once(made.#outer.stdout!, 'data'), made.#closed])
      if (made.#outer.exitCode !== null) throw new Error(`The container ended: ${made.said}${made.printed}`)
    }
    return made
  }

  /** As `docker run --rm` with a command of its own; answers what that printed. @throws what it said, where it fails. */
  static async run(image: Image, options: ContainerOptions & { readonly command: readonly string[] }): Promise<string> {
    const made = new Container(image, options)
    await made.#closed
    if (made.#outer.exitCode !== 0) throw new Error(`The command ended: ${made.said}${made.printed}`)
    return made.printed
  }

  /** Its first process, as this machine counts. */
  get pid(): number {
    const outer = this.#outer.pid ?? 0
    return Number(readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim())
  }

  /** What runs in it beside the first process. */
  get inner(): number {
    return Number(readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim().split(' ')[0])
  }

  /** A line of /proc/PID/status of what runs in it, such as `CapEff`. */
  status(name: string): string {
    const lines = readFileSync(`/proc/${this.inner}/status`, 'utf8')
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(lines)?.[1] ?? ''
  }

  /** Runs a command inside, as `docker exec` does: as the same user, with no more rights. */
  async exec(...command: readonly string[]): Promise<string> {
    const { user, workdir } = this.#image
    const as = ['setpriv', '--reuid', user, '--regid', user, '--init-groups', ...WITHOUT_PRIVILEGES.split(' ')]
    const inside = [...as, 'env', '-C', workdir, '-i', ...this.#env, ...command]
    return run('nsenter', ['--target', String(this.pid), '--mount', '--pid', '--uts', '--ipc', '--root', ...inside])
  }

  /** As `docker stop` does; answers the exit code and how long it took. */
  async stop(): Promise<{ readonly code: number | null; readonly ms: number }> {
    const began = performance.now()
    process.kill(this.pid, 'SIGTERM')
    await this.#closed
    return { code: this.#outer.exitCode, ms: performance.now() - began }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#outer.exitCode !== null || this.#outer.signalCode !== null) return
    // The first process ends the others with it; what started it all has nothing to pass on.
    process.kill(this.pid, 'SIGKILL')
    await this.#closed
  }
}
