/** What a page shows, as far as tests look: its text, its forms, and what it asks for by itself. */
export interface Shown {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** Its heading. */
  readonly title: string
  /** Its words, without markup. */
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

/** Stands for a person's browser at one origin: keeps cookies, follows redirects, fills in forms, obeys refreshes. */
export class Browser {
  readonly origin: string
  readonly #fetch: typeof fetch
  readonly #agent: string
  readonly #cookies = new Map<string, Cookie>()
  /** Where the last redirect led that left the origin: an agent's platform. */
  left: URL | null = null

  /** @param agent the `User-Agent` header. */
  constructor(origin: string, trusting: typeof fetch, agent = '') {
    this.origin = origin
    this.#fetch = trusting
    this.#agent = agent
  }

  /** The cookie of this name, or of this name with the port of the origin. */
  cookie(name: string): string | null {
    const found = this.#cookies.get(name) ?? this.#cookies.get(`${name}-${new URL(this.origin).port}`)
    return found?.value ?? null
  }

  /** Opens an address, and goes wherever its redirects lead within the origin. */
  async open(address: string | URL, init: RequestInit = {}): Promise<Shown> {
    this.left = null
    let url = new URL(address, this.origin)
    let next: RequestInit = init
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.#send(url, next)
      const location = response.headers.get('location')
      if (location === null) return shown(url, response.status, response.headers, await response.text())
      await response.text()
      url = new URL(location, url)
      next = init.signal ? { signal: init.signal } : {}
      if (url.origin !== this.origin) {
        this.left = url
        return shown(url, response.status, response.headers, '')
      }
    }
    throw new Error(`It goes in circles at ${url.href}.`)
  }

  /** Sends the form of a page that has this button, as a browser does: hidden fields, those given, the button's own. */
  submit(page: Shown, button: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
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

  /** Opens what the page asks for by itself, without its delay. */
  refresh(page: Shown, init: RequestInit = {}): Promise<Shown> {
    const url = refreshOf(page)
    if (url === null) throw new Error(`"${page.title}" asks for nothing.`)
    return this.open(url, init)
  }

  /** Goes on from a page as it asks by itself, until the browser leaves or a page asks for nothing. */
  async wait(page: Shown): Promise<Shown> {
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
      attributes.find((each) => each.toLowerCase().startsWith(`${of}=`))?.slice(of.length + 1)
    const isOver = attribute('max-age') === '0' || attribute('expires')?.includes('1970') === true
    if (isOver) this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path: attribute('path') ?? '/' })
  }
}

function shown(url: URL, status: number, headers: Headers, text: string): Shown {
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

const refreshOf = ({ html }: Shown): string | null => {
  const url = /http-equiv="refresh" content="\d+;\s*url=([^"]*)"/.exec(html)?.[1]
  return url === undefined ? null : plain(url)
}

const buttonOf = (inside: string, label: string): string | undefined =>
  [...inside.matchAll(/<button[^>]*>(.*?)<\/button>/gs)].find(([, text = '']) => plain(text).trim() === label)?.[0]

/** Hidden fields, what is filled in, and the choice that is made. */
function inputsOf(inside: string): [string, string][] {
  return [...inside.matchAll(/<input\s([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const of = (name: string): string => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    return of('type') === 'radio' && !/\bchecked\b/.test(attributes) ? [] : [[of('name'), of('value')]]
  })
}
