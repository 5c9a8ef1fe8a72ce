import './styles.css';
import { type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/operations.ts';
import { beganWithoutSession, readStyleNonce } from './page-head.ts';
import { router } from './routes.tsx';
import { askForLogIn, followSession } from './shell/follow-session.ts';

/** Darker shades than Mantine's, whose white text on blue and gray text have too little contrast. */
const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'sm',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Replaces text colors that Mantine derives from shades without WCAG AA contrast. */
const resolveColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#495057',
    '--mantine-color-placeholder': '#5c636a',
    '--mantine-color-error': '#b02525',
    '--mantine-color-anchor': '#1560ab',
  },
  dark: {
    '--mantine-color-dimmed': '#b4b8bc',
    '--mantine-color-placeholder': '#a0a5aa',
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-anchor': '#8ec5f5',
  },
});

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
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
