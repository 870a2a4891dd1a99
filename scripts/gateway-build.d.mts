export function buildGateway(options: { readonly root: string; readonly folder: string }): Promise<readonly string[]>
