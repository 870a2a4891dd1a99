export interface NodePackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}
export const NODE_PACKAGES: Readonly<Record<string, NodePackage>>
export function fetchPackage(
  wanted: NodePackage,
  options: { readonly root: string; readonly say: (line: string) => void; readonly what: string },
): Promise<void>
