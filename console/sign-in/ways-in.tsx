/** All ways to sign in: a password, or one of the others. */
import { useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { useTenant } from '../tenants/tenant.ts'
import { OtherWays } from './other-ways.tsx'
import { hasPasskeys } from './passkeys.ts'
import { SignInForm, type SignInFormProps } from './sign-in-form.tsx'

interface WaysInProps<Result> extends SignInFormProps<Result> {
  readonly invitationToken?: string
}

export function WaysIn<Result>({ invitationToken, onStep, ...form }: WaysInProps<Result>) {
  const { passkeyDomain } = useTenant().signIn
  const [isStep, setIsStep] = useState(false)
  const [isOtherWay, setIsOtherWay] = useState(false)
  const { next, isFixed, then, onDone } = form
  const [email, setEmail] = useState(form.email)
  return (
    <div>
      {!isOtherWay && (
        <SignInForm
          {...form}
          email={email}
          onEmail={setEmail}
          takesPasskeys={isFixed !== true && hasPasskeys(passkeyDomain)}
          onStep={(open) => {
            setIsStep(open)
            onStep?.(open)
          }}
        />
      )}
      {!isStep && (
        <OtherWays
          next={next}
          invitationToken={invitationToken}
          email={email}
          onEmail={setEmail}
          isFixed={isFixed}
          onDone={async (user: Schemas['User']) => onDone(await then(user))}
          onStep={setIsOtherWay}
        />
      )}
    </div>
  )
}
