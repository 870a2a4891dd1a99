// Runs every command of package.json and bin/hm: sets up the checkout if necessary, then starts the command with Node 24.
// Works with any Node from 20 on.

import module from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { consoleIsBuilt } from '../console/build.mjs'
import { bundle, currentBundle, isOutdated } from './bundle.mjs'
import { GATEWAY_ENV, GATEWAY_FLAGS, NODE_RUNS_SOURCES, RELAY_FLAGS } from './gateway-flags.mjs'

/**
 * `dev`: the command needs the packages of the checks. `script`: null for setting up alone. `bundled`: the file of the
 * bundle that stands for the script. `inside`: the command needs no pages of the console, builds no bundle, and runs in
 * this process if this Node can run the sources.
 */
const COMMANDS = {
  start: { script: 'src/main.ts', bundled: 'gateway.mjs', dev: false, flags: GATEWAY_FLAGS, env: GATEWAY_ENV },
  setup: { script: null, bundled: 'gateway.mjs', dev: false },
  relay: { script: 'relay/main.ts', dev: false, flags: RELAY_FLAGS },
  hm: { script: 'src/cli/main.ts', bundled: 'hm/hm.mjs', dev: false, inside: true },
  test: { script: 'scripts/check.ts', dev: true },
  'test:long': { script: 'scripts/check.ts', dev: true, env: { HM_TEST_LONG: '1' } },
  'test:relay': { script: 'scripts/check.ts', dev: true, env: { HM_TEST_RELAY: '1' } },
  'test:generators': { script: 'test/generators/main.ts', dev: true },
  'test:python': { script: 'test/python/main.ts', dev: true },
  'test:image': { script: 'test/image/main.ts', dev: true },
  'test:units': { script: 'test/units/main.ts', dev: true },
  'test:home-assistant': { script: 'test/home-assistant/main.ts', dev: true },
  'build:home-assistant': { script: 'scripts/build-home-assistant.ts', dev: false },
  bench: { script: 'bench/main.ts', dev: true },
  'bench:peers': { script: 'bench/peers/main.ts', dev: true },
  simulate: { script: 'simulate/main.ts', dev: true },
  figures: { script: 'test/structure/figures.ts', dev: true },
  format: { script: 'node_modules/oxfmt/bin/oxfmt', dev: true },
  'console:pictures': { script: 'test/console/pictures.ts', dev: true },
  'docs:examples': { script: 'test/examples/record.ts', dev: true },
  'docs:generate': { script: 'scripts/generate-documents.ts', dev: true },
}

/** A terminal and npm both pass on Ctrl-C. A second signal within this time is the same key press. */
const SAME_SIGNAL_MS = 500

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [name, ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined) {
  console.error(`Usage: node scripts/run.mjs ${Object.keys(COMMANDS).join(' | ')} [arguments]`)
  process.exit(2)
}

// Changed packages make the bundle outdated too, so a current one needs no set-up.
const ready = command.bundled !== undefined && NODE_RUNS_SOURCES ? currentBundle(root) : null
if (ready !== null && command.inside) await runHere(join(ready, command.bundled))
else if (ready !== null && name === 'start' && process.platform !== 'win32' && consoleIsBuilt())
  runInstead(join(ready, command.bundled))
else await setUpAndRun()

async function setUpAndRun() {
  const { SetupError, setUp } = await import('./setup.mjs')
  // On standard error, so that the command's output can be piped.
  const say = (line) => console.error(line)
  try {
    const node = await setUp({ root, dev: command.dev, pages: !command.inside, say })
    if (command.inside && node === process.execPath) return await runHere(join(root, command.script))
    // Somebody who changes the sources does not wait for a build at each start.
    const isBuiltLater = name === 'start' && isOutdated(root)
    const folder = command.inside || isBuiltLater || !command.bundled ? null : await bundle({ root, say })
    if (command.script === null) return say(`Everything is set up. Node: ${node}`)
    const script = folder === null ? join(root, command.script) : join(folder, command.bundled)
    const ended = runToEnd(node, argumentsOf(script), name === 'hm' ? process.cwd() : root)
    if (isBuiltLater) {
      // The gateway, which starts at the same time, has the processor first.
      setPriority(constants.priority.PRIORITY_LOW)
      await bundle({ root, say })
    }
    process.exitCode = await ended
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    const shape = { code: 'not_set_up', message: error.message, appAction: null, retryAfter: null }
    console.error(name === 'hm' && args.includes('--json') ? JSON.stringify({ error: shape }) : error.message)
    // Exit code 1 of `hm status` is about the gateway (docs/operations.md#attention), which was not reached.
    process.exitCode = name === 'hm' && args.includes('status') ? 3 : 1
  }
}

function environment() {
  // A cache of compiled sources makes later starts three times as fast, with less memory.
  const NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'compile')
  return { NODE_COMPILE_CACHE, ...process.env, ...command.env }
}

function argumentsOf(script) {
  const lifeline = `--import=${pathToFileURL(join(root, 'scripts', 'lifeline.mjs'))}`
  return [...(command.flags ?? ['--disable-warning=ExperimentalWarning']), lifeline, script, ...args]
}

/** Replaces this process by the command, which saves its memory. The gateway ignores a repeated signal by itself. */
function runInstead(script) {
  process.chdir(root)
  process.execve(process.execPath, [process.execPath, ...argumentsOf(script)], environment())
}

/** Runs the command in this process, because a second one would double the start time. */
async function runHere(script) {
  module.enableCompileCache(environment().NODE_COMPILE_CACHE)
  process.argv = [process.argv[0], script, ...args]
  await import(pathToFileURL(script).href)
}

/**
 * Runs the command and resolves with its exit code. The child leads its own process group, so that Ctrl-C in a terminal
 * reaches it only through this process.
 */
async function runToEnd(node, nodeArgs, cwd) {
  const { spawn } = await import('node:child_process')
  await import('./lifeline.mjs')
  return new Promise((resolve, reject) => {
    const ownGroup = process.platform !== 'win32'
    const child = spawn(node, nodeArgs, {
      cwd,
      // The last one is the lifeline, which tells the child that this process was killed (scripts/lifeline.mjs).
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      // systemd's watchdog names this process, but watches the child.
      env: { ...environment(), HM_LIFELINE_FD: '3', WATCHDOG_PID: '' },
      detached: ownGroup,
    })
    child.stdio[3].on('error', () => {})
    child.stdio[3].unref()
    const passedOn = new Map()
    const passOn = (signal) => {
      const now = performance.now()
      if (now - (passedOn.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return
      passedOn.set(signal, now)
      try {
        process.kill(ownGroup ? -child.pid : child.pid, signal)
      } catch (error) {
        // The child has ended; its exit event follows.
        if (error.code !== 'ESRCH') throw error
      }
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => passOn(signal))
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}
