/** The router's links as Mantine components. The compiler checks their `to` and `params` against the routes. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'

// A polymorphic component would lose the types of its properties, so each is fixed to a link.
export interface LinkProps {
  readonly children?: ReactNode
  readonly ref?: Ref<HTMLAnchorElement>
}

export const TextLink = createLink((props: AnchorProps & LinkProps) => <Anchor {...props} />)
export const ButtonLink = createLink((props: ButtonProps & LinkProps) => <Button component="a" {...props} />)
