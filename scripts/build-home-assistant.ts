// `npm run build:home-assistant`: Home Assistant's integration with the Python client inside, as one file to unpack or to hand to HACS. The client is no
// package of a registry, so a requirement of the manifest could not be met: what is delivered has it beside its own modules.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'integrations/home-assistant')
const CLIENT = join(ROOT, 'clients/python')
const FOLDER = join(ROOT, '.generated/home-assistant')

/** Where the integration stands as it is delivered, with its tests beside it. */
const BUILT = join(FOLDER, 'built')
const ZIP = join(FOLDER, 'hm_gateway.zip')

/** The first day that a ZIP can name: the same content makes the same file. */
const ZIP_DATE = 0x21
const UTF8_NAMES = 0x0800

interface Packed {
  readonly name: Buffer
  readonly content: Buffer
  readonly offset: number
}

function build(): void {
  rmSync(BUILT, { recursive: true, force: true })
  mkdirSync(BUILT, { recursive: true })
  cpSync(SOURCE, BUILT, { recursive: true, filter: isSource })
  const component = join(BUILT, 'custom_components/hm_gateway')
  cpSync(join(CLIENT, 'src/hm_gateway_client'), join(component, 'hm_gateway_client'), {
    recursive: true,
    filter: isSource,
  })
  cpSync(join(CLIENT, 'LICENSE'), join(component, 'LICENSE'))
  writeFileSync(ZIP, zipOf(component))
  console.log(ZIP)
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

build()
