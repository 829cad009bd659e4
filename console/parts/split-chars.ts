/** Where pasted text is split, in fields that take several texts. It comes from lists and spreadsheets, too. */

export const splitCharsOfUrls = [',', ' ', '\t', '\n', '\r']

/** Not for URLs, which may have semicolons. */
export const splitChars = [...splitCharsOfUrls, ';']
