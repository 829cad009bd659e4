/** Mantine's looks on the router's links: their `to` and `params` are checked against the router. */
import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'

// A component that can be anything loses its properties' types on the way; these are links and nothing else.
interface LinkProps {
  readonly children?: ReactNode
  readonly ref?: Ref<HTMLAnchorElement>
}

export const TextLink = createLink((props: AnchorProps & LinkProps) => <Anchor {...props} />)
export const ButtonLink = createLink((props: ButtonProps & LinkProps) => <Button component="a" {...props} />)
export const MenuLink = createLink((props: MenuItemProps & LinkProps) => <Menu.Item component="a" {...props} />)
