import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fetchPackage, NODE_PACKAGES } from '../../scripts/setup.mjs'
import { run } from './host.ts'

/** The Debian release of the base image, and the user of Node's image. */
const SUITE = 'bookworm'
const USER = ['--uid', '1000', '--user-group', '--create-home', '--shell', '/bin/bash', 'node']

/**
 * Makes the replacement for Node's image: a minimal Debian of the same release with Node and npm in /usr/local, and the
 * user `node`. It stays in `folder` for the next run.
 */
export async function cleanRoot(folder: string, say: (line: string) => void): Promise<string> {
  const root = join(folder, SUITE)
  if (existsSync(root)) return root
  const fresh = `${root}.fresh`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  say(`Making a minimal Debian (${SUITE}) …`)
  await run('debootstrap', ['--variant=minbase', SUITE, fresh])
  forgetPackages(fresh)
  await putNode(fresh, join(folder, 'node'))
  await run('chroot', [fresh, 'useradd', ...USER])
  await run('mv', [fresh, root])
  return root
}

/** Empties and disables apt's caches as in the official image. They would count in the size. */
function forgetPackages(root: string): void {
  for (const folder of ['var/cache/apt', 'var/lib/apt/lists']) rmSync(join(root, folder), { recursive: true })
  const settings = ['Dir::Cache::pkgcache ""', 'Dir::Cache::srcpkgcache ""', 'APT::Keep-Downloaded-Packages "false"']
  writeFileSync(join(root, 'etc/apt/apt.conf.d/docker-clean'), settings.map((line) => `${line};\n`).join(''))
}

async function putNode(root: string, folder: string): Promise<void> {
  const nodePackage = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  if (nodePackage === undefined) throw new Error(`There is no Node for ${process.platform}-${process.arch} here.`)
  await fetchPackage(nodePackage, { root: folder, say: () => {}, what: 'fetching Node' })
  const local = join(root, 'usr/local')
  cpSync(join(folder, '.node/node_modules', nodePackage.name, 'bin/node'), join(local, 'bin/node'))
  const npm = dirname(dirname(realpathSync(await npmPath())))
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
}

/** Path of npm, which is JavaScript and so the same on every machine. */
async function npmPath(): Promise<string> {
  return process.env['npm_execpath'] ?? (await run('which', ['npm'])).trim()
}
