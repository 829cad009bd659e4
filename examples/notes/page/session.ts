/**
 * The session: a token in the storage of this tab. A page of another origin gets no cookie from Guildhall. This storage lasts over a
 * reload, ends with the tab, and no other site can read it.
 */
import { createGuildhall } from '@guildhall/client'

/** Where Guildhall is: files.ts puts it in. */
declare const GUILDHALL_URL: string
export const accounts = GUILDHALL_URL

export function findToken(): string | undefined {
  return sessionStorage.getItem('token') ?? undefined
}

/** Asks in the name of whoever is signed in. */
export const guildhall = createGuildhall({ url: accounts, token: findToken })

export function beginSession(token: string): void {
  sessionStorage.setItem('token', token)
}

/** Begins anew, with a page that has nothing of whoever was here. @param notice what it says */
export function endSession(notice: string): void {
  sessionStorage.clear()
  sessionStorage.setItem('notice', notice)
  location.replace('/')
}

/** What is to be said once, if anything. */
export function takeNotice(): string {
  const notice = sessionStorage.getItem('notice') ?? ''
  sessionStorage.removeItem('notice')
  return notice
}
