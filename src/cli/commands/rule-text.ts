/** Whether a rule runs by itself: on, paused or off. */
export function stateOf({ enabled, paused }: { enabled: boolean; paused?: boolean }): string {
  return enabled ? (paused === true ? 'paused' : 'on') : 'off'
}

/** The first lines of what an object is: name, id, revision, who made it. */
export function head(
  { id, name, revision, createdBy }: { id: string; name: string; revision: number; createdBy: string | null },
  state: string | null,
): string[] {
  return [
    `${name}${state === null ? '' : `  (${state})`}`,
    `  id        ${id}`,
    `  revision  ${revision}`,
    `  made by   ${createdBy ?? 'an administrator'}`,
  ]
}

/** Lines under one heading, which stands before the first. */
export function part(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(8)}  ${line}`)
}
