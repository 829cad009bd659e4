/** The second step of signing in, and the dialog that asks again before something sensitive. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { createConsoleWorld, namesBesidePasswords } from '../../test/browser.ts'
import { addProvider, enrol, forgetSteps, mailedCode } from '../../test/sign-in.ts'
import { until } from '../../test/smtp.ts'
import { type Person, password } from '../../test/world.ts'

const world = await createConsoleWorld()

const now = () => Math.floor(Date.now() / 30_000)

async function typePassword(page: Page, { email }: Person): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  assert.deepEqual(await namesBesidePasswords(page), [email], 'for password managers')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const firstDigit = (page: Page) => page.getByRole('textbox', { name: 'Digit 1 of 6' }).and(page.locator(':focus'))

/** Types a code as a person does: into the first field, from where the focus moves by itself. */
async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code)
}

/** Runs in the browser: "Copied" is shown until the end, and not for two seconds. */
const copiedStays = `{
  const { setTimeout } = globalThis
  globalThis.setTimeout = (act, delay, ...rest) => delay === 2000 ? 0 : setTimeout(act, delay, ...rest)
}`

/** Runs in the browser, as another tab with the same session does. */
const removeFirstFactor = `(async () => {
  const path = '/api/users/me/factors'
  const { data: [{ id }] } = await (await fetch(path)).json()
  return (await fetch(path + '/' + id, { method: 'DELETE' })).status
})()`

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()

/** A tab of somebody who has signed in by password and authenticator app. */
async function signInByBoth(t: TestContext) {
  const { person: ann, code } = await enrol(world)
  const tab = await world.tab(t)
  await tab.open('/sign-in')
  await typePassword(tab.page, ann)
  await typeCode(tab.page, code())
  await signedIn(tab.page)
  return { ...tab, ann, code }
}

/** The last sign-in of all sessions of a person was long ago. */
async function letTimePass({ id }: Person): Promise<void> {
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [id],
  )
}

test('somebody adds an authenticator app, and is asked for its code from then on', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me')
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  await check()
  const secret = (await dialog.getByRole('code').textContent()) ?? ''
  assert.deepEqual(await dialog.getByRole('code').locator('span').allTextContents(), secret.match(/.{4}/g))
  await firstDigit(page).waitFor()
  await page.keyboard.type('000000')
  await dialog.getByText('That code isn’t right').first().waitFor()
  await firstDigit(page).waitFor() // and the refused code is away
  const first = codeAt(secret, now())
  await typeCode(page, first)
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  const shown = async () => ((await codes.locator('pre').textContent()) ?? '').split('\n')
  assert.equal((await shown()).length, 10)
  await codes.getByText('Authenticator app added.').waitFor() // a message would be gone when it is looked for
  await page.keyboard.press('Escape') // does not lose them
  await page.evaluate(() => history.back()) // nor does this
  const question = page.getByRole('dialog', { name: 'Leave without the recovery codes?' })
  await question.getByRole('button', { name: 'Leave without them' }).waitFor()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal((await shown()).length, 10)
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))')
  await codes.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('alert').getByText('Not copied').waitFor()
  assert.equal(await page.evaluate('getSelection().toString()'), (await shown()).join('\n'))
  await page.evaluate('navigator.clipboard.writeText = () => Promise.resolve()')
  await page.evaluate(copiedStays)
  await codes.getByRole('button', { name: 'Copy' }).click()
  await codes.getByRole('status').getByText('Copied').waitFor()
  await check()
  await codes.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByText('10 recovery codes left.').waitFor()
  await page.getByRole('button', { name: 'Replace your recovery codes' }).click()
  await page.getByRole('button', { name: 'Get new codes' }).click()
  await page.getByRole('dialog', { name: 'Replace your recovery codes?' }).waitFor({ state: 'detached' })
  await codes.locator(':focus').waitFor() // and not behind the dialog
  const saved = await shown()
  await codes.getByRole('button', { name: 'I’ve saved them' }).click()
  await codes.waitFor({ state: 'detached' })
  await check()

  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await typePassword(page, ann)
  await page.getByText('Enter the code from your authenticator app.').waitFor()
  await page.getByText('ask an admin of Guildhall to reset your second factor').waitFor()
  await check()
  await page.getByRole('button', { name: 'Sign in as someone else' }).click()
  await page.getByLabel('Email').and(page.locator(':focus[value=""]')).waitFor()
  assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
  await typePassword(page, ann)
  await typeCode(page, '000000')
  await page.getByRole('alert').getByText('That code isn’t right.', { exact: true }).waitFor()
  await firstDigit(page).waitFor() // the focus is in the first field again
  await page.keyboard.type(first)
  await page.getByText('You’ve used that code already. Wait for the next one.').waitFor()
  await firstDigit(page).waitFor()
  await forgetSteps(world)
  await page.keyboard.type(codeAt(secret, now()))
  await signedIn(page)

  // The phone is lost.
  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await typePassword(page, ann)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  const field = page.getByLabel('Recovery code')
  await field.fill('no such code')
  await page.getByRole('button', { name: 'Continue' }).click()
  await field.and(page.locator('[aria-invalid=true]')).waitFor()
  await check()
  await field.fill(saved[0] ?? '')
  await page.getByRole('button', { name: 'Continue' }).click()
  await signedIn(page)
  await open('/me/security')
  await page.getByText('9 recovery codes left.').waitFor()
})

