export const signIn = {
  email: 'Email',
  password: 'Password',
  newPassword: 'New password',
  name: 'Name',
  nameHint: 'Optional. How others see you.',
  signIn: {
    title: 'Sign in to {{tenant}}',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    noAccount: 'No account yet?',
    signUp: 'Sign up',
  },
} as const
