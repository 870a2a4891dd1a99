// Builds the console's pages into console/dist, where what they are made of has changed. Plain JavaScript, because the
// set-up runs it before the sources can run. Where esbuild cannot be had the gateway runs without the console's pages.

import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [SCRIPT, STYLE] = ['console/src/main.tsx', 'console/src/style.css']
/** Files that keep their names: others find them by these. */
const AS_THEY_ARE = ['icon.svg', 'manifest.webmanifest']
/** Files that name others of the build. */
const FILLED_IN = ['index.html', 'offline.html', 'worker.js']
const PACKAGES = ['esbuild', 'preact', '@preact/signals', 'preact-iso', 'uqr']

/** Whether the pages are there, made of what is there now; or nothing is there that they could be made of. */
export function consoleIsBuilt(root) {
  const source = join(root, 'console')
  if (!existsSync(join(source, 'src'))) return true
  const made = join(source, 'dist', '.made-of')
  return existsSync(made) && readFileSync(made, 'utf8') === madeOf(root, source)
}

/**
 * @param {{ root: string, say: (line: string) => void }} options
 * @returns {Promise<boolean>} whether the pages are there
 */
export async function buildConsole({ root, say }) {
  const source = join(root, 'console')
  const dist = join(source, 'dist')
  if (consoleIsBuilt(root)) return true
  const missing = PACKAGES.filter((name) => !existsSync(join(root, 'node_modules', name)))
  if (missing.length > 0) {
    say(`The pages of the console are not built: ${missing.join(' and ')} could not be installed here.`)
    return false
  }
  const fresh = join(source, `dist.${process.pid}`)
  try {
    await build({ root, source, fresh })
    writeFileSync(join(fresh, '.made-of'), madeOf(root, source))
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
    return true
  } catch (error) {
    // Another start may have built the same meanwhile.
    if (consoleIsBuilt(root)) return true
    say(`The pages of the console could not be built: ${error.message}`)
    return false
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function build({ root, source, fresh }) {
  const esbuild = createRequire(join(root, 'package.json'))('esbuild')
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [SCRIPT, STYLE],
    outdir: join(fresh, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'safari17', 'firefox121', 'chrome123'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    plugins: [sharing],
    logLevel: 'silent',
    metafile: true,
    tsconfigRaw: {},
  })
  const outputOf = (entry) =>
    Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === entry) ?? ''
  const nameOf = (entry) => `assets/${outputOf(entry).split('/').at(-1)}`
  // What the script imports at once is fetched beside it, not after it.
  const { imports } = metafile.outputs[outputOf(SCRIPT)]
  const preloads = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/console/assets/${path.split('/').at(-1)}" />`)
  mkdirSync(fresh, { recursive: true })
  for (const file of FILLED_IN) {
    const filled = readFileSync(join(source, file), 'utf8')
      .replace('{{script}}', nameOf(SCRIPT))
      .replace('{{style}}', nameOf(STYLE))
      .replace('{{preloads}}', preloads.join('\n    '))
    writeFileSync(join(fresh, file), filled)
  }
  for (const file of AS_THEY_ARE) copyFileSync(join(source, file), join(fresh, file))
  writeFileSync(join(fresh, '.metafile'), JSON.stringify(metafile))
}

const OWN_PAGE = /pages\/[\w-]+\/index\.tsx$/
const FIRST_PAGE = /pages\/(?:home|sign-in)\//

/** Pages with a file of their own import the first load whole, so that what they share with it is one file. */
const sharing = {
  name: 'sharing',
  setup: (build) => {
    build.onLoad({ filter: OWN_PAGE }, ({ path }) =>
      FIRST_PAGE.test(path)
        ? null
        : { contents: `${readFileSync(path, 'utf8')}\nimport '../../first-load.ts'\n`, loader: 'tsx' },
    )
  },
}

/** A hash of everything that the pages are made of. */
function madeOf(root, source) {
  const hash = createHash('sha256')
  const files = [join(source, 'src'), join(root, 'client', 'src')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((one, other) => (one < other ? -1 : 1))
  for (const file of [
    ...files,
    ...[...FILLED_IN, ...AS_THEY_ARE].map((file) => join(source, file)),
    import.meta.filename,
  ])
    hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file))
  for (const name of PACKAGES) {
    const manifest = join(root, 'node_modules', name, 'package.json')
    hash.update(existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : 'none')
  }
  return hash.digest('hex')
}
