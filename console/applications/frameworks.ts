/** Settings of frameworks and proxies for signing in with this service, to copy. A secret is never in them, but read from where they keep it. */
import type { Application, Kind } from './application.ts'

export interface Settings {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  /** Where people are sent after a sign-out. Absent: settings of an application on a device have no sign-out. */
  readonly postLogoutUri?: string
  /** Its address for ended sessions. Absent: the framework has none. */
  readonly backChannelUri?: string
  readonly scope: string
}

/** Paths are those below the application's own address. */
export interface Framework {
  readonly name: string
  /** Where it receives people who have signed in, where it decides that itself. */
  readonly callback?: string
  /** Where it receives people who have signed out, where it or its settings decide that. */
  readonly signedOut?: string
  /** Its address for ended sessions: a path, or a query of its redirect URI. */
  readonly backChannel?: string
  /** Whether its settings ask every five minutes if the session has ended. */
  readonly asks?: true
  readonly write: (settings: Settings) => string
}

const authJs: Framework = {
  name: 'Auth.js',
  callback: '/api/auth/callback/guildhall',
  asks: true,
  write: ({ issuer, clientId, postLogoutUri, scope }) => `// auth.ts
import NextAuth from 'next-auth'

declare module 'next-auth' {
  interface Session {
    userId: string
    org?: { id: string; slug: string; name: string; role: string; roles: string[] }
    acr: string
  }
}

const issuer = '${issuer}'

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'guildhall',
      name: 'Guildhall',
      type: 'oidc',
      issuer,
      clientId: '${clientId}',
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: '${scope}' } },
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
  callbacks: {
    // Only at the sign-in there are \`account\` and \`profile\`, the claims of the ID token. \`token.sub\` is then a new random id each time.
    jwt: async ({ token, account, profile }) => {
      if (account) {
        const { providerAccountId: sub, access_token: accessToken, id_token: idToken } = account
        return { ...token, sub, org: profile?.org, acr: profile?.acr, accessToken, idToken, asked: Date.now() }
      }
      if (Date.now() < Number(token.asked) + 300_000) return token
      const headers = { authorization: \`Bearer \${token.accessToken}\` }
      const signal = AbortSignal.timeout(5_000)
      const answer = await fetch(\`\${issuer}/userinfo\`, { headers, signal, cache: 'no-store' }).catch(() => undefined)
      if (answer?.status === 401) return null // the session has ended, or the access token, after an hour
      const claims = answer?.ok && (await answer.json().catch(() => undefined))
      if (!claims) return { ...token, asked: Date.now() - 270_000 } // no answer of Guildhall: it is asked again in half a minute
      return { ...token, org: claims.org, asked: Date.now() }
    },
    // Scripts of a page can read it: no token is in it.
    session: ({ session, token: { sub, org, acr } }) => Object.assign(session, { userId: sub, org, acr }),
  },
})

// app/api/auth/[...nextauth]/route.ts
import { handlers } from '../../../../auth'

export const { GET, POST } = handlers

// proxy.ts
export { auth as proxy } from './auth'

export const config = { matcher: ['/((?!api/auth|_next/static|_next/image|favicon.ico).*)'] }

// app/actions.ts
'use server'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { getToken } from 'next-auth/jwt'
import { signIn, signOut } from '../auth'

export async function enter() {
  await signIn('guildhall')
}

export async function leave() {
  const secureCookie = (await cookies()).getAll().some(({ name }) => name.startsWith('__Secure-authjs.session-token'))
  const token = await getToken({ req: { headers: await headers() }, secret: process.env.AUTH_SECRET, secureCookie })
  await signOut({ redirect: false })
  const hint = token && { id_token_hint: \`\${token.idToken}\` }
  const back = { ...hint, client_id: '${clientId}', post_logout_redirect_uri: '${postLogoutUri}' }
  redirect(\`${issuer}/end-session?\${new URLSearchParams(back)}\`)
}`,
}

/** What lets openid-client take an issuer without TLS, as on a developer's machine. */
const withoutTls = ['undefined,', '{ execute: [client.allowInsecureRequests] }, // only because the issuer has no TLS']

/** A sign-in with openid-client. @param proof its arguments for the secret and for how the application proves who it is, one a line */
const signInWithOpenidClient =
  (...proof: readonly string[]) =>
  ({ issuer, clientId, redirectUri, scope }: Settings) =>
    `import * as client from 'openid-client'

const config = await client.discovery(
  new URL('${issuer}'),
  '${clientId}',
${[...proof, ...(issuer.startsWith('http:') ? withoutTls.slice(proof.length - 1) : [])].map((each) => `  ${each}`).join('\n')}
)
// Keep both in the session of the browser until it comes back, by state: people begin in several tabs.
const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: '${redirectUri}',
  scope: '${scope}',
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})

// When it has come back to currentUrl:
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
})
const { sub, sid, email, name } = tokens.claims()`

const onServer = signInWithOpenidClient('process.env.CLIENT_SECRET,')

const openidClient: Framework = {
  name: 'openid-client',
  backChannel: '/back-channel',
  write: (settings) => `import { createRemoteJWKSet, jwtVerify } from 'jose'
${onServer(settings)}

// To sign out, end the session of the application, and send the browser on:
const back = { id_token_hint: tokens.id_token, post_logout_redirect_uri: '${settings.postLogoutUri}' }
const onward = client.buildEndSessionUrl(config, back).href

// When a session has ended, its logout_token is posted to /back-channel:
const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri))
const checks = { issuer: '${settings.issuer}', audience: '${settings.clientId}', typ: 'logout+jwt' }
const { payload } = await jwtVerify(body.logout_token, keys, checks)
// Without payload.sid, the account was deleted: end all sessions of payload.sub. Else end those of payload.sid. Answer 204.`,
}

