/** The router's link as an item of a menu. In a file of its own, because menus need much code that the first page does not. */
import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { LinkProps } from './links.tsx'

export const MenuLink = createLink((props: MenuItemProps & LinkProps) => <Menu.Item component="a" {...props} />)
