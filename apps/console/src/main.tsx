import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/operations.ts';
import { beganWithoutSession, readStyleNonce } from './page-head.ts';
import { router } from './routes.tsx';
import { askForLogIn, followSession } from './shell/follow-session.ts';
import { resolveColors, theme } from './theme.ts';
import { TAG } from './words/language.ts';

// After the first page, which never needs it.
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }));

document.documentElement.lang = TAG;
const nonce = readStyleNonce();
followSession(router, queryClient);
if (beganWithoutSession()) askForLogIn(router);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Suspense>
        <Notifications limit={4} autoClose={8_000} />
      </Suspense>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
