// The releases of Home Assistant that are tried, each in an environment of Python of its own, made once.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetched } from './fetch.ts'
import type { Programs } from './python.ts'

/** A release with its further packages. */
export interface Release {
  readonly version: string
  readonly further: readonly string[]
}

/** Packages that Home Assistant would fetch at its first start. The tests start it without a network. */
const AT_FIRST_START = ['ha-ffmpeg', 'home-assistant-frontend', 'infrared-protocols', 'mutagen', 'pyotp', 'PyQRCode']
const CHECKS = ['mypy==2.4.1', 'ruff==0.17.6']

/** The oldest that is promised: all tests run in it, by the plug-in that is made for this release alone. */
export const OLDEST: Release = {
  version: '2026.10.4',
  further: ['pytest-homeassistant-custom-component==0.13.375', ...CHECKS],
}
/** The newest: it runs as people run it. The plug-in does not load with it. */
export const NEWEST: Release = { version: '2026.11.0', further: [] }

/**
 * The Python of an environment with that release.
 *
 * @throws NotHere where it cannot be had here, an Error where it cannot be made.
 */
export function environmentOf({ version, further }: Release, folder: string, { uv, python }: Programs): string {
  const own = join(folder, version)
  const program = join(own, 'bin/python')
  const made = join(own, 'made-of.txt')
  const wanted = [version, ...further, ...AT_FIRST_START, python].join('\n')
  if (existsSync(made) && readFileSync(made, 'utf8') === wanted) return program
  console.log(`Fetching Home Assistant ${version} (once, about 700 MB) …`)
  rmSync(own, { recursive: true, force: true })
  fetched(uv, ['venv', '--quiet', '--python', python, own])
  // The plug-in names another release of the same day.
  const override = join(mkdtempSync(join(tmpdir(), 'hm-release-')), 'override.txt')
  writeFileSync(override, `homeassistant==${version}\n`)
  const install = ['pip', 'install', '--quiet', '--python', program]
  fetched(uv, [...install, '--override', override, `homeassistant==${version}`, ...further])
  rmSync(join(override, '..'), { recursive: true })
  const within = join(own, 'lib/python3.14/site-packages/homeassistant/package_constraints.txt')
  fetched(uv, [...install, '--constraint', within, ...AT_FIRST_START])
  writeFileSync(made, wanted)
  return program
}
