/**
 * Registration bodies and metadata documents of real clients, as public sources quote them. `source` names the
 * repository with its file or its issue.
 */

export interface RealClient {
  readonly name: string
  readonly source: string
  readonly body: Readonly<Record<string, unknown>> & { readonly redirect_uris: readonly string[] }
}

const GRANTS = ['authorization_code', 'refresh_token']

export const REGISTRATIONS_OF_CLIENTS: readonly RealClient[] = [
  {
    name: 'Claude (claude.ai)',
    source: 'dremio/dremio-mcp, test of the OAuth metadata proxy; redirect also in anthropics/claude-code#30511',
    body: {
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'none',
      grant_types: GRANTS,
      response_types: ['code'],
      scope: 'claudeai offline_access',
      client_name: 'Claude',
      application_type: 'web',
    },
  },
  {
    name: 'Claude (claude.ai), with a secret',
    source: 'anthropics/claude-ai-mcp#1043',
    body: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  },
  {
    name: 'Claude Code',
    source: 'elmohq/elmo#684, captured from Claude Code 2.1',
    body: {
      client_name: 'Claude Code (home)',
      redirect_uris: ['http://localhost:3118/callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  },
  {
    name: 'Claude Code, the app',
    source: 'RevenueCat/ai-toolkit#58',
    body: {
      client_name: 'Claude Code (home)',
      redirect_uris: ['claude://claude.ai/mcp-auth-callback/sdk'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  },
  {
    name: 'VS Code',
    source: 'microsoft/vscode, src/vs/base/common/oauth.ts and src/vs/base/test/common/oauth.test.ts',
    body: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: [...GRANTS, 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://localhost/',
        'http://127.0.0.1/',
        'http://localhost:33418/',
        'http://127.0.0.1:33418/',
      ],
      scope: '',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  },
  {
    name: 'MCP Inspector',
    source: 'modelcontextprotocol/inspector, client/src/lib/auth.ts',
    body: {
      redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
      token_endpoint_auth_method: 'none',
      grant_types: GRANTS,
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
    },
  },
  {
    name: 'mcp-remote',
    source: 'geelen/mcp-remote, src/lib/node-oauth-client-provider.ts',
    body: {
      redirect_uris: ['http://localhost:35535/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: GRANTS,
      response_types: ['code'],
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.37',
      scope: 'openid email profile',
    },
  },
  {
    name: 'Cursor',
    source: 'erp-mafia/accounted#2225',
    body: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    },
  },
  {
    name: 'Codex',
    source: 'elmohq/elmo#684, captured from Codex 0.147; path as in higgsfield-ai/cli#75',
    body: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:37819/callback/sqXrK_ZgopWE'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  },
  {
    name: 'LibreChat',
    source: 'danny-avila/LibreChat, packages/api/src/mcp/oauth/handler.ts',
    body: {
      client_name: 'LibreChat MCP Client',
      redirect_uris: ['https://chat.example/api/mcp/home/oauth/callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'home',
    },
  },
  {
    name: 'Open WebUI',
    source: 'buildswithpaul/Frappe_Assistant_Core#65',
    body: {
      client_name: 'Open WebUI',
      redirect_uris: ['https://ai.example/oauth/clients/mcp:home/callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  },
]

export const DOCUMENTS_OF_CLIENTS: readonly RealClient[] = [
  {
    name: 'Claude',
    source: 'https://claude.ai/oauth/mcp-oauth-client-metadata, as tests of several servers quote it',
    body: {
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  },
  {
    name: 'Claude Code',
    source: 'https://claude.ai/oauth/claude-code-client-metadata, also in tanainc/tana-desktop-releases#8',
    body: {
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  },
  {
    name: 'ChatGPT',
    source: 'https://chatgpt.com/oauth/client.json, as tests of several servers quote it',
    body: {
      client_id: 'https://chatgpt.com/oauth/client.json',
      client_uri: 'https://chatgpt.com/',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      grant_types: GRANTS,
      response_types: ['code'],
      client_name: 'ChatGPT',
      logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
  },
  {
    name: 'goose',
    source: 'https://goose-docs.ai/oauth/client-metadata.json, of block/goose',
    body: {
      client_id: 'https://goose-docs.ai/oauth/client-metadata.json',
      client_name: 'goose',
      redirect_uris: ['http://127.0.0.1/oauth_callback', 'http://[::1]/oauth_callback'],
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      client_uri: null,
      logo_uri: '',
      contacts: null,
      scope: 'mcp:everything',
    },
  },
]
