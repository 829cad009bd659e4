/** The second step of a sign-in: a code, if the account has a second factor. The password's answer is an attempt then, and no session. */
import {
  type GuildhallError,
  isGuildhallError,
  type SignedIn,
  SignInIncomplete,
  type TokenSession,
} from '@guildhall/client'
import { find } from './elements.ts'
import { onSubmit, show } from './refusals.ts'
import { guildhall } from './session.ts'

const signIn = find('sign-in', HTMLFormElement)
const secondStep = find('second-step', HTMLFormElement)

/** Sets what happens when somebody signs in, with or without a second step. */
export function onSignIn(begin: (signedIn: SignedIn<TokenSession>) => Promise<void>): void {
  onSubmit(signIn, async ({ email = '', password = '' }) => {
    const signedIn = await guildhall.auth.signIn({ email, password }).catch((error) => {
      if (!mayContinue(error)) throw error
      prompt(error.attempt.token)
    })
    if (signedIn) await begin(signedIn)
  })

  function prompt(attempt: string): void {
    onSubmit(secondStep, async ({ code = '' }) => {
      const signedIn = await guildhall.auth.continue({ attempt, ...proofOf(code) }).catch((error) => {
        if (!isGuildhallError(error, 'attempt_spent')) throw error
        startAgain(error)
      })
      if (!signedIn) return
      startAgain()
      await begin(signedIn)
    })
    signIn.hidden = true
    secondStep.hidden = false
    find('code', HTMLInputElement).focus()
  }
}

/** Whether a code is accepted. A passkey is not asked for here, because it works only below the tenant's passkey domain. */
function mayContinue(error: unknown): error is SignInIncomplete {
  return (
    error instanceof SignInIncomplete &&
    error.attempt.methods.some((method) => method === 'totp' || method === 'recovery_code')
  )
}

/** An app shows six digits; everything else is a recovery code. */
function proofOf(code: string): { totp: string } | { recoveryCode: string } {
  const written = code.replace(/\s/g, '')
  return /^\d{6}$/.test(written) ? { totp: written } : { recoveryCode: written }
}

/** Shows the first step again. @param reason why the second one could not be completed */
function startAgain(reason?: GuildhallError): void {
  signIn.hidden = false
  secondStep.hidden = true
  if (reason) show(signIn, reason)
}
