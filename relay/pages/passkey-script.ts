/**
 * The one script of the relay's pages: it makes and uses passkeys, which a form alone cannot. Buttons with `data-passkey`
 * are hidden until a browser that takes passkeys as JSON has run it.
 */
export const PASSKEY_SCRIPT = `
'use strict'
const ways = {
  make: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  show: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
}
const sentences = {
  NotAllowedError: 'No passkey was used. Try again.',
  AbortError: 'No passkey was used. Try again.',
  InvalidStateError: 'This device has a passkey of this account already.',
  SyntaxError: 'You are signed out. Load this page again.',
  TypeError: 'The relay does not answer right now. Try again.',
}

async function credentialOf({ form, dataset }) {
  const answer = await fetch(dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  const options = await answer.json()
  if (!answer.ok) throw new Error(options.error.message)
  return JSON.stringify(await ways[dataset.passkey](options))
}

/** A form takes a password or, in its place, the proof by a passkey; an empty one asks again. */
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
  for (const each of document.querySelectorAll('[data-unsupported]')) each.hidden = true
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
