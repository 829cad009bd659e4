/** Settings of frameworks and proxies for signing in with this service, to copy. A secret is never in them, but read from where they keep it. */
import type { Application, Kind } from './application.ts'

export interface Settings {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
}

export interface Framework {
  readonly name: string
  /** Below which path it receives people, where it decides that itself. */
  readonly callback?: string
  readonly write: (settings: Settings) => string
}

const authJs: Framework = {
  name: 'Auth.js',
  callback: '/api/auth/callback/guildhall',
  write: ({ issuer, clientId, scope }) => `import NextAuth from 'next-auth'

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'guildhall',
      name: 'Guildhall',
      type: 'oidc',
      issuer: '${issuer}',
      clientId: '${clientId}',
      clientSecret: process.env.GUILDHALL_SECRET,
      authorization: { params: { scope: '${scope}' } },
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
  callbacks: {
    // People are known by this id. The \`sub\` of \`token\` alone is a new random one at each sign-in.
    jwt: ({ token, account }) => (account ? { ...token, sub: account.providerAccountId } : token),
    session: ({ session, token }) => Object.assign(session, { userId: token.sub }),
  },
})`,
}

/** What lets openid-client take an issuer without TLS, as on a developer's machine. */
const withoutTls = ['undefined,', '{ execute: [client.allowInsecureRequests] }, // only because the issuer has no TLS']

/** Settings of openid-client. @param proof its arguments for the secret and for how the application proves who it is, one a line */
const openidClient = (...proof: readonly string[]): Framework => ({
  name: 'openid-client',
  write: ({ issuer, clientId, redirectUri, scope }) => `import * as client from 'openid-client'

const config = await client.discovery(
  new URL('${issuer}'),
  '${clientId}',
${[...proof, ...(issuer.startsWith('http:') ? withoutTls.slice(proof.length - 1) : [])].map((each) => `  ${each}`).join('\n')}
)
// Keep both in the session of the browser until it comes back.
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
const { sub, email, name } = tokens.claims()`,
})

const spring: Framework = {
  name: 'Spring Security',
  callback: '/login/oauth2/code/guildhall',
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
            client-secret: \${GUILDHALL_SECRET}
            scope: ${scope.replaceAll(' ', ',')}

// PKCE, which Spring Security 6 leaves out for applications with a secret
@Bean
SecurityFilterChain web(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
  var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
  requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
  return http
      .authorizeHttpRequests(all -> all.anyRequest().authenticated())
      .oauth2Login(it -> it.authorizationEndpoint(at -> at.authorizationRequestResolver(requests)))
      .build();
}`,
}

const aspNet: Framework = {
  name: 'ASP.NET Core',
  callback: '/signin-oidc',
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
        options.ClientSecret = builder.Configuration["GUILDHALL_SECRET"];
        options.ResponseType = OpenIdConnectResponseType.Code;
        options.ResponseMode = OpenIdConnectResponseMode.Query; // not form_post
        options.MapInboundClaims = false;
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
  write: ({ issuer, clientId, redirectUri, scope }) => `# The secret is in OAUTH2_PROXY_CLIENT_SECRET.
# OAUTH2_PROXY_COOKIE_SECRET has 32 random characters.
provider = "oidc"
oidc_issuer_url = "${issuer}"
client_id = "${clientId}"
redirect_url = "${redirectUri}"
scope = "${scope}"
code_challenge_method = "S256"
email_domains = ["*"]`,
}

const apache: Framework = {
  name: 'Apache (mod_auth_openidc)',
  write: ({
    issuer,
    clientId,
    redirectUri,
    scope,
  }) => `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret \${GUILDHALL_SECRET}
OIDCRedirectURI ${redirectUri}
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCCryptoPassphrase \${A_LONG_RANDOM_TEXT}

<Location />
  AuthType openid-connect
  Require valid-user
</Location>`,
}

const oidcClientTs: Framework = {
  name: 'oidc-client-ts',
  write: ({ issuer, clientId, redirectUri, scope }) => `import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  scope: '${scope}',
})
await manager.signinRedirect()

// On the page at ${redirectUri}:
const { profile } = await manager.signinCallback()`,
}

const frameworks: Readonly<Record<Kind, readonly Framework[]>> = {
  server: [authJs, openidClient('process.env.GUILDHALL_SECRET,'), spring, aspNet, oauth2Proxy, apache],
  browser: [oidcClientTs],
  native: [openidClient('undefined,', 'client.None(), // no secret: PKCE protects the code')],
}

export function frameworksFor(kind: Kind): readonly Framework[] {
  return frameworks[kind]
}

export function settingsOf({ id, redirectUris, scopes }: Application, issuer: string): Settings {
  return { issuer, clientId: id, redirectUri: redirectUris[0] ?? '', scope: scopes.join(' ') }
}
