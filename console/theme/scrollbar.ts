/** The page's scrollbar: behind a dialog there is none (global.css), and what it took stays free, so that nothing moves. */
export function watchScrollbar(): void {
  const page = document.documentElement
  new ResizeObserver(() => {
    if (document.querySelector('[aria-modal="true"]')) return
    page.style.setProperty('--scrollbar', `${innerWidth - page.clientWidth}px`)
  }).observe(page)
}