/** A tab that asks somebody for the code of their app. It notes what it sends. */
async function atSecondStep(t: TestContext) {
  const { person, code } = await enrol(world)
  const tab = await world.tab(t)
  const { page, open } = tab
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/sign-in/continue')) sent.push(JSON.parse(request.postData() ?? '').totp)
  })
  await open('/sign-in')
  await typePassword(page, person)
  const empty = firstDigit(page).and(page.locator('[value=""]'))
  await empty.waitFor()
  return { ...tab, code, sent, empty }
}

test('after a code was refused, one that is pasted or filled in is sent, and once', async (t) => {
  const { page, context, paste, code, sent, empty } = await atSecondStep(t)
  await paste('000000')
  await page.getByText('That code isn’t right.', { exact: true }).waitFor()
  await empty.waitFor()
  const refused = page.waitForResponse('**/api/auth/sign-in/continue')
  await firstDigit(page).fill('000001') // as by the browser
  await refused
  await empty.waitFor()
  const right = code()
  await context.setOffline(true)
  await paste(right)
  await page.getByText('You’re offline').waitFor()
  await context.setOffline(false)
  await empty.waitFor()
  await paste(right)
  await page.keyboard.type('7') // a digit too many
  await signedIn(page)
  assert.deepEqual(sent, ['000000', '000001', right, right])
})

test('digits of a code may be those of any script, and a pasted code may have separators', async (t) => {
  const { page, paste, code, sent, empty } = await atSecondStep(t)
  await paste('\u200f٠٠٠-٠٠١')
  await page.getByText('That code isn’t right.', { exact: true }).waitFor()
  await empty.waitFor()
  await paste('no code')
  await paste('००')
  await page.getByRole('textbox', { name: 'Digit 3 of 6' }).and(page.locator(':focus')).waitFor()
  const refused = page.waitForResponse('**/api/auth/sign-in/continue')
  await page.keyboard.type('۰۰۰۲')
  await refused
  await empty.waitFor()
  const right = code()
  await paste(`${right.slice(0, 3)} ${right.slice(3)}`)
  await signedIn(page)
  assert.deepEqual(sent, ['000001', '000002', right])
})

