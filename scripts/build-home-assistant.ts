// `npm run build:home-assistant`: Home Assistant's integration with the Python client inside, as one file to unpack and as the folder that HACS takes for a
// repository. The client is no package of a registry, so a requirement of the manifest could not be met: what is delivered has it beside its own modules.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'python/home-assistant')
const CLIENT = join(ROOT, 'python/client')
const FOLDER = join(ROOT, '.generated/home-assistant')
const COMPONENT = 'custom_components/hm_gateway'

/** The first day that a ZIP can name: the same content makes the same file. */
const ZIP_DATE = 0x21
const UTF8_NAMES = 0x0800

interface Packed {
  readonly name: Buffer
  readonly content: Buffer
  readonly offset: number
}

/** Where whoever hands it on has the documentation and takes issues: this project has no public address that it could name. */
interface Addresses {
  readonly documentation: string
  readonly issue_tracker: string
}

/** Prints the ZIP; beside it is `built`, the integration as it is delivered, with its tests. */
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
  if (addresses !== null) name(join(component, 'manifest.json'), addresses)
  writeFileSync(zip, zipOf(component))
  console.log(zip)
}

/** Writes the addresses into a manifest, whose keys Home Assistant wants in this order: domain, name, all others by the alphabet. */
function name(manifest: string, addresses: Addresses): void {
  const { domain, name, ...others } = {
    ...(JSON.parse(readFileSync(manifest, 'utf8')) as object),
    ...addresses,
  } as Record<string, unknown>
  const sorted = Object.entries(others).sort(([left], [right]) => (left < right ? -1 : 1))
  writeFileSync(manifest, `${JSON.stringify({ domain, name, ...Object.fromEntries(sorted) }, null, 2)}\n`)
}

/** What the command line says; null for the addresses where it names no repository. */
function asked(): { readonly to: string; readonly addresses: Addresses | null } {
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

/** @throws an Error for what is no address of the web. */
function addressIn(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${text} is no address: give one like https://example.org/owner/name.`)
  return text.replace(/\/+$/, '')
}

const isSource = (path: string): boolean => !/__pycache__|\.pyc$|_cache$/.test(path)

/** The files of a folder in a ZIP, stored as they are: they are few and small. */
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
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .sort()

/** What stands of a file before it and in the directory alike: version 2.0, stored. */
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
  const { to, addresses } = asked()
  build(to, addresses)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
