import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseView } from '../admin/contract/gateway.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { errorCode } from '../lib/files.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The databases with their versions. */
interface Databases {
  readonly core: { readonly tables: ReleaseView['configuration'] }
  readonly history: { readonly file: { readonly tables: ReleaseView['history'] } }
}

/** Response of `GET /admin/v1/about`, from the files of the program and from the databases. */
export function releaseOf({ core, history }: Databases): ReleaseView {
  const changelog = changelogText()
  return {
    version: programVersion(),
    interface: API_VERSION,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    configuration: core.tables,
    history: history.file.tables,
    changes: changelog === null ? null : newestChanges(changelog),
  }
}

/** Version of the program, such as 2.0.0; the interface has its own version. */
export function programVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version
}

function changelogText(): string | null {
  try {
    return readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * First section of a changelog in the format of Keep a Changelog; null without one. Multi-line entries become one line,
 * and parts with the same title are merged.
 */
export function newestChanges(changelog: string): ReleaseView['changes'] {
  const [, section] = changelog.split(/^## /m)
  if (section === undefined) return null
  const [first = '', ...kinds] = section.split(/^### /m)
  const [heading = ''] = first.split('\n')
  const parts = new Map<string, string[]>()
  for (const kind of kinds) {
    const [title = '', ...lines] = kind.split('\n')
    const entries = lines.join('\n').split(/^- /m).slice(1)
    const whole = entries.map((entry) => entry.trim().replaceAll(/\s*\n\s*/g, ' '))
    parts.set(title.trim(), [...(parts.get(title.trim()) ?? []), ...whole])
  }
  return {
    heading: heading.replaceAll(/[[\]]/g, '').trim(),
    parts: [...parts].map(([title, entries]) => ({ title, entries })),
  }
}