const openidClientOnDevice: Framework = {
  name: 'openid-client',
  write: signInWithOpenidClient('undefined,', 'client.None(), // no secret: PKCE protects the code'),
}

const spring: Framework = {
  name: 'Spring Security',
  callback: '/login/oauth2/code/guildhall',
  signedOut: '/',
  backChannel: '/logout/connect/back-channel/guildhall',
  write: ({ issuer, clientId, scope }) => `# application.yaml
spring:
  security:
    oauth2:
      client:
        provider:
          guildhall:
            issuer-uri: ${issuer}
        registration:
          guildhall:
            client-id: ${clientId}
            client-secret: \${CLIENT_SECRET}
            scope: ${scope.replaceAll(' ', ',')}

@Bean
SecurityFilterChain web(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
  // Spring Security 6 leaves PKCE out for applications with a secret.
  var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
  requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
  var signOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
  signOut.setPostLogoutRedirectUri("{baseUrl}/");
  return http
      .authorizeHttpRequests(all -> all.anyRequest().authenticated())
      .oauth2Login(it -> it.authorizationEndpoint(at -> at.authorizationRequestResolver(requests)))
      .logout(it -> it.logoutSuccessHandler(signOut))
      .oidcLogout(it -> it.backChannel(Customizer.withDefaults())) // at /logout/connect/back-channel/guildhall
      .build();
}`,
}

const aspNet: Framework = {
  name: 'ASP.NET Core',
  callback: '/signin-oidc',
  signedOut: '/signout-callback-oidc',
  write: ({ issuer, clientId, scope }) => `builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = "${issuer}";
        options.ClientId = "${clientId}";
        options.ClientSecret = builder.Configuration["CLIENT_SECRET"];
        options.ResponseType = OpenIdConnectResponseType.Code;
        options.ResponseMode = OpenIdConnectResponseMode.Query; // not form_post
        options.MapInboundClaims = false;
        options.SaveTokens = true; // for the sign-out
        options.Scope.Clear();
${scope
  .split(' ')
  .map((each) => `        options.Scope.Add("${each}");`)
  .join('\n')}
    });`,
}

const oauth2Proxy: Framework = {
  name: 'oauth2-proxy',
  callback: '/oauth2/callback',
  write: ({ issuer, clientId, redirectUri, postLogoutUri, scope }) => `# The secret is in OAUTH2_PROXY_CLIENT_SECRET.
# OAUTH2_PROXY_COOKIE_SECRET has 32 random characters.
provider = "oidc"
oidc_issuer_url = "${issuer}"
client_id = "${clientId}"
redirect_url = "${redirectUri}"
scope = "${scope}"
code_challenge_method = "S256"
email_domains = ["*"]
# To sign out, link to /oauth2/sign_out?rd= and this address, URL-encoded:
# ${issuer}/end-session?client_id=${clientId}&post_logout_redirect_uri=${postLogoutUri}
whitelist_domains = ["${new URL(issuer).host}"]`,
}

const apache: Framework = {
  name: 'Apache (mod_auth_openidc)',
  signedOut: '/goodbye',
  backChannel: '?logout=backchannel',
  write: ({
    issuer,
    clientId,
    redirectUri,
    postLogoutUri,
    scope,
  }) => `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret \${CLIENT_SECRET}
OIDCRedirectURI ${redirectUri}
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCCryptoPassphrase \${A_LONG_RANDOM_TEXT}

<Location />
  AuthType openid-connect
  Require valid-user
</Location>

# A link to ${redirectUri}?logout=${postLogoutUri} signs out. That page is open to everybody.
<Location /goodbye>
  AuthType None
  Require all granted
</Location>`,
}

const oidcClientTs: Framework = {
  name: 'oidc-client-ts',
  write: ({ issuer, clientId, redirectUri, postLogoutUri, scope }) => `// main.js
import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  post_logout_redirect_uri: '${postLogoutUri}',
  scope: '${scope}',
})
if (location.pathname === '${new URL(redirectUri).pathname}') {
  try {
    await manager.signinCallback()
  } catch (error) {
    console.warn(error) // cancelled, or opened again; or Guildhall could not be reached
  }
  history.replaceState(null, '', '/')
}
const user = await manager.getUser() // user.profile has the claims
if (!user || user.expired) document.body.innerHTML = '<button id="sign-in">Sign in</button>'
document.querySelector('#sign-in')?.addEventListener('click', () => manager.signinRedirect())
// manager.signoutRedirect() signs out.`,
}

const frameworks: Readonly<Record<Kind, readonly Framework[]>> = {
  server: [authJs, openidClient, spring, aspNet, oauth2Proxy, apache],
  browser: [oidcClientTs],
  native: [openidClientOnDevice],
}

export function frameworksFor(kind: Kind): readonly Framework[] {
  return frameworks[kind]
}

type Registered = Pick<Application, 'id' | 'kind' | 'redirectUris' | 'postLogoutUris' | 'scopes'>

export function settingsOf(
  { id, kind, redirectUris: [redirectUri = ''], postLogoutUris, scopes }: Registered,
  issuer: string,
  { signedOut, backChannel }: Framework,
): Settings {
  const at = (path: string) => new URL(path, redirectUri).href
  return {
    issuer,
    clientId: id,
    redirectUri,
    ...(kind !== 'native' && {
      postLogoutUri: signedOut === undefined ? (postLogoutUris[0] ?? at('/')) : at(signedOut),
    }),
    ...(backChannel !== undefined && { backChannelUri: at(backChannel) }),
    scope: scopes.join(' '),
  }
}
