import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isPage } from '../admin/console-entry.ts'
import { Gzipped } from '../lib/gzipped.ts'

/** A file of the console with its response headers. */
export interface ConsoleFile {
  readonly content: Gzipped
  readonly type: string
  /** True if the name contains the content's hash, so that the file never changes. */
  readonly immutable: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Folder of files with a hash of their content in their name. */
const HASHED_FOLDER = 'assets'
const INDEX = 'index.html'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>hm-gateway</title>
<h1>The console is not built</h1>
<p>The gateway runs, but the pages of its console are missing. Run <code>npm run setup</code> where esbuild can be installed, and restart the gateway.</p>
<p>Until then, use <code>bin/hm</code> for everything.</p>
</html>
`

interface BuiltConsole {
  readonly document: ConsoleFile
  /** Keyed by path in the folder. */
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** The console's built files; without a build, one page that says so. */
export class ConsoleFiles {
  readonly #folder: string
  #built: BuiltConsole | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** File at a path below `/console/`, or null. */
  at(path: string): ConsoleFile | null {
    return isPage(path) ? this.document : (this.#read().files.get(path) ?? null)
  }

  /** The HTML document of all pages. Its script shows the page for the address, or a message if there is none. */
  get document(): ConsoleFile {
    return this.#read().document
  }

  #read(): BuiltConsole {
    return (this.#built ??= filesIn(this.#folder))
  }
}

/** Reads all files once, so that no request path is used as a path on the disk. */
function filesIn(folder: string): BuiltConsole {
  const files = new Map<string, ConsoleFile>()
  const notBuilt = { content: new Gzipped(Buffer.from(NOT_BUILT)), type: TYPES['.html'] ?? '', immutable: false }
  if (!existsSync(join(folder, INDEX))) return { document: notBuilt, files }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1).replaceAll('\\', '/')
    files.set(name, {
      content: new Gzipped(readFileSync(path)),
      type,
      immutable: name.startsWith(`${HASHED_FOLDER}/`),
    })
  }
  return { document: files.get(INDEX) ?? notBuilt, files }
}
