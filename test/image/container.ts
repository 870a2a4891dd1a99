import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { Image } from './builder.ts'
import { run } from './host.ts'

export interface ContainerOptions {
  /** A folder of this machine for the volume /data. */
  readonly volume: string
  readonly env: Readonly<Record<string, string>>
  /** Replaces the image's command. */
  readonly command?: readonly string[]
  /** A folder of this machine for /backup. */
  readonly backup?: string
  /** A device of this machine, and its path inside. */
  readonly device?: { readonly from: string; readonly to: string }
}

/** The restrictions of deploy/compose.yaml: no privileges, no capabilities, no new ones. */
const WITHOUT_PRIVILEGES = '--no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all'

/**
 * A container with this machine's network, a read-only root and few devices. Only the volume, /backup and /tmp are
 * writable. Arguments: root, user, folder, volume, backup folder or nothing, device outside and inside or nothing, then
 * the command.
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
for name in null zero full random urandom tty; do touch "$root/dev/$name" && mount --bind "/dev/$name" "$root/dev/$name"; done
if [ -n "$device" ]; then touch "$root$place" && mount --bind "$device" "$root$place"; fi
for file in resolv.conf hosts; do touch "$root/etc/$file" && mount --bind "/etc/$file" "$root/etc/$file"; done
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
  /** Standard output and error so far. */
  printed = ''
  errors = ''

  private constructor(image: Image, { volume, env, command = image.command, backup, device }: ContainerOptions) {
    const home = { HOME: `/home/${image.user}`, ...image.env, ...env }
    this.#image = image
    this.#env = Object.entries(home).map(([name, value]) => `${name}=${value}`)
    const namespaces = [
      '--mount',
      '--pid',
      '--ipc',
      '--uts',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      CONTAINER,
      'container',
    ]
    const where = [image.root, image.user, image.workdir, volume, backup ?? '', device?.from ?? '', device?.to ?? '']
    this.#outer = spawn('unshare', [...namespaces, ...where, '-i', ...this.#env, ...image.entrypoint, ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#outer.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString('utf8')))
    this.#outer.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString('utf8')))
    this.#closed = once(this.#outer, 'close')
  }

  /** Starts a container and waits until it serves. @throws Error with its output if it ends before */
  static async start(image: Image, options: ContainerOptions): Promise<Container> {
    const made = new Container(image, options)
    while (!made.printed.includes(SERVES)) {
      await Promise.race([once(made.#outer.stdout!, 'data'), made.#closed])
      if (made.#outer.exitCode !== null) throw new Error(`The container ended: ${made.errors}${made.printed}`)
    }
    return made
  }

  /** Runs a command as `docker run --rm` does. Returns its standard output. @throws Error with its output if it fails */
  static async run(image: Image, options: ContainerOptions & { readonly command: readonly string[] }): Promise<string> {
    const made = new Container(image, options)
    await made.#closed
    if (made.#outer.exitCode !== 0) throw new Error(`The command ended: ${made.errors}${made.printed}`)
    return made.printed
  }

  /** Id of its first process on this machine. */
  get pid(): number {
    const outer = this.#outer.pid ?? 0
    return Number(readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim())
  }

  /** Id of the program's process, the child of the first one. */
  get inner(): number {
    return Number(readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim().split(' ')[0])
  }

  /** A field of /proc/PID/status of the program, for example `CapEff`. */
  status(name: string): string {
    const lines = readFileSync(`/proc/${this.inner}/status`, 'utf8')
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(lines)?.[1] ?? ''
  }

  /** Runs a command inside as `docker exec` does, with the same user and restrictions. */
  async exec(...command: readonly string[]): Promise<string> {
    const { user, workdir } = this.#image
    const as = ['setpriv', '--reuid', user, '--regid', user, '--init-groups', ...WITHOUT_PRIVILEGES.split(' ')]
    const inside = [...as, 'env', '-C', workdir, '-i', ...this.#env, ...command]
    return run('nsenter', ['--target', String(this.pid), '--mount', '--pid', '--uts', '--ipc', '--root', ...inside])
  }

  /** Stops it as `docker stop` does. Returns the exit code and the duration. */
  async stop(): Promise<{ readonly code: number | null; readonly ms: number }> {
    const began = performance.now()
    process.kill(this.pid, 'SIGTERM')
    await this.#closed
    return { code: this.#outer.exitCode, ms: performance.now() - began }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#outer.exitCode !== null || this.#outer.signalCode !== null) return
    // The end of the first process kills all others.
    process.kill(this.pid, 'SIGKILL')
    await this.#closed
  }
}
