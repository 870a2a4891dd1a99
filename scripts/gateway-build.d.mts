export function buildGateway(options: { readonly root: string; readonly folder: string }): Promise<readonly string[]>
export function buildPrograms(
  root: string,
  programs: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<readonly string[]>
