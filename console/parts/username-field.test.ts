/** The field that says to password managers whose password is asked for. Tests of the pages show what it contains. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '..')

/** Where what is typed is nobody's password. */
const others: Readonly<Record<string, string>> = {
  'mail/mailbox.tsx': 'the key of the mailbox',
  'parts/password-field.tsx': 'the field itself',
  'providers/creation.tsx': 'the secret of a client at a provider',
  'providers/provider-page.tsx': 'the secret of a client at a provider',
  'sign-in/new-password.tsx': 'the field itself',
}

test('password managers know whose password it is: every form that asks for one has a field for the username', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.tsx') && !/^(?:node_modules|dist)\b/.test(path),
  )
  const texts = files.map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const)
  const asking = texts.filter(([, text]) => /<(?:PasswordField|PasswordInput|NewPassword)\b|type="password"/.test(text))
  const without = asking.filter(
    ([, text]) => !/<UsernameField\b|autoComplete=(?:"username|\{[^}]*'username)/.test(text),
  )
  assert.ok(asking.length > 7)
  assert.deepEqual(without.map(([path]) => path).sort(), Object.keys(others).sort())
})
