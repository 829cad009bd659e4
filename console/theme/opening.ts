/** Runs before the first paint: applies the color scheme that was chosen in this browser, for the mark in opening.css. */
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value') // Mantine stores it there
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.mantineColorScheme = chosen
} catch {
  // No storage: the color scheme of the system applies.
}
