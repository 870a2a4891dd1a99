import type { DeviceKey } from '../../model/device.ts'
import type { Scene } from '../../model/house.ts'
import type { SceneStep } from '../../model/steps.ts'

/** A scene as an integration sees it: without hidden devices and their steps. */
export interface SceneView {
  readonly steps: readonly SceneStep[]
  /** Device keys in the order of their first step. */
  readonly members: readonly DeviceKey[]
  readonly hiddenMembers: number
}

/** The steps of a scene that an integration may see (docs/automations.md#scenes). Waits are always visible. */
export function viewScene(scene: Pick<Scene, 'steps'>, isVisible: (device: DeviceKey) => boolean): SceneView {
  const members = [...new Set(scene.steps.flatMap((step) => ('device' in step ? [step.device] : [])))]
  const visible = members.filter((device) => isVisible(device))
  return {
    steps: scene.steps.filter((step) => !('device' in step) || isVisible(step.device)),
    members: visible,
    hiddenMembers: members.length - visible.length,
  }
}

/**
 * Replaces the visible steps among the stored ones (docs/automations.md#scenes). Hidden steps stay in place, in their
 * order. Visible steps that remain keep their place among the hidden ones. New steps between two of them take the
 * places of removed steps. Steps added at the end come last.
 */
export function mergeVisibleSteps(
  stored: readonly SceneStep[],
  visibleNew: readonly SceneStep[],
  isVisible: (step: SceneStep) => boolean,
): readonly SceneStep[] {
  const before = stored.filter((step) => isVisible(step))
  const places: SceneStep[][] = before.map(() => [])
  const end = { old: before.length, new: visibleNew.length }
  const last: SceneStep[] = []
  let from = { old: 0, new: 0 }
  for (const common of [...commonSteps(before, visibleNew), end]) {
    const added = visibleNew.slice(from.new, common.new)
    for (let place = from.old; place < common.old; place += 1) places[place]?.push(...added.splice(0, 1))
    // If there are more new steps than places between two common ones, they come just before the second.
    const next = visibleNew.slice(common.new, common.new + 1)
    const target = places[common.old] ?? last
    target.push(...added, ...next)
    from = { old: common.old + 1, new: common.new + 1 }
  }
  let place = 0
  return [...stored.flatMap((step) => (isVisible(step) ? (places[place++] ?? []) : [step])), ...last]
}

interface Pair {
  readonly old: number
  readonly new: number
}

/** The longest common subsequence of two lists of steps, as pairs of positions. */
function commonSteps(before: readonly SceneStep[], after: readonly SceneStep[]): readonly Pair[] {
  const a = before.map((step) => JSON.stringify(step))
  const b = after.map((step) => JSON.stringify(step))
  // lengths[i][j]: number of common steps of a[i..] and b[j..].
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i]?.fill(
        a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1)),
        j,
        j + 1,
      )
    }
  }
  const pairs: Pair[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push({ old: i++, new: j++ })
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}
