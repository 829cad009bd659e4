/**
 * The session: the browser sends its cookie with each request to our server, and no script can read it. Our server knows who it is, and sends
 * what is for Guildhall on with the person's access token (forwarding.ts).
 */
import { createGuildhall } from '@guildhall/client'

/** The origin of Guildhall's own pages, inserted by files.ts. */
declare const GUILDHALL_URL: string
export const accounts = GUILDHALL_URL

/** The client, as the person who has signed in: it sends our cookie instead of a token. */
export const guildhall = createGuildhall({ url: `${location.origin}/guildhall`, session: 'cookie' })
