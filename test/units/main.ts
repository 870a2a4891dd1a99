// `npm run test:units`: installs the units of deploy/ in a clean Debian container with systemd, by the steps of
// docs/install.md, and tests them. Needs root, debootstrap, systemd-nspawn and the network. On other machines it prints
// the reason and does not fail. With a folder as its argument the clean root stays there.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { binaryFiles, PROJECT_ROOT, projectFiles } from '#support/project/source-tree.ts'
import { cleanRoot } from '../image/clean-root.ts'
import { missing, ownCa, run, registryEnvironment } from '../image/host.ts'

const PROGRAM = 'opt/hm-gateway'
const PACKAGES = ['systemd', 'systemd-sysv', 'libnss-systemd', 'dbus', 'git']
const TRIAL = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c '/bin/bash /opt/trial.sh; systemctl poweroff'
StandardOutput=file:/opt/trial.log
StandardError=file:/opt/trial.log
Environment=HOME=/tmp
TimeoutStartSec=900
`
/** Much longer than a boot takes. */
const BOOT_MS_MAX = 900_000

const say = (line: string): void => console.log(line)

function notHere(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux, and root for roots of its own'
  const absent = missing(['debootstrap', 'systemd-nspawn'])
  return absent.length > 0 ? `${absent.join(' and ')} cannot be found` : null
}

/** Runs a container of systemd-nspawn without registering it with this machine's systemd. */
const nspawn = (root: string, ...args: readonly string[]): Promise<string> =>
  run('systemd-nspawn', ['--quiet', '--directory', root, '--register=no', '--keep-unit', ...args], {
    timeout: BOOT_MS_MAX,
  })

async function installed(root: string): Promise<void> {
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${PACKAGES.join(' ')}`
  const ca = ownCa === null ? [] : ['--bind-ro', `${ownCa}:/run/ca-of-the-builder.pem`]
  const env = {
    ...registryEnvironment(),
    ...(ownCa === null ? {} : { NODE_EXTRA_CA_CERTS: '/run/ca-of-the-builder.pem' }),
  }
  const online = [
    '--resolv-conf=copy-host',
    ...ca,
    ...Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`),
  ]
  say('Installing systemd …')
  await nspawn(root, ...online, 'env', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-c', install)
  for (const { path } of [...projectFiles(), ...binaryFiles()]) {
    mkdirSync(dirname(join(root, PROGRAM, path)), { recursive: true })
    cpSync(join(PROJECT_ROOT, path), join(root, PROGRAM, path))
  }
  say(`npm --prefix /${PROGRAM} run setup …`)
  await nspawn(root, ...online, 'npm', '--prefix', `/${PROGRAM}`, 'run', 'setup')
}

/** Boots the root with the trial in it; returns the trial's output. */
async function tried(root: string): Promise<readonly string[]> {
  const wanted = join(root, 'etc/systemd/system/default.target.wants')
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  writeFileSync(join(root, 'etc/systemd/system/trial.service'), TRIAL)
  cpSync(join(import.meta.dirname, 'trial.sh'), join(root, 'opt/trial.sh'))
  mkdirSync(wanted, { recursive: true })
  symlinkSync('../trial.service', join(wanted, 'trial.service'))
  await run('systemd-machine-id-setup', ['--root', root])
  await nspawn(root, '--boot', '--private-network')
  return readFileSync(join(root, 'opt/trial.log'), 'utf8').trim().split('\n')
}

async function main(rootFolder: string | undefined): Promise<void> {
  const reason = notHere()
  if (reason !== null) return say(`The units are not tried: ${reason}.`)
  const folder = mkdtempSync(join(tmpdir(), 'hm-units-'))
  try {
    const base = await cleanRoot(rootFolder ?? join(folder, 'base'), say)
    const root = join(folder, 'system')
    await run('cp', ['-a', '--reflink=auto', base, root])
    await installed(root)
    const lines = await tried(root)
    for (const line of lines) say(line)
    if (lines.at(-1) !== 'done') process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main(process.argv[2])
