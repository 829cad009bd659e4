/**
 * The session: a token in this tab's storage, because Guildhall sets no cookie for a page of another origin. The storage survives a reload,
 * ends with the tab, and no other site can read it. If the browser denies storage, the session ends with the page.
 */
import { createGuildhall } from '@guildhall/client'

/** The URL of Guildhall, inserted by files.ts. */
declare const GUILDHALL_URL: string
export const accounts = GUILDHALL_URL

/** What is kept, also if storage is full or denied. */
const kept = new Map<string, string>()

export function findToken(): string | undefined {
  return find('token')
}

/** The client with the session of the signed-in user. */
export const guildhall = createGuildhall({ url: accounts, token: findToken })

export function beginSession(token: string): void {
  keep('token', token)
}

/** Starts over with a page that has nothing of the previous user. @param notice a message for that page */
export function endSession(notice: string): void {
  forget('token')
  keep('notice', notice)
  location.replace('/')
}

/** Returns the message once. */
export function takeNotice(): string {
  const notice = find('notice') ?? ''
  forget('notice')
  return notice
}

function find(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? kept.get(name)
  } catch {
    return kept.get(name)
  }
}

function keep(name: string, text: string): void {
  kept.set(name, text)
  try {
    sessionStorage.setItem(name, text)
  } catch {}
}

function forget(name: string): void {
  kept.delete(name)
  try {
    sessionStorage.removeItem(name)
  } catch {}
}
