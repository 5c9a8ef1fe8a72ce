import './styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/operations.ts';
import { beganWithoutSession, readStyleNonce } from './page-head.ts';
import { router } from './routes.tsx';
import { askForLogIn, followSession } from './shell/follow-session.ts';
import { resolveColors, theme } from './theme.ts';

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
      <Notifications limit={4} autoClose={8_000} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
