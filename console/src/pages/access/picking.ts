import { allOf, type Mark, type Pickable, type PickNode, type Picks } from './pickable.ts'

/** How a node stands while these are picked. */
export function markOf(node: PickNode, picks: Picks, home: Pickable): Mark {
  const beneath = [...allOf(node.children)]
  const isAll = beneath.every(({ word }) => isShown(word, picks, home))
  if (node.kind === 'heading') {
    if (isAll) return 'on'
  } else if (isShown(node.word, picks, home) && (isAll || node.kind !== 'module')) return 'on'
  return beneath.some(({ word }) => isShown(word, picks, home)) ? 'mixed' : 'off'
}

/**
 * The picks after a node was ticked or unticked. What is ticked comes as a whole, with what is added to it later. Where
 * something goes that came with something larger, the larger is taken apart: its other parts stay, each by itself.
 */
export function toggled(node: PickNode, picks: Picks, home: Pickable): Picks {
  const isOn = markOf(node, picks, home) === 'on'
  if (node.kind !== 'heading') return isOn ? without(node, picks, home) : withAll(node, picks, home)
  let next = picks
  for (const child of node.children) next = isOn ? without(child, next, home) : withAll(child, next, home)
  return next
}

/** Whose pick brings a thing that lies elsewhere in the tree: a gang in another room than its module. */
export function broughtBy(node: PickNode, parents: readonly string[], picks: Picks, home: Pickable): string | null {
  const from = home.within.get(node.word)?.find((word) => picks.has(word))
  if (from === undefined || from === node.word || parents.includes(from)) return null
  return home.names.get(from) ?? null
}

/** Picks of what is not in the home now; they hold again should it come back. */
export const goneOf = (picks: Picks, home: Pickable): readonly string[] =>
  [...picks].filter((word) => !home.within.has(word))

const isShown = (word: string, picks: Picks, home: Pickable): boolean =>
  home.within.get(word)?.some((each) => picks.has(each)) ?? false

const brings = (pick: string, word: string, home: Pickable): boolean => home.within.get(word)?.includes(pick) ?? false

/** What comes with it is no pick of its own any more. */
function withAll({ word }: PickNode, picks: Picks, home: Pickable): Picks {
  return new Set([...[...picks].filter((pick) => !brings(word, pick, home)), word])
}

function without(node: PickNode, picks: Picks, home: Pickable): Picks {
  const going = new Set([...allOf([node])].map(({ word }) => word))
  const kept = new Set<string>()
  const waiting = [...picks].filter((pick) => !going.has(pick))
  for (const pick of waiting) {
    const isWhole = ![...going].some((word) => brings(pick, word, home))
    if (isWhole) kept.add(pick)
    else waiting.push(...(home.parts.get(pick) ?? []).filter((part) => !going.has(part)))
  }
  return kept
}
