/**
 * The theme: settings of Mantine's components. Colors and sizes are in tokens.css.
 *
 * Mantine would put its variables into a `<style>` element, which the Content-Security-Policy of the pages refuses. So they are in
 * mantine.css, and features that need a style element (responsive style props, Grid, SimpleGrid, AppShell, hiddenFrom) are not used.
 */
import { createTheme, defaultVariantColorsResolver } from '@mantine/core'
import i18next from 'i18next'
import { BusyButton } from './busy-button.tsx'
import { asDone } from './messages.ts'

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
    Button: { defaultProps: { component: BusyButton } },
    // Mantine locks the scroll bar with a style element, so global.css does it instead.
    Modal: { defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 120 } } },
    Drawer: { defaultProps: { lockScroll: false } },
    Tooltip: {
      defaultProps: { withArrow: true, openDelay: 250, events: { hover: true, focus: true, touch: true } },
    },
    // The first item gets the focus, and not an unnamed placeholder.
    Menu: { defaultProps: { transitionProps: { duration: 80 }, shadow: 'md', withInitialFocusPlaceholder: false } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Avatar: { defaultProps: { color: 'gray' } },
    Badge: { defaultProps: { variant: 'light', color: 'gray', radius: 'sm', tt: 'none' } },
    // Mantine underlines only the link under the pointer, but our accent is hardly another color than the text around it.
    Anchor: { defaultProps: { underline: 'always' } },
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        get visibilityToggleButtonProps() {
          return { 'aria-label': i18next.t('general.showPassword') }
        },
      },
    },
    Notification: {
      defaultProps: {
        ...asDone,
        // A getter, because the texts are loaded only when the provider renders.
        get closeButtonProps() {
          return { 'aria-label': i18next.t('general.close') }
        },
      },
    },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
})
