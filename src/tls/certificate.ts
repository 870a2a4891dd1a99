import { createHash, sign } from 'node:crypto'
import type { KeyObject, X509Certificate } from 'node:crypto'
import type { asn1 } from 'node-forge'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'

/** Contents of a certificate. `issuer` is null for a self-signed one. */
export interface CertificatePlan {
  readonly kind: 'ca' | 'leaf'
  readonly commonName: string
  /** DNS names that a CA may sign for, or DNS names and addresses of a leaf. */
  readonly names: readonly string[]
  readonly publicKey: KeyObject
  /** Epoch milliseconds; the certificate counts in whole seconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** 16 random bytes. */
  readonly serialNumber: Buffer
  readonly issuer: X509Certificate | null
  /** The issuer's private key, EC P-256. */
  readonly signingKey: KeyObject
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const NAME_CONSTRAINTS = '2.5.29.30'
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14'
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35'
const GENERAL_NAME_DNS = 2
const GENERAL_NAME_IP = 7

/** Positions in the signed part of a certificate (RFC 5280). */
const TBS_ALGORITHM = 2
const TBS_ISSUER = 3
const TBS_SUBJECT = 5
const TBS_PUBLIC_KEY = 6

type Forge = typeof import('node-forge')

const load = createRequire(import.meta.url)

/**
 * Builds and signs an X.509 v3 certificate with an EC P-256 key. node-forge does not support EC keys: it gets a
 * placeholder RSA key, which is replaced before Node's own crypto signs. node-forge is loaded only here, because most
 * starts need no new certificate. Runs synchronously, because a handshake may wait for it.
 * @returns the certificate as PEM.
 */
export function buildCertificate(plan: CertificatePlan): string {
  const forge = load('node-forge') as Forge
  const { asn1 } = forge
  const algorithm = sequence(forge, [oid(forge, ECDSA_WITH_SHA256)])
  const unsigned = toBeSigned(forge, plan)
  const parts = children(unsigned)
  parts[TBS_ALGORITHM] = algorithm
  parts[TBS_PUBLIC_KEY] = fromDer(forge, spki(plan.publicKey))
  // The issuer's name byte for byte as in the CA's certificate: some verifiers compare names as bytes.
  if (plan.issuer !== null) parts[TBS_ISSUER] = child(child(fromDer(forge, plan.issuer.raw), 0), TBS_SUBJECT)
  const bytes = Buffer.from(asn1.toDer(unsigned).getBytes(), 'latin1')
  const signature = sign('sha256', bytes, { key: plan.signingKey, dsaEncoding: 'der' })
  const whole = sequence(forge, [
    unsigned,
    algorithm,
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.BITSTRING, false, `\0${signature.toString('latin1')}`),
  ])
  return toPem(Buffer.from(asn1.toDer(whole).getBytes(), 'latin1'))
}

function toBeSigned(forge: Forge, plan: CertificatePlan): asn1.Asn1 {
  const certificate = forge.pki.createCertificate()
  const standIn = forge.jsbn.BigInteger
  certificate.publicKey = forge.pki.setRsaPublicKey(new standIn('3'), new standIn('3'))
  certificate.serialNumber = positive(plan.serialNumber).toString('hex')
  certificate.validity.notBefore = new Date(plan.notBefore)
  certificate.validity.notAfter = new Date(plan.notAfter)
  certificate.setSubject([{ name: 'commonName', value: plan.commonName }])
  certificate.setIssuer([{ name: 'commonName', value: plan.commonName }])
  certificate.setExtensions(plan.kind === 'ca' ? caExtensions(forge, plan) : leafExtensions(forge, plan))
  certificate.siginfo.algorithmOid = ECDSA_WITH_SHA256
  certificate.signatureOid = ECDSA_WITH_SHA256
  certificate.signature = ''
  return child(forge.pki.certificateToAsn1(certificate), 0)
}

/** The CA may sign only leaves, and only this gateway's DNS names, so a stolen key is useless for other names. */
function caExtensions(forge: Forge, plan: CertificatePlan): object[] {
  return [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { id: NAME_CONSTRAINTS, critical: true, value: nameConstraints(forge, plan.names) },
    ...keyIdentifiers(forge, plan),
  ]
}

function leafExtensions(forge: Forge, plan: CertificatePlan): object[] {
  const altNames = plan.names.map((name) =>
    isIP(name) === 0 ? { type: GENERAL_NAME_DNS, value: name } : { type: GENERAL_NAME_IP, ip: name },
  )
  return [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames },
    ...keyIdentifiers(forge, plan),
  ]
}

function keyIdentifiers(forge: Forge, plan: CertificatePlan): object[] {
  const { asn1 } = forge
  const own = keyIdentifier(plan.publicKey)
  const issuer = keyIdentifier(plan.issuer?.publicKey ?? plan.publicKey)
  return [
    {
      id: SUBJECT_KEY_IDENTIFIER,
      value: asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, own.toString('latin1')),
    },
    {
      id: AUTHORITY_KEY_IDENTIFIER,
      value: sequence(forge, [asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, false, issuer.toString('latin1'))]),
    },
  ]
}

/**
 * Permits the DNS names and their subdomains. Addresses are not restricted, because they may change within 20 years.
 */
function nameConstraints(forge: Forge, names: readonly string[]): asn1.Asn1 {
  const { asn1 } = forge
  const subtrees = names.map((name) =>
    sequence(forge, [asn1.create(asn1.Class.CONTEXT_SPECIFIC, GENERAL_NAME_DNS, false, name)]),
  )
  return sequence(forge, [asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, true, subtrees)])
}

/** RFC 7093, method 1: the leftmost 160 bits of the SHA-256 of the public point. */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  const point = spki(publicKey).subarray(-P256_POINT_BYTES)
  return createHash('sha256').update(point).digest().subarray(0, 20)
}

/** An uncompressed point on P-256, the last part of its SubjectPublicKeyInfo. */
const P256_POINT_BYTES = 65

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

/** A serial number is a positive integer of a fixed length: the top bit off, the next one on. */
function positive(bytes: Buffer): Buffer {
  const number = Buffer.from(bytes)
  number[0] = ((number[0] ?? 0) & 0x7f) | 0x40
  return number
}

function sequence(forge: Forge, value: asn1.Asn1[]): asn1.Asn1 {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SEQUENCE, true, value)
}

function oid(forge: Forge, text: string): asn1.Asn1 {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.OID, false, forge.asn1.oidToDer(text).getBytes())
}

function fromDer(forge: Forge, der: Buffer): asn1.Asn1 {
  return forge.asn1.fromDer(forge.util.createBuffer(der.toString('latin1')))
}

function children(node: asn1.Asn1): asn1.Asn1[] {
  if (!Array.isArray(node.value)) throw new Error('an ASN.1 sequence without parts')
  return node.value
}

function child(node: asn1.Asn1, index: number): asn1.Asn1 {
  const found = children(node)[index]
  if (found === undefined) throw new Error(`an ASN.1 sequence without part ${index}`)
  return found
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
