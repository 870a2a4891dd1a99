// `npm run build:home-assistant` builds Home Assistant's integration as a ZIP file and as a repository folder for HACS.
// Both contain the Python client, because no registry has it for a requirement of the manifest.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'python/home-assistant')
const CLIENT = join(ROOT, 'python/client')
const FOLDER = join(ROOT, '.generated/home-assistant')
const COMPONENT = 'custom_components/hm_gateway'

/** The first date of the ZIP format. A constant date makes the file reproducible. */
const ZIP_DATE = 0x21
const UTF8_NAMES = 0x0800

interface Packed {
  readonly name: Buffer
  readonly content: Buffer
  readonly offset: number
}

/** Addresses of the publisher for documentation and issues. The project itself has no public address. */
interface Addresses {
  readonly documentation: string
  readonly issue_tracker: string
}

/** Builds the ZIP and the folder `built`, which has the integration with its tests. Prints the path of the ZIP. */
function build(to: string, addresses: Addresses | null): void {
  const built = join(to, 'built')
  const zip = join(to, 'hm_gateway.zip')
  rmSync(built, { recursive: true, force: true })
  mkdirSync(built, { recursive: true })
  cpSync(SOURCE, built, { recursive: true, filter: isSource })
  const component = join(built, COMPONENT)
  cpSync(join(CLIENT, 'src/hm_gateway_client'), join(component, 'hm_gateway_client'), {
    recursive: true,
    filter: isSource,
  })
  for (const folder of [built, component]) cpSync(join(CLIENT, 'LICENSE'), join(folder, 'LICENSE'))
  if (addresses !== null) writeAddresses(join(component, 'manifest.json'), addresses)
  writeFileSync(zip, zipOf(component))
  console.log(zip)
}

/** Writes the addresses into a manifest. Home Assistant requires the keys domain, name, then all others sorted. */
function writeAddresses(manifest: string, addresses: Addresses): void {
  const { domain, name, ...others } = {
    ...(JSON.parse(readFileSync(manifest, 'utf8')) as object),
    ...addresses,
  } as Record<string, unknown>
  const sorted = Object.entries(others).sort(([left], [right]) => (left < right ? -1 : 1))
  writeFileSync(manifest, `${JSON.stringify({ domain, name, ...Object.fromEntries(sorted) }, null, 2)}\n`)
}

/** Reads the command line. The addresses are null without a repository. */
function readArguments(): { readonly to: string; readonly addresses: Addresses | null } {
  const { values } = parseArgs({
    options: { repository: { type: 'string' }, issues: { type: 'string' }, to: { type: 'string', default: FOLDER } },
  })
  const to = resolve(values.to)
  if (values.repository === undefined) return { to, addresses: null }
  const repository = addressIn(values.repository)
  return {
    to,
    addresses: { documentation: repository, issue_tracker: addressIn(values.issues ?? `${repository}/issues`) },
  }
}

/** @throws Error for a text that is no web address */
function addressIn(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${text} is no web address: give one like https://example.org/owner/name.`)
  return text.replace(/\/+$/, '')
}

const isSource = (path: string): boolean => !/__pycache__|\.pyc$|_cache$/.test(path)

/** Packs the files of a folder without compression, because they are few and small. */
function zipOf(folder: string): Buffer {
  const packed: Packed[] = []
  const parts: Buffer[] = []
  let offset = 0
  for (const path of filesIn(folder)) {
    const file = { name: Buffer.from(path), content: readFileSync(join(folder, path)), offset }
    const local = Buffer.concat([word32(0x04034b50), fields(file), file.name, file.content])
    packed.push(file)
    parts.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(packed.map(entryOf))
  const counts = [word16(packed.length), word16(packed.length), word32(directory.length), word32(offset)]
  return Buffer.concat([...parts, directory, word32(0x06054b50), word16(0), word16(0), ...counts, word16(0)])
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

/** Header fields of a file, equal in its local header and in the directory: version 2.0, stored. */
const fields = ({ name, content }: Packed): Buffer =>
  Buffer.concat([
    ...[20, UTF8_NAMES, 0, 0, ZIP_DATE].map(word16),
    ...[crc32(content), content.length, content.length].map(word32),
    ...[name.length, 0].map(word16),
  ])

const entryOf = (file: Packed): Buffer =>
  Buffer.concat([
    word32(0x02014b50),
    word16(20),
    fields(file),
    ...[0, 0, 0].map(word16),
    word32(0),
    word32(file.offset),
    file.name,
  ])

function word16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function word32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

try {
  const { to, addresses } = readArguments()
  build(to, addresses)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
