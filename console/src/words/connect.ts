/** Texts of the dialog that connects a program. */
export const words = {
  agentPlatform: 'Claude Code',
  agentNeedsAccess: 'Agent access is off for this integration. Creating this credential turns it on.',
  connectAbout: 'What do you want to connect?',
  connectionCode: 'Connection code',
  connectionCodeAbout: 'Addresses, fingerprint and token in one text. Keep it as secret as the token.',
  codeAbout: 'Store the connection code with your secrets, and pass it in the environment.',
  stored: 'I have stored it',
  fingerprint: 'Fingerprint of the CA',
  storeSecrets: 'Store this now',
  storeSecretsAbout: 'You see this only once. Store it with your secrets.',
  steps: 'Next steps',
  make: 'Create a key',
  makeAgent: 'Create a credential',
  homeAssistantSteps: [
    'Install the Home Control integration in Home Assistant once.',
    'In Home Assistant open Settings, then Devices & services. Choose the discovered gateway, or Add integration and Home Control gateway.',
    'Paste the connection code. The home appears within a minute.',
  ],
  homeAssistantInstall:
    'Run `npm run build:home-assistant` in the gateway’s program folder to create `hm_gateway.zip`. Unpack it into `config/custom_components/hm_gateway` of Home Assistant, and restart Home Assistant.',
  programs: {
    homeAssistant: {
      name: 'Home Assistant',
      about: 'Needs only the connection code. You get it with the steps.',
    },
    claude: {
      name: 'Claude',
      about: 'An agent that uses MCP. You confirm each opening of a lock. These lines are for Claude Code.',
    },
    code: { name: 'Code', about: 'For your own program, with the TypeScript client.' },
    curl: { name: 'curl', about: 'For a shell. The lines check the CA’s fingerprint first.' },
  },
  qr: 'The connection code as a QR code',
  readyLines: 'Ready to paste',
  token: 'Token',
} as const
