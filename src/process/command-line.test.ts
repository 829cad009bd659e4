/** Command lines that are refused before anything is opened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../platform/settings/config.ts'
import {
  accessCommand,
  adminCommand,
  exportCommand,
  importCommand,
  keyCommand,
  tenantCommand,
  userCommand,
} from './commands.ts'

test('a wrong command line is refused with what is wrong with it', async () => {
  const config = readConfig({ GUILDHALL_DATA: '/dev/null/none' })
  for (const [command, args, message] of [
    [tenantCommand, [], /list, create, update, rotate-keys or delete/],
    [tenantCommand, ['dance'], /list, create, update, rotate-keys or delete/],
    [tenantCommand, ['list', 'extra'], /"tenant list" does not take: extra/],
    [tenantCommand, ['list', '--loud'], /Unknown option '--loud'\.$/],
    [tenantCommand, ['list', '--name', 'X'], /"tenant list" has no option --name/],
    [tenantCommand, ['create'], /"tenant create" needs the slug of a tenant/],
    [tenantCommand, ['create', 'xyz'], /needs a --name/],
    [tenantCommand, ['create', 'xyz', 'zyx', '--name', 'X'], /"tenant create" does not take: zyx/],
    [tenantCommand, ['create', 'xyz', '--name', 'X', '--yes'], /"tenant create" has no option --yes/],
    [tenantCommand, ['create', 'xyz', '--name', 'X', '--slug', 'zyx'], /"tenant create" has no option --slug/],
    [tenantCommand, ['update', 'xyz'], /"tenant update" needs at least one of --slug, --name/],
    [tenantCommand, ['update', 'xyz', '--force'], /--force needs one of --domain, --sign-in-domain, --passkey-domain/],
    [tenantCommand, ['update', 'xyz', '--name', 'X', '--force'], /--force needs one of --domain/],
    [tenantCommand, ['update', 'xyz', '--name', 'X', '--yes'], /"tenant update" has no option --yes/],
    [tenantCommand, ['delete', 'xyz', '--name', 'X', '--yes'], /"tenant delete" has no option --name/],
    [tenantCommand, ['delete', 'xyz', '--now'], /"tenant delete" has no option --now/],
    [tenantCommand, ['rotate-keys', '--now'], /"tenant rotate-keys" needs the slug of a tenant/],
    [adminCommand, [], /create/],
    [adminCommand, ['create'], /needs an --email/],
    [adminCommand, ['create', '--email'], /argument missing/],
    [adminCommand, ['create', 'ann', '--email', 'ann@example.com'], /"admin create" does not take: ann/],
    [accessCommand, [], /"access" needs an action: export, apply or types\./],
    [accessCommand, ['export', 'file.json'], /"access export" does not take: file\.json/],
    [accessCommand, ['export', '--dry-run'], /"access export" has no option --dry-run/],
    [accessCommand, ['apply'], /"access apply" needs a file/],
    [accessCommand, ['types'], /"access types" needs a file, or the slug of a tenant/],
    [accessCommand, ['types', 'access.json', '--tenant', 'x'], /"access types" has no option --tenant/],
    [keyCommand, [], /"key" needs an action: create, list or revoke\./],
    [keyCommand, ['list', 'key_1'], /"key list" does not take: key_1/],
    [keyCommand, ['list', '--name', 'X'], /"key list" has no option --name/],
    [keyCommand, ['revoke'], /"key revoke" needs the id of a key/],
    [keyCommand, ['create', '--name', 'X'], /A new key needs a --name and --scopes/],
    [
      keyCommand,
      ['create', '--name', 'X', '--scopes', 'users:read', '--expires-in-days', '1.5'],
      /needs a number of days/,
    ],
    [importCommand, [], /"import" needs at least one file: --users, /],
    [importCommand, ['--identities', 'identities'], /"identities" must end in \.csv/],
    [importCommand, ['--users', 'users.txt'], /"users\.txt" must end in \.csv/],
    [importCommand, ['--organizations', 'o.csv'], /--organizations needs --memberships/],
    [exportCommand, ['--users', 'a.csv', '--organizations', './a.csv'], /Two options name the same file/],
    [exportCommand, ['--identities', 'a.csv', '--applications', 'a.csv'], /Two options name the same file/],
    [exportCommand, ['--memberships', 'm.csv', '--with-password-hashes'], /--with-password-hashes needs --users/],
    [exportCommand, ['--users', 'u.csv', '--dry-run'], /Unknown option '--dry-run'/],
    [userCommand, ['reset-factors', 'root'], /"root" is not an email address\./],
    [userCommand, [], /"user" needs the action reset-factors\./],
  ] as const) {
    await assert.rejects(command(config, args), { name: 'UsageError', message })
  }
})
