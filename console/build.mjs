// Builds the console's pages into console/dist if their sources changed. Plain JavaScript, because the set-up runs it
// before the sources can run. esbuild is imported late: the set-up installs it first.

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
import { join } from 'node:path'

const CONSOLE = import.meta.dirname
const ROOT = join(CONSOLE, '..')
const DIST = join(CONSOLE, 'dist')
const [SCRIPT, STYLE] = ['console/src/main.tsx', 'console/src/style.css']
/** Files with fixed names, copied without changes. */
const STATIC_FILES = ['icon.png', 'icon.svg', 'manifest.webmanifest']
/** Files with placeholders for the names of built files. */
const TEMPLATES = ['index.html', 'offline.html', 'worker.js']

/** True if the pages are there and match their sources. */
export function consoleIsBuilt() {
  const hashFile = join(DIST, '.made-of')
  return existsSync(hashFile) && readFileSync(hashFile, 'utf8') === sourceHash()
}

/** Builds the pages if their sources changed. Rejects with the reason if they cannot be built. */
export async function buildConsole() {
  if (consoleIsBuilt()) return
  const fresh = join(CONSOLE, `dist.${process.pid}`)
  try {
    await build(fresh)
    writeFileSync(join(fresh, '.made-of'), sourceHash())
    rmSync(DIST, { recursive: true, force: true })
    renameSync(fresh, DIST)
  } catch (error) {
    // Another process may have built the same pages meanwhile.
    if (!consoleIsBuilt()) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function build(fresh) {
  const esbuild = await import('esbuild')
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
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
    plugins: [shareFirstLoad],
    logLevel: 'silent',
    metafile: true,
    tsconfigRaw: {},
  })
  // Ends esbuild's service process.
  await esbuild.stop()
  const outputOf = (entry) =>
    Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === entry) ?? ''
  const nameOf = (entry) => `assets/${outputOf(entry).split('/').at(-1)}`
  // Preload links let the browser fetch the script's static imports in parallel.
  const { imports } = metafile.outputs[outputOf(SCRIPT)]
  const preloads = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/console/assets/${path.split('/').at(-1)}" />`)
  mkdirSync(fresh, { recursive: true })
  for (const file of TEMPLATES) {
    const text = readFileSync(join(CONSOLE, file), 'utf8')
      .replace('{{script}}', nameOf(SCRIPT))
      .replace('{{style}}', nameOf(STYLE))
      .replace('{{preloads}}', preloads.join('\n    '))
    writeFileSync(join(fresh, file), text)
  }
  for (const file of STATIC_FILES) copyFileSync(join(CONSOLE, file), join(fresh, file))
  writeFileSync(join(fresh, '.metafile'), JSON.stringify(metafile))
}

/** Pages, dialogs and a store that are loaded on demand. */
const ENTRY = /src\/(?:pages\/[\w-]+\/(?:index|tablets)\.tsx|.*-(?:dialog|pad)\.tsx|stores\/push\.ts)$/
const FIRST_LOAD = join(CONSOLE, 'src/first-load.ts')
const FIRST_PAGE = /pages\/(?:home|sign-in)\/|parts\/proof-dialog/

/** Adds an import of the first load to every separate file, so that shared code ends up in one file. */
const shareFirstLoad = {
  name: 'share-first-load',
  setup: (build) => {
    build.onLoad({ filter: ENTRY }, ({ path }) =>
      FIRST_PAGE.test(path)
        ? null
        : { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(FIRST_LOAD)}\n`, loader: 'tsx' },
    )
  },
}

/** Hash of the pages' sources and of the package lock. */
function sourceHash() {
  const hash = createHash('sha256')
  const sources = [join(CONSOLE, 'src'), join(ROOT, 'client', 'src')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const otherFiles = [...TEMPLATES, ...STATIC_FILES, 'build.mjs', '../package-lock.json'].map((file) =>
    join(CONSOLE, file),
  )
  for (const file of [...sources, ...otherFiles]) hash.update(`${file.slice(ROOT.length)}\n`).update(readFileSync(file))
  return hash.digest('hex')
}
