/** Contents of a page that tests check: text, forms and automatic refresh. */
export interface PageSnapshot {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** Heading of the page. */
  readonly title: string
  /** Text without markup. */
  readonly text: string
}

interface Cookie {
  readonly value: string
  readonly path: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const plain = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!)

/** A fake browser at one origin: keeps cookies, follows redirects, fills in forms, obeys refreshes. */
export class Browser {
  readonly origin: string
  readonly #fetch: typeof fetch
  readonly #agent: string
  readonly #cookies = new Map<string, Cookie>()
  /** Last redirect away from the origin, to an agent's platform. */
  left: URL | null = null

  /** @param agent the `User-Agent` header. */
  constructor(origin: string, trusting: typeof fetch, agent = '') {
    this.origin = origin
    this.#fetch = trusting
    this.#agent = agent
  }

  /** Value of the cookie with this name, with or without the port of the origin. */
  cookie(name: string): string | null {
    const found = this.#cookies.get(name) ?? this.#cookies.get(`${name}-${new URL(this.origin).port}`)
    return found?.value ?? null
  }

  /** Opens an address and follows redirects within the origin. */
  async open(address: string | URL, init: RequestInit = {}): Promise<PageSnapshot> {
    this.left = null
    let url = new URL(address, this.origin)
    let next: RequestInit = init
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.#send(url, next)
      const location = response.headers.get('location')
      if (location === null) return pageOf(url, response.status, response.headers, await response.text())
      await response.text()
      url = new URL(location, url)
      next = init.signal ? { signal: init.signal } : {}
      if (url.origin !== this.origin) {
        this.left = url
        return pageOf(url, response.status, response.headers, '')
      }
    }
    throw new Error(`It goes in circles at ${url.href}.`)
  }

  /** Submits the form with this button: hidden fields, the given fields and the button's own. */
  submit(page: PageSnapshot, button: string, fields: Readonly<Record<string, string>> = {}): Promise<PageSnapshot> {
    const form = [...page.html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].find(([, , inside = '']) =>
      buttonOf(inside, button),
    )
    if (form === undefined) throw new Error(`There is no button "${button}" on "${page.title}".`)
    const [, action = '', inside = ''] = form
    const body = new URLSearchParams(inputsOf(inside))
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const own = /name="([^"]*)" value="([^"]*)"/.exec(buttonOf(inside, button)!)
    if (own !== null) body.set(own[1]!, own[2]!)
    return this.open(plain(action), {
      method: 'POST',
      body,
      headers: { origin: this.origin, 'content-type': 'application/x-www-form-urlencoded' },
    })
  }

  /** Follows the automatic refresh of a page without its delay. */
  refresh(page: PageSnapshot, init: RequestInit = {}): Promise<PageSnapshot> {
    const url = refreshOf(page)
    if (url === null) throw new Error(`"${page.title}" asks for nothing.`)
    return this.open(url, init)
  }

  /** Follows automatic refreshes until the browser leaves the origin or a page has none. */
  async wait(page: PageSnapshot): Promise<PageSnapshot> {
    let now = page
    while (this.left === null && refreshOf(now) !== null) now = await this.refresh(now)
    return now
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const cookies = [...this.#cookies]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path === '/' ? '/' : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
    const headers = new Headers(init.headers)
    headers.set('accept', 'text/html,application/xhtml+xml')
    if (this.#agent !== '') headers.set('user-agent', this.#agent)
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const response = await this.#fetch(url, { ...init, headers })
    for (const set of response.headers.getSetCookie()) this.#keep(set)
    return response
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split(';').map((part) => part.trim())
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const attribute = (of: string): string | undefined =>
      attributes.find((attribute) => attribute.toLowerCase().startsWith(`${of}=`))?.slice(of.length + 1)
    const isOver = attribute('max-age') === '0' || attribute('expires')?.includes('1970') === true
    if (isOver) this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path: attribute('path') ?? '/' })
  }
}

function pageOf(url: URL, status: number, headers: Headers, text: string): PageSnapshot {
  const main = /<main>(.*)<\/main>/s.exec(text)?.[1] ?? ''
  return {
    url,
    status,
    headers,
    html: text,
    title: plain(/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? ''),
    text: plain(main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).trim(),
  }
}

const refreshOf = ({ html }: PageSnapshot): string | null => {
  const url = /http-equiv="refresh" content="\d+;\s*url=([^"]*)"/.exec(html)?.[1]
  return url === undefined ? null : plain(url)
}

const buttonOf = (inside: string, label: string): string | undefined =>
  [...inside.matchAll(/<button[^>]*>(.*?)<\/button>/gs)].find(([, text = '']) => plain(text).trim() === label)?.[0]

/** Hidden fields, filled fields and selected choices. */
function inputsOf(inside: string): [string, string][] {
  return [...inside.matchAll(/<input\s([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const of = (name: string): string => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    return of('type') === 'radio' && !/\bchecked\b/.test(attributes) ? [] : [[of('name'), of('value')]]
  })
}
