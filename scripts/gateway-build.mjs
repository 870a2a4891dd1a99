// Bundles the gateway for the image: one file to read and compile in place of a thousand. Its sources stay beside it,
// because what they read at run time (migrations, documents, threads) is found from where they lie.
// `node scripts/gateway-build.mjs FOLDER` puts gateway.mjs there, with a map of the places in src.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** With native parts, which they find from their own folders. */
const PACKAGES_AS_THEY_ARE = ['better-sqlite3', 'serialport']
/** A map that says nothing: packages are read in their own form, and the map stays small without them. */
const NO_MAP = `\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":[""],"mappings":"A"}')}`
/** Packages of the old form `require` Node's own modules. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/**
 * @param {{ root: string, folder: string }} options the checkout, and where the bundle is to be
 * @returns {Promise<void>} rejects with what the bundler said
 */
export async function buildGateway({ root, folder }) {
  const esbuild = createRequire(join(root, 'package.json'))('esbuild')
  await esbuild.build({
    absWorkingDir: root,
    stdin: {
      contents: "import './scripts/source-places.mjs'; import './src/main.ts'",
      resolveDir: root,
      sourcefile: 'gateway.mjs',
    },
    outdir: folder,
    entryNames: 'gateway',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    external: PACKAGES_AS_THEY_ARE,
    banner: { js: REQUIRE },
    plugins: [places(root, folder), packages],
    logLevel: 'error',
  })
}

/** Sources find what lies beside them as if they ran from where they are. */
const places = (root, folder) => ({
  name: 'places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const from = (place) => JSON.stringify(relative(folder, place))
      const contents = text
        .replaceAll('import.meta.url', `new URL(${from(path)}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + "/" + ${from(dirname(path))})`)
      if (/import\.meta\.(?!url\b|dirname\b)/.test(text))
        throw new Error(`${relative(root, path)} asks for another place.`)
      return { contents, loader: 'ts' }
    })
  },
})

const packages = {
  name: 'packages',
  setup(build) {
    // What zod would say in fifty languages: the gateway has sentences of its own.
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/zod/') ? { path: 'locales', namespace: 'nothing' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'export {}' }))
    build.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')) + NO_MAP,
      loader: 'js',
    }))
  },
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Usage: node scripts/gateway-build.mjs FOLDER')
  await buildGateway({ root: resolve(import.meta.dirname, '..'), folder: resolve(folder) })
}