test('somebody who has used the last recovery code makes new ones', async (t) => {
  const { ann, page, open, check } = await signInByBoth(t)
  await world.postgres.query('delete from recovery_codes where user_id = $1', [ann.id]) // as if they were used
  await open('/me/security')
  await page.getByText('No recovery codes left.').waitFor()
  await check()
  await page.getByRole('button', { name: 'Add recovery codes' }).click()
  await page.getByRole('dialog', { name: 'Add recovery codes?' }).getByRole('button', { name: 'Get new codes' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await codes.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByText('10 recovery codes left.').waitFor()
})

test('the dialogs of new recovery codes close once they are saved, while the page reads what has changed', async (t) => {
  const released = Promise.withResolvers<void>()
  t.after(() => released.resolve())
  const { page, open } = await signInByBoth(t)
  await open('/me/security')
  await page.getByRole('button', { name: 'Replace your recovery codes' }).click()
  await page.route('**/api/users/me/factors', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Get new codes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'I’ve saved them' }).click()
  await page.waitForFunction(() => document.querySelector('[role=dialog]') === null)
})

test('somebody whose second factor was removed in another tab gets no recovery codes, and reads why', async (t) => {
  const { page, open, check } = await signInByBoth(t)
  await open('/me/security')
  const replace = page.getByRole('button', { name: 'Replace your recovery codes' })
  await replace.click()
  await page.getByRole('button', { name: 'Get new codes' }).waitFor()
  assert.equal(await page.evaluate(removeFirstFactor), 200)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Get new codes' }).click()
  await dialog.getByRole('alert').getByText('Add an authenticator app first.').waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await replace.waitFor({ state: 'detached' })
})

test('after too many wrong codes the sign-in begins again', async (t) => {
  const { person: ann, code } = await enrol(world)
  const { page, open, check } = await world.tab(t)
  await open('/sign-in?next=/me/devices')
  await typePassword(page, ann)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  for (let tries = 0; tries < 5; tries++) {
    const answered = page.waitForResponse('**/api/auth/sign-in/continue')
    await page.getByLabel('Recovery code').fill(`0000-0000-0000-0000-0000-000${tries}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    assert.equal((await answered).status(), 403)
  }
  await page.getByLabel('Recovery code').fill('0000-0000-0000-0000-0000-0009')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByText('Start again').waitFor()
  await check()
  await page.getByRole('button', { name: 'Start again' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await typePassword(page, ann)
  await world.postgres.query('update password_attempts set next_at = now() where next_at > now()') // the wait is over
  await typeCode(page, code())
  await page.waitForURL('**/me/devices')
})

test('before something sensitive a dialog asks for the password, which password managers know, and then the page goes on', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await letTimePass(ann)
  await open('/me/security')
  const add = page.getByRole('button', { name: 'Add an authenticator app' })
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })

  await add.click()
  await dialog.getByLabel('Password', { exact: true }).fill('not the password')
  const fields = page.locator('input[type=password][autocomplete]')
  assert.deepEqual(await namesBesidePasswords(page), Array(await fields.count()).fill(ann.email))
  await check()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Password', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('alert').count(), 0, 'closing the dialog is no fault')
  await add.click()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
})

test('the dialog closes when the session ends in another tab, and the page asks to sign in', async (t) => {
  const name = `Login ${Date.now()}`
  await addProvider(world, 'https://login.example.com', { name })
  for (const button of ['Add an authenticator app', `Link ${name}`]) {
    const ann = await world.person('Ann')
    const { page, context, open, check } = await world.tab(t, { person: ann })
    await letTimePass(ann)
    await open('/me/security')
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.getByLabel('Password', { exact: true }).waitFor()

    const other = await context.newPage()
    await other.goto('/me')
    await other.getByRole('button', { name: 'Ann' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: /^Sign in to/ }).waitFor()
    await other.close()

    await page.getByText('You’ve been signed out').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.bringToFront()
    await page.getByLabel('Email').and(page.locator(':focus')).waitFor()
    await check()
    assert.equal(await page.getByText('Not confirmed').count(), 0)
    await typePassword(page, ann)
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  }
})

test('on the page of an invitation, too, the dialog closes when the session ends in another tab', async (t) => {
  const { slug: tenant } = await world.tenant()
  const { ann, dan, path } = await world.organization({ tenant })
  assert.equal((await ann.post(`${path}/invites`, { email: dan.email })).status, 201)
  const { code } = await enrol(world, dan)
  const { page, context, open, openMailed, check } = await world.tab(t, { tenant })
  await open('/sign-in')
  await typePassword(page, dan)
  await typeCode(page, code())
  await signedIn(page)
  await openMailed(dan.email, 'invitation')
  const accept = page.getByRole('button', { name: 'Accept invitation' })
  await accept.waitFor()
  const other = await context.newPage()
  await other.goto(`/t/${tenant}/me`)
  await other.getByRole('button', { name: 'Dan' }).click()
  await world.postgres.query(`update tenants set second_factor = 'required' where slug = $1`, [tenant])
  await world.postgres.query('update sessions set assurance = 1 where user_id = $1', [dan.id])
  await accept.click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByLabel('Password', { exact: true }).waitFor()

  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: /^Sign in to/ }).waitFor()
  await other.close()
  await page.getByRole('button', { name: 'Sign in and join' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await check()
})

test('a session of two factors is asked for both, and forms leave the password out', async (t) => {
  const { ann, code, page, open, check } = await signInByBoth(t)
  await open('/me/devices')
  await page.getByText('With password and authenticator app').first().waitFor()
  await letTimePass(ann)
  await forgetSteps(world)
  await open('/me/delete')
  await page.getByLabel(`Type ${ann.email} to confirm`).fill('somebody@example.com')
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  assert.deepEqual(await namesBesidePasswords(page), [ann.email], 'for password managers')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('Enter the code from your authenticator app.').waitFor()
  await check()
  await typeCode(page, code())
  await page.getByText('This doesn’t match your email address.').waitFor()
  await page.getByLabel(`Type ${ann.email} to confirm`).fill(ann.email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await page.getByRole('heading', { name: 'Your account was deleted' }).waitFor()
})

/** The mailed code that follows another one. */
function codeAfter(first: string, { email }: Person, tenant?: string): Promise<string> {
  return until(async () => {
    const newest = await mailedCode(world, email, tenant)
    return newest === first ? undefined : newest
  }, 'another code')
}

test('somebody without a password confirms with a mailed code, and gets another one if it is lost', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  await letTimePass(ann)
  await open('/me/security')
  const add = page.getByRole('button', { name: 'Add an authenticator app' })
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await add.click()
  await dialog.getByRole('button', { name: 'Send code' }).click()
  await dialog.getByText('No code after a few minutes? Check your spam folder.').waitFor()
  await check()
  const first = await mailedCode(world, ann.email)
  await page.keyboard.type(first.slice(0, 2))
  const again = dialog.getByRole('button', { name: 'Get another code' })
  await again.click()
  await dialog.getByText('Only the code in the newest email works.').waitFor()
  await firstDigit(page).and(page.locator('[value=""]')).waitFor()
  const code = await codeAfter(first, ann)
  await world.postgres.query('delete from attempts where user_id = $1', [ann.id]) // the time is up
  await again.click()
  await dialog.getByRole('button', { name: 'Start again' }).and(page.locator(':focus')).click()
  await dialog.getByRole('button', { name: 'Send code' }).click()
  await typeCode(page, await codeAfter(code, ann))
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
})

test('a mailed code signs in where the tenant allows it', async (t) => {
  const { slug } = await world.tenant()
  await world.postgres.query('update tenants set mail_codes = true where slug = $1', [slug])
  const ann = await world.person('Ann', { tenant: slug })
  const { page, open, check } = await world.tab(t, { tenant: slug })
  await open('/sign-in')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByLabel('Email').fill(ann.email)
  await check()
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('Check your email').waitFor()
  await check()
  const first = await mailedCode(world, ann.email, slug)
  await page.getByRole('button', { name: 'Get another code' }).click()
  assert.equal(await page.getByLabel('Email').inputValue(), ann.email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('Check your email').waitFor()
  await typeCode(page, await codeAfter(first, ann, slug))
  await signedIn(page)
  await open('/me/devices')
  await page.getByRole('listitem').filter({ hasText: 'This device' }).getByText('With emailed code').waitFor()
})

test('somebody signs up without a password where a mailed code signs in', async (t) => {
  const { slug } = await world.tenant()
  await world.postgres.query('update tenants set mail_codes = true where slug = $1', [slug])
  const { page, open, check } = await world.tab(t, { tenant: slug, width: 390 })
  await open('/sign-up')
  await page.getByLabel('Email').fill(`nora-${Date.now()}@example.com`)
  await page.getByLabel('Name').fill('Nora')
  await page.getByRole('button', { name: 'Sign up without a password' }).click()
  await page.getByText('we’ll email you a code').waitFor()
  await check()
  await page.getByRole('button', { name: 'Create account' }).click()
  await signedIn(page)
  await open('/me/security')
  await page.getByRole('button', { name: 'Add password' }).waitFor()
})
