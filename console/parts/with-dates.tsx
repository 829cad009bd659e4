/** A sentence with dates, each marked with its language if that is not the page's. */
import { createElement, Fragment } from 'react'
import { langOf, partsOf } from './language.ts'
import { useReader } from './reader.ts'

export function WithDates({ children }: { readonly children: string }) {
  const { locale } = useReader()
  const lang = langOf(locale)
  const parts = partsOf(children).map((part, at) => (at % 2 === 1 ? createElement('bdi', { lang }, part) : part))
  return createElement(Fragment, null, ...parts)
}
