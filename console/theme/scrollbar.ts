/** The page's scrollbar disappears behind a dialog (global.css). Its width stays reserved, so that nothing moves. */
export function watchScrollbar(): void {
  const page = document.documentElement
  new ResizeObserver(() => {
    if (document.querySelector('[aria-modal="true"]')) return
    page.style.setProperty('--scrollbar', `${innerWidth - page.clientWidth}px`)
  }).observe(page)
}
