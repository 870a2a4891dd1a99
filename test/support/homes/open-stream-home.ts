import { StreamHome } from './stream-home.ts'

/** A stream home with an integration whose socket is open. */
export async function openStreamHome(...args: Parameters<StreamHome['integration']>) {
  const home = await StreamHome.open()
  const integration = home.integration(...args)
  const token = home.token(integration)
  return {
    home,
    integration,
    token,
    client: await home.connect(token),
    id: (local: string) => home.id(integration, local),
  }
}
