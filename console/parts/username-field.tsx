/** Whose password a form asks for, in a hidden field: password managers look the password up, or store it, by this name. */

interface UsernameFieldProps {
  /** Undefined if it is not known: then there is no field. */
  readonly email: string | undefined
}

export function UsernameField({ email }: UsernameFieldProps) {
  return email !== undefined && <input type="text" autoComplete="username" value={email} readOnly hidden />
}
