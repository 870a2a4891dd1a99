/**
 * The only script of the relay's pages: it creates and uses passkeys, which a form cannot. It shows the buttons with
 * `data-passkey` if the browser supports passkeys as JSON.
 */
export const PASSKEY_SCRIPT = `
'use strict'
const operations = {
  make: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  show: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
}
const sentences = {
  NotAllowedError: 'No passkey was used. Try again.',
  AbortError: 'No passkey was used. Try again.',
  InvalidStateError: 'This device already has a passkey of this account.',
  SyntaxError: 'You are signed out. Load this page again.',
  TypeError: 'The relay does not answer right now. Try again.',
}

async function credentialOf({ form, dataset }) {
  const response = await fetch(dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  const options = await response.json()
  if (!response.ok) throw new Error(options.error.message)
  return JSON.stringify(await operations[dataset.passkey](options))
}

/** Replaces the password of a form by a passkey; an empty proof enables the password again. */
function setProof(form, proof) {
  const button = form.querySelector('[data-field=proof]')
  if (button === null) return
  form.elements.proof.value = proof
  form.elements.current.disabled = proof !== ''
  form.elements.current.placeholder = proof === '' ? '' : 'Not needed'
  button.disabled = proof !== ''
  button.textContent = proof === '' ? button.dataset.label : 'Confirmed by a passkey'
}

async function press(button) {
  const { form, dataset } = button
  const alert = form.querySelector('[data-alert]')
  alert.hidden = true
  if (dataset.passkey === 'make' && !form.reportValidity()) return
  button.disabled = true
  try {
    const credential = await credentialOf(button)
    if (dataset.field === 'proof') return setProof(form, credential)
    form.elements[dataset.field].value = credential
    form.submit()
  } catch (error) {
    setProof(form, '')
    alert.textContent = sentences[error.name] ?? error.message
    alert.hidden = false
  }
  button.disabled = false
}

if (globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  for (const note of document.querySelectorAll('[data-unsupported]')) note.hidden = true
  for (const button of document.querySelectorAll('[data-passkey]')) {
    button.hidden = false
    button.dataset.label = button.textContent.trim()
    button.addEventListener('click', (event) => {
      event.preventDefault()
      press(button)
    })
  }
}
`
