import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isPage } from '../admin/console-entry.ts'
import { Gzipped } from '../lib/gzipped.ts'

/** A file as it is sent. */
export interface ConsoleFile {
  readonly content: Gzipped
  readonly type: string
  /** Its name has its hash: it never changes. */
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

/** Where the build puts what has its hash in its name. */
const HASHED = 'assets'
const INDEX = 'index.html'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>hm-gateway</title>
<h1>The console is not built</h1>
<p>The gateway runs, but the pages of its console are not there: run <code>npm run setup</code> and start the gateway again, where esbuild can be installed.</p>
<p>Everything can be done with <code>bin/hm</code> meanwhile.</p>
</html>
`

interface Built {
  readonly document: ConsoleFile
  /** By their paths in the folder. */
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** The console's pages as the build left them in a folder; without a build, a page that says so. */
export class ConsoleFiles {
  readonly #folder: string
  #built: Built | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file at a path behind `/console/`, or null. */
  at(path: string): ConsoleFile | null {
    return isPage(path) ? this.document : (this.#read().files.get(path) ?? null)
  }

  /** What every page is: it shows what the address says, also that there is no such page. */
  get document(): ConsoleFile {
    return this.#read().document
  }

  #read(): Built {
    return (this.#built ??= filesIn(this.#folder))
  }
}

/** Everything is read once, so that no path of a request ever names a file of the disk. */
function filesIn(folder: string): Built {
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
      immutable: name.startsWith(`${HASHED}/`),
    })
  }
  return { document: files.get(INDEX) ?? notBuilt, files }
}
