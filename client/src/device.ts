/**
 * Device: the token by which an account knows a device where it was signed in before. The client sends it when somebody
 * signs up, and with each step of signing in, so that somebody else's wrong guesses do not lock the device's own people out. It proves
 * nothing, and stays when a session ends.
 */

/** Where one device keeps its token, for all accounts that sign in there. */
export interface DeviceStore {
  get(): string | null | undefined | Promise<string | null | undefined>
  set(deviceToken: string): void | Promise<void>
}

const form = /^[A-Za-z0-9_-]{43}$/

/** @returns a store in the browser's `localStorage`; nothing elsewhere: a server is no device of its users */
export function storeOfBrowser(url: string): DeviceStore | undefined {
  if (!('document' in globalThis && 'localStorage' in globalThis)) return undefined
  const key = `guildhall-device ${new URL(url).origin}`
  return { get: () => localStorage.getItem(key), set: (deviceToken) => localStorage.setItem(key, deviceToken) }
}

/** @returns the body with the device's token, unless it has one; a store that fails is an empty one */
export async function withDevice<Body extends { deviceToken?: string }>(
  store: DeviceStore | undefined,
  body: Body,
): Promise<Body> {
  const deviceToken = body.deviceToken ?? (await readStore(store))
  return deviceToken === undefined ? body : { ...body, deviceToken }
}

/** Keeps the first token of a device: all its accounts know it by that one. */
export async function keepDevice(store: DeviceStore | undefined, deviceToken: string | undefined): Promise<void> {
  if (!store || deviceToken === undefined || (await readStore(store)) !== undefined) return
  try {
    await store.set(deviceToken)
  } catch {
    // Somebody who is signed in stays so: the device is unknown the next time.
  }
}

async function readStore(store: DeviceStore | undefined): Promise<string | undefined> {
  try {
    const deviceToken = await store?.get()
    return deviceToken && form.test(deviceToken) ? deviceToken : undefined
  } catch {
    return undefined
  }
}
