import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fetchPackage, NODE_PACKAGES } from '../../scripts/setup.mjs'
import { run } from './host.ts'

/** The Debian of the image's base, and the user that Node's image has. */
const SUITE = 'bookworm'
const USER = ['--uid', '1000', '--user-group', '--create-home', '--shell', '/bin/bash', 'node']

/**
 * What stands for the image of Node that ours builds on: a minimal Debian of the same release with the same Node line in
 * /usr/local, npm, and the user `node`. It is kept in `folder` for the next time.
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

/** The official image has no packages and lists in apt's cache, and its apt keeps none; else they count in the size. */
function forgetPackages(root: string): void {
  for (const folder of ['var/cache/apt', 'var/lib/apt/lists']) rmSync(join(root, folder), { recursive: true })
  const settings = ['Dir::Cache::pkgcache ""', 'Dir::Cache::srcpkgcache ""', 'APT::Keep-Downloaded-Packages "false"']
  writeFileSync(join(root, 'etc/apt/apt.conf.d/docker-clean'), settings.map((line) => `${line};\n`).join(''))
}

async function putNode(root: string, folder: string): Promise<void> {
  const wanted = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  if (wanted === undefined) throw new Error(`There is no Node for ${process.platform}-${process.arch} here.`)
  await fetchPackage(wanted, { root: folder, say: () => {}, what: 'fetching Node' })
  const local = join(root, 'usr/local')
  cpSync(join(folder, '.node/node_modules', wanted.name, 'bin/node'), join(local, 'bin/node'))
  const npm = dirname(dirname(realpathSync(await whereNpmIs())))
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
}

/** npm is a program of JavaScript, the same for every machine. */
async function whereNpmIs(): Promise<string> {
  return process.env['npm_execpath'] ?? (await run('which', ['npm'])).trim()
}
