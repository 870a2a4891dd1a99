import type { GroupItem } from '../../home/ports/unit-bus.ts'

/** One group frame: which of the items asked for it carries. */
export type GroupFrame = readonly { readonly index: number; readonly item: GroupItem }[]

/**
 * Deals items out to as few frames as their order allows: at most `membersMax` in one, and a device that is named again
 * goes to a later frame, so that its commands are carried out in the order asked.
 */
export function groupFrames(
  items: readonly { readonly index: number; readonly item: GroupItem }[],
  membersMax: number,
): GroupFrame[] {
  const frames: { index: number; item: GroupItem }[][] = []
  const lastFrameOf = new Map<string, number>()
  for (const entry of items) {
    const { address, gang } = entry.item.target
    const device = `${address}:${gang}`
    let at = (lastFrameOf.get(device) ?? -1) + 1
    while ((frames[at]?.length ?? 0) >= membersMax) at += 1
    lastFrameOf.set(device, at)
    ;(frames[at] ??= []).push(entry)
  }
  return frames
}
