/** An authenticator in the browser of a test: the virtual one of the DevTools protocol. */
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'

/** Gives the page an authenticator that verifies its user by itself. @returns what its user does */
export async function plugIn(t: TestContext, page: Page, abilities: Record<string, unknown> = {}) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      ...abilities,
    },
  })
  t.after(() => cdp.detach())
  return {
    refuse: (isRefusing: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: !isRefusing }),
    /** Whether its user touches it: also for a passkey in a field, which they then pick at once. */
    touch: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** Its user touches it once the page has asked for options, and not before. */
    touchNext: () => {
      let isAsked = false // with `times: 1` the end of the test would not wait for this
      return page.route('**/api/auth/passkey-options', async (route) => {
        if (!isAsked) await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
        isAsked = true
        await route.continue()
      })
    },
    async holds(): Promise<number> {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.length
    },
  }
}
