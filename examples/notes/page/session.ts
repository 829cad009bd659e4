/**
 * The session: a token in this tab's storage, because Guildhall sets no cookie for a page of another origin. The storage survives a reload,
 * ends with the tab, and no other site can read it.
 */
import { createGuildhall } from '@guildhall/client'

/** The URL of Guildhall, inserted by files.ts. */
declare const GUILDHALL_URL: string
export const accounts = GUILDHALL_URL

export function findToken(): string | undefined {
  return sessionStorage.getItem('token') ?? undefined
}

/** The client with the session of the signed-in user. */
export const guildhall = createGuildhall({ url: accounts, token: findToken })

export function beginSession(token: string): void {
  sessionStorage.setItem('token', token)
}

/** Starts over with a page that has nothing of the previous user. @param notice a message for that page */
export function endSession(notice: string): void {
  sessionStorage.clear()
  sessionStorage.setItem('notice', notice)
  location.replace('/')
}

/** Returns the message once. */
export function takeNotice(): string {
  const notice = sessionStorage.getItem('notice') ?? ''
  sessionStorage.removeItem('notice')
  return notice
}
