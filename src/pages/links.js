/** The pages that links in mails and in the terminal open (pages.ts lists them), also under /t/<slug>/. */
import { isProblem, makeAlert, makeForm, show } from './form.js'
import { ask, make } from './page.js'

const [, tenant, page] = /^(?:\/t\/([^/]+))?\/([a-z-]+)$/.exec(location.pathname) ?? []
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
const cookie = { 'Guildhall-Session': 'cookie' }

const email = { name: 'email', label: 'Email', type: 'email', autocomplete: 'username', required: true }
const name = { name: 'name', label: 'Name (optional)', type: 'text', autocomplete: 'name', maxLength: 100 }
const password = { name: 'password', label: 'Password', type: 'password', required: true }
const oldPassword = { ...password, autocomplete: 'current-password' }
const newPassword = {
  ...password,
  autocomplete: 'new-password',
  hint: 'At least 8 characters. Common ones, and your email address, are refused.',
}

const post = (path, body, headers) => ask('POST', path, { body, headers, tenant })

const pages = {
  'set-up': setUp,
  'verify-email': verifyEmail,
  'forgot-password': forgotPassword,
  'reset-password': resetPassword,
  'undo-email-change': undoEmailChange,
  'end-session': endSession,
  invitation: showInvitation,
}
// The page is the tenant's, as its mails are.
ask('GET', '/tenant', { tenant }).then(
  ({ name }) => document.querySelector('.brand').replaceChildren(name),
  () => {}, // the request that the page is for says what is wrong
)
addEventListener('hashchange', () => location.reload())
if (page === 'forgot-password' || /^gh[mu]_\w{26}(\.\w{26})?\.[\w-]{43}$/.test(token)) pages[page]()
else
  show(
    'This link is not complete',
    'A part of it is missing. Open it again the way you got it, or copy the whole of it.',
  )

function setUp() {
  show(
    'Make the first admin',
    `This account may do everything in ${tenant ? `the tenant ${tenant}` : 'this tenant'}. The link works once.`,
    makeForm([email, newPassword, name], 'Make the account', async (values) => {
      const made = await post('/setup', { token, ...values }, cookie).catch((error) => {
        if (!isProblem(error, 'token_spent')) throw error
      })
      if (!made) return showSpent()
      const { user } = made
      show(
        'You are the admin',
        `The account ${user.email} is made, and you are signed in. A mail asks you to verify the address.`,
        make('p', {}, make('a', { href: '/docs' }, 'To the API reference')),
      )
      forgetToken()
    }),
  )
}

function showSpent() {
  show(
    'This set-up link no longer works',
    'It works once, for 24 hours, and until a newer one is made. If an admin was made already, sign in as that one.',
    make(
      'p',
      {},
      'As long as there is no admin, each start of Guildhall prints a new link in the terminal. The command ',
      make('code', {}, 'guildhall admin create'),
      ' makes an admin without a link.',
    ),
  )
}

function verifyEmail() {
  const verify = async (signedIn) => {
    try {
      const { email: verified } = await post('/auth/verify-email', { token })
      show('Your email address is verified', `${verified} is yours. You can close this page.`)
      forgetToken()
    } catch (error) {
      if (!isProblem(error, 'sign_in_required')) throw error
      show(
        'Sign in to verify your address',
        'The link works for the account that it was made for. Sign in to that one.',
        ...(signedIn ? [make('p', { className: 'error', role: 'alert' }, `It is not the one of ${signedIn}.`)] : []),
        makeForm([email, oldPassword], 'Sign in and verify', async (values) => {
          const { user } = await post('/auth/sign-in', values, cookie)
          await verify(user.email)
        }),
      )
    }
  }
  show(
    'Verify your email address',
    'This shows that the address is yours.',
    makeForm([], 'Verify this address', () => verify()),
  )
}

function forgotPassword() {
  show(
    'Reset your password',
    'A link to choose a new password is mailed to this address, if it has an account here.',
    makeForm([email], 'Mail me a link', async (values) => {
      await post('/auth/forgot-password', values)
      show(
        'Look into your mail',
        `If ${values.email} has an account here, a link is on its way. It works for 30 minutes.`,
      )
    }),
  )
}

function resetPassword() {
  show(
    'Choose a new password',
    'All your devices are signed out then, and you sign in again with it.',
    makeForm([{ ...newPassword, name: 'newPassword', label: 'New password' }], 'Set the password', async (values) => {
      await post('/auth/reset-password', { token, ...values })
      show('Your password is set', 'Sign in with it where you use your account. You can close this page.')
      forgetToken()
    }),
    make(
      'p',
      { className: 'muted' },
      make('a', { href: 'forgot-password' }, 'The link no longer works? Ask for a new one'),
    ),
  )
}

