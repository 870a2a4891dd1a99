import type { PickNode } from './pickable.ts'

/** A row of the tree that can be seen. */
export interface Row {
  readonly node: PickNode
  /** From 1. */
  readonly level: number
  /** Words of the rows that it lies beneath. */
  readonly parents: readonly string[]
  /** Its place among its siblings, from 1, and how many they are. */
  readonly place: number
  readonly siblings: number
  readonly isOpen: boolean
}

/** The rows that can be seen while these nodes are open, from top to bottom. */
export function rowsOf(
  nodes: readonly PickNode[],
  open: ReadonlySet<string>,
  parents: readonly string[] = [],
): readonly Row[] {
  return nodes.flatMap((node, index) => {
    const isOpen = node.children.length > 0 && open.has(node.word)
    const row = { node, level: parents.length + 1, parents, place: index + 1, siblings: nodes.length, isOpen }
    return isOpen ? [row, ...rowsOf(node.children, open, [...parents, node.word])] : [row]
  })
}
