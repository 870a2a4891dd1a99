// Bundles the gateway for the image: one file to read and compile instead of a thousand. The sources stay in the image,
// because the program finds migrations, documents and threads relative to them.
// `node scripts/gateway-build.mjs FOLDER` writes gateway.mjs with a source map.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Packages with native files, which they find in their own folders. */
const EXTERNAL_PACKAGES = ['better-sqlite3', 'serialport']
/** Packages that fastify would load for routes with schemas and for tests. The gateway has neither. */
const UNUSED_PACKAGES = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']
/** CommonJS packages `require` Node's modules. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/**
 * Builds the gateway, and the command line in a folder inside.
 * @param {{ root: string, folder: string }} options the checkout, and the folder of the bundles
 * @returns {Promise<string[]>} the files that they consist of, as paths from the checkout; rejects with the bundler's
 * error
 */
export function buildGateway({ root, folder }) {
  return buildPrograms(root, { [folder]: { gateway: 'src/main.ts' }, [join(folder, 'hm')]: { hm: 'src/cli/main.ts' } })
}

/**
 * Builds programs like the gateway.
 * @param {string} root the checkout
 * @param {Record<string, Record<string, string>>} programs the sources of each folder's programs, by name
 * @returns {Promise<string[]>} as `buildGateway`
 */
export async function buildPrograms(root, programs) {
  const esbuild = createRequire(join(root, 'package.json'))('esbuild')
  try {
    const built = await Promise.all(
      Object.entries(programs).map(([folder, entryPoints]) => build(esbuild, root, folder, entryPoints)),
    )
    return [...new Set(built.flat())]
  } finally {
    // Ends its process.
    await esbuild.stop()
  }
}

async function build(esbuild, root, folder, entryPoints) {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    inject: ['scripts/source-places.mjs'],
    outdir: folder,
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
    external: [...EXTERNAL_PACKAGES, ...UNUSED_PACKAGES],
    banner: { js: REQUIRE },
    plugins: [places(root, folder), packages],
    logLevel: 'silent',
    metafile: true,
  })
  // Other inputs are no files.
  return Object.keys(metafile.inputs).filter((path) => !path.includes(':'))
}

/** Makes sources find their neighbouring files as if they ran unbundled. */
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
        throw new Error(`${relative(root, path)} uses import.meta in an unsupported way.`)
      return { contents, loader: 'ts' }
    })
  },
})

const packages = {
  name: 'packages',
  setup(build) {
    // The gateway has its own messages instead of zod's in fifty languages.
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/zod/') ? { path: 'locales', namespace: 'nothing' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'export {}' }))
  },
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Usage: node scripts/gateway-build.mjs FOLDER')
  await buildGateway({ root: resolve(import.meta.dirname, '..'), folder: resolve(folder) })
}