function undoEmailChange() {
  show(
    'Undo the change of your email address',
    'Your account gets this mail’s address back. Every device is signed out, and the password is switched off until you choose a new one.',
    makeForm([], 'Undo the change', async () => {
      await post('/auth/undo-email-change', { token })
      show(
        'The account is yours again',
        'Now choose a new password: whoever changed the address knew the old one.',
        make('p', {}, make('a', { href: 'forgot-password' }, 'Choose a new password')),
      )
      forgetToken()
    }),
  )
}

function endSession() {
  show(
    'Sign that device out',
    'It cannot use your account any more then, until somebody signs in on it again.',
    makeForm([], 'Sign it out', async () => {
      await post('/auth/end-session', { token })
      show(
        'The device is signed out',
        'If it was not you who signed in on it, somebody knows your password: choose a new one.',
        make('p', {}, make('a', { href: 'forgot-password' }, 'Choose a new password')),
      )
      forgetToken()
    }),
  )
}

async function showInvitation() {
  const id = `inv_${token.split('.')[1]}`
  try {
    const invitation = await post(`/invites/${id}/preview`, { token })
    answerInvitation(id, invitation, await findCaller())
  } catch (error) {
    const hint = isProblem(error, 'invitation_used')
      ? 'If it was you who used it, you are a member: go on in the product that you were invited to.'
      : 'If there is a newer mail, use its link. Otherwise ask whoever invited you for a new one.'
    show('This invitation cannot be opened', undefined, makeAlert(error), make('p', { className: 'muted' }, hint))
  }
}

function answerInvitation(id, invitation, caller) {
  const { organization, invitedBy, role, hasAccount } = invitation
  const fixedEmail = { ...email, value: invitation.email, readOnly: true }
  const title = `Join ${organization.name}`
  const words = `${invitedBy?.name ?? 'Somebody'} invites you to ${organization.name} as ${role === 'member' ? 'a' : 'an'} ${role}.`

  const accept = async (user) => {
    if (!user.emailVerified) await post('/auth/verify-email', { token })
    const { member } = await post(`/invites/${id}/accept`)
    show(
      `Welcome to ${organization.name}`,
      `You joined as ${member.role === 'member' ? 'a' : 'an'} ${member.role}, with the account ${user.email}.`,
      make(
        'p',
        {},
        'There is nothing more to do here. Go on in the product that you were invited to, and sign in there with this account.',
      ),
    )
    forgetToken()
  }
  const decline = async () => {
    await post(`/invites/${id}/decline`)
    show('Declined', `You did not join ${organization.name}. You can close this page.`)
    forgetToken()
  }

  if (caller && caller.email === invitation.email) {
    const others = [
      ...(caller.emailVerified ? [makeForm([], 'Decline', decline, 'quiet')] : []),
      makeForm([], 'Use another account', () => leave(), 'quiet'),
    ]
    show(
      title,
      words,
      make('p', { className: 'muted' }, `You are signed in as ${caller.email}.`),
      makeForm([], 'Accept', () => accept(caller)),
      make('div', { className: 'others' }, ...others),
    )
  } else if (caller) {
    const hint = `The invitation went to ${invitation.email}, and you are signed in as ${caller.email}.`
    show(
      title,
      words,
      make('p', {}, hint),
      makeForm([], 'Sign out and go on', () => leave()),
    )
  } else if (hasAccount) {
    const signIn = async (values) => accept((await post('/auth/sign-in', values, cookie)).user)
    show(title, words, makeForm([fixedEmail, oldPassword], 'Sign in and join', signIn))
  } else {
    const signUp = async (values) =>
      accept((await post('/auth/sign-up', { ...values, invitationToken: token }, cookie)).user)
    show(
      title,
      `${words} Choose a password for your new account.`,
      makeForm([fixedEmail, newPassword, name], 'Sign up and join', signUp),
    )
  }

  async function leave() {
    await post('/auth/sign-out')
    answerInvitation(id, invitation, undefined)
  }
}

/** The signed-in user, or undefined; one of another tenant counts as nobody. */
async function findCaller() {
  try {
    return await ask('GET', '/users/me', { tenant })
  } catch (error) {
    if (isProblem(error, 'unauthenticated', 'tenant_mismatch')) return undefined
    throw error
  }
}

/** Takes the token out of the address once it is spent. */
function forgetToken() {
  history.replaceState(null, '', location.pathname)
}
