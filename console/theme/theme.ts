/**
 * The theme: Mantine's components in our look. Every colour and measure stands in tokens.css; here are only the components' settings.
 *
 * Mantine would put its variables into a `<style>` element, which the Content-Security-Policy of the pages refuses. So they stand in
 * mantine.css, and whatever makes a style element (responsive style props, Grid, SimpleGrid, AppShell, hiddenFrom) is not used.
 */
import { createTheme, defaultVariantColorsResolver, Modal, Tooltip } from '@mantine/core'
import i18next from 'i18next'

export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent: Array(10).fill('var(--accent)') as never }, // a tuple of ten; mantine.css says what each means
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input)
    const isAccent = input.color === undefined || input.color === 'accent'
    return isAccent && input.variant === 'filled'
      ? { ...colors, color: 'var(--on-accent)', hoverColor: 'var(--on-accent)' }
      : colors
  },
  components: {
    // Its lock of the scroll bar is a style element; global.css locks instead.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 120 } } }),
    Drawer: { defaultProps: { lockScroll: false } },
    Tooltip: Tooltip.extend({
      defaultProps: { withArrow: true, openDelay: 250, events: { hover: true, focus: true, touch: true } },
    }),
    // What is focused first is the first item, and no place of its own without a name.
    Menu: { defaultProps: { transitionProps: { duration: 80 }, shadow: 'md', withInitialFocusPlaceholder: false } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Avatar: { defaultProps: { color: 'gray' } },
    Badge: { defaultProps: { variant: 'light', color: 'gray', radius: 'sm', tt: 'none' } },
    PasswordInput: {
      defaultProps: {
        get visibilityToggleButtonProps() {
          return { 'aria-label': i18next.t('general.showPassword') }
        },
      },
    },
    Notification: {
      defaultProps: {
        // Read when the provider is rendered: by then there are texts.
        get closeButtonProps() {
          return { 'aria-label': i18next.t('general.close') }
        },
      },
    },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
})
