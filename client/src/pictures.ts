/** Pictures: a body that is sent as it is. */

/** A picture as PNG, JPEG or WebP, of 5 MiB at most. Its `type` says which: `new Blob([bytes], { type: 'image/png' })`. */
export type Picture = Blob

/** What sends a picture as the body. */
export function sentAs(picture: Picture) {
  return {
    body: picture as unknown as string, // the document has bytes as text
    bodySerializer: () => picture,
    headers: { 'Content-Type': picture.type },
  }
}
