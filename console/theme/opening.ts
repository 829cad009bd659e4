/** Before anything is painted: the scheme that was chosen in this browser, for the mark that stands there first (opening.css). */
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value') // where Mantine keeps it
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.mantineColorScheme = chosen
} catch {
  // The browser keeps nothing for us: it is the system's.
}
