import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'

const STYLE = readFileSync(new URL('../../console/src/style/base.css', import.meta.url), 'utf8')

/** Pairs of foreground and background: text needs 4.5 to 1, the edge of a control 3 to 1. */
const TEXT = [
  ['text', ['bg', 'surface', 'sunken', 'raised']],
  ['muted', ['bg', 'surface', 'sunken', 'raised']],
  ['accent', ['bg', 'surface', 'sunken', 'raised', 'accent-bg']],
  ['danger', ['bg', 'surface', 'raised', 'danger-bg']],
  ['warn', ['bg', 'surface', 'warn-bg']],
  ['ok', ['bg', 'surface', 'ok-bg']],
  ['lit', ['surface', 'lit-bg']],
  ['text', ['lit-bg', 'danger-bg', 'warn-bg', 'ok-bg', 'accent-bg']],
  ['muted', ['lit-bg']],
  ['on-accent', ['accent']],
  ['on-danger', ['danger']],
] as const
const EDGES = [
  ['line', ['bg', 'surface', 'raised']],
  ['focus', ['bg', 'surface', 'raised']],
] as const

/** Colour of a role in one scheme, as `#rrggbb`. */
function colourOf(role: string, scheme: 'light' | 'dark'): string {
  const [, light = '', dark = ''] = new RegExp(`--${role}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(STYLE) ?? []
  return scheme === 'light' ? light : dark
}

/** Relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test.each(['light', 'dark'] as const)('in the %s scheme text and edges stand out enough', (scheme) => {
  const faint = [
    ...TEXT.flatMap(([role, grounds]) => grounds.map((ground) => ({ role, ground, least: 4.5 }))),
    ...EDGES.flatMap(([role, grounds]) => grounds.map((ground) => ({ role, ground, least: 3 }))),
  ].flatMap(({ role, ground, least }) => {
    const ratio = contrast(colourOf(role, scheme), colourOf(ground, scheme))
    return ratio >= least ? [] : [`${role} on ${ground}: ${ratio.toFixed(2)}`]
  })
  expect(faint).toEqual([])
})
