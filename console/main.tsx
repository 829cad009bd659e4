/** The console starts here. */
import './theme/components.css'
import './theme/global.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/queries.ts'
import { isRefusal } from './api/refusal.ts'
import { router } from './router.tsx'
import { startTexts } from './texts/texts.ts'
import { watchScrollbar } from './theme/scrollbar.ts'
import { theme } from './theme/theme.ts'

void start()

/** Not awaited by the module: the chunks of pages import this one, and would wait for it while it waits for them. */
async function start(): Promise<void> {
  // Until the first page is ready, the content of index.html stays.
  await Promise.all([startTexts(), router.load()])
  watchScrollbar()
  const place = document.getElementById('console')
  if (!place) throw new Error('index.html has a place for the console')
  createRoot(place, {
    // The page shows a refusal itself.
    onCaughtError(error) {
      if (!isRefusal(error)) console.error(error)
    },
  }).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
