/** A line of a component: its name in capitals, its parameters as the file has them, and its value. */
export interface Line {
  readonly name: string
  readonly parameters: string
  readonly value: string
}

/** A part of an iCalendar file between BEGIN and END (RFC 5545 3.6), without the lines of the parts inside it. */
export interface Component {
  readonly name: string
  readonly lines: Line[]
  readonly parts: Component[]
  /** False if its END is missing. */
  isEnded: boolean
}

/** A scheme in an unquoted parameter, as in `TZID=tzone://Microsoft/Utc`, does not end the parameters. */
const LINE = /^([\w-]+)((?:;(?:"[^"]*"|:\/\/|[^":])*)?):(.*)$/u
/** Parts that never stand inside an event: an open event before one has lost its end. */
const OUTER = new Set(['VEVENT', 'VTIMEZONE', 'VCALENDAR'])

/** The components of a file; lines that have no name and value are skipped. */
export function componentsOf(text: string): readonly Component[] {
  const root = opened('')
  const open = [root]
  for (const line of linesOf(text)) {
    const value = line.value.trim().toUpperCase()
    if (line.name === 'BEGIN') begin(open, value)
    else if (line.name === 'END') end(open, value)
    else open.at(-1)?.lines.push(line)
  }
  return root.parts
}

const opened = (name: string): Component => ({ name, lines: [], parts: [], isEnded: false })

function begin(open: Component[], name: string): void {
  const unended = OUTER.has(name) ? open.findIndex((one) => one.name === 'VEVENT') : -1
  if (unended !== -1) open.splice(unended)
  const component = opened(name)
  open.at(-1)?.parts.push(component)
  open.push(component)
}

function end(open: Component[], name: string): void {
  const index = open.findLastIndex((one) => one.name === name)
  if (index <= 0) return
  for (const component of open.splice(index).slice(0, 1)) component.isEnded = true
}

/** Lines with each folded one in one piece (RFC 5545 3.1), whatever ends them. */
function linesOf(text: string): readonly Line[] {
  const unfolded = text.replace(/^\u{feff}/u, '').replaceAll(/(?:\r\n|\r|\n)[ \t]/gu, '')
  return unfolded.split(/\r\n|\r|\n/u).flatMap((line) => {
    const [, name, parameters = '', value = ''] = LINE.exec(line) ?? []
    return name === undefined ? [] : [{ name: name.toUpperCase(), parameters, value }]
  })
}

export const linesNamed = (component: Component, name: string): readonly Line[] =>
  component.lines.filter((line) => line.name === name)

export const valueOf = (component: Component, name: string): string | null =>
  linesNamed(component, name)[0]?.value.trim() ?? null

/** A parameter of a line, without quotes. */
export function parameterOf({ parameters }: Line, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;${name}=(?:"([^"]*)"|([^;]*))`, 'iu').exec(parameters) ?? []
  return quoted ?? plain ?? null
}

/** A text value without its escapes (RFC 5545 3.3.11). */
export function textOf(value: string): string {
  return value.replaceAll(/\\([\\,;n])/giu, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped))
}
