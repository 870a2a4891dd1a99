import { createHash, X509Certificate } from 'node:crypto'
import { Gzipped } from '../lib/gzipped.ts'
import type { ConsoleFile } from './console-files.ts'

/** The CA in the format of each kind of device (docs/console.md#trust); null for an unknown file name. */
export function trustFile(name: string, pem: string, gateway: string): ConsoleFile | null {
  switch (name) {
    case 'ca.pem':
      return fileOf(pem, 'application/x-pem-file')
    case 'ca.crt':
      return fileOf(new X509Certificate(pem).raw, 'application/x-x509-ca-cert')
    case 'hm.mobileconfig':
      return fileOf(mobileConfig(new X509Certificate(pem).raw, gateway), 'application/x-apple-aspen-config')
    default:
      return null
  }
}

const fileOf = (content: Buffer | string, type: string): ConsoleFile => ({
  content: new Gzipped(Buffer.from(content as string)),
  type,
  immutable: false,
})

/** A profile with only the CA, for iOS and macOS. Its ids depend on the CA, so installing it again replaces it. */
function mobileConfig(der: Buffer, gateway: string): string {
  const payloadId = (payload: string): string => uuidOf(Buffer.concat([der, Buffer.from(payload)]))
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadCertificateFileName</key><string>ca.crt</string>
      <key>PayloadContent</key><data>${der.toString('base64')}</data>
      <key>PayloadDisplayName</key><string>CA of hm-${gateway}</string>
      <key>PayloadIdentifier</key><string>hm.${gateway}.ca</string>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadUUID</key><string>${payloadId('ca')}</string>
      <key>PayloadVersion</key><integer>1</integer>
    </dict>
  </array>
  <key>PayloadDescription</key><string>Trusts the gateway hm-${gateway}, and by its name constraints nothing else.</string>
  <key>PayloadDisplayName</key><string>Home gateway hm-${gateway}</string>
  <key>PayloadIdentifier</key><string>hm.${gateway}</string>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadUUID</key><string>${payloadId('profile')}</string>
  <key>PayloadVersion</key><integer>1</integer>
</dict>
</plist>
`
}

/** UUID version 8 computed from the content (RFC 9562 section 5.8). */
function uuidOf(content: Buffer): string {
  const hex = createHash('sha256').update(content).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
