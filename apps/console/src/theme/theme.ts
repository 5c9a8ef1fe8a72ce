import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Darker shades than Mantine's, whose white text on blue and gray text have too little contrast. */
export const theme = createTheme({
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
export const resolveColors: CSSVariablesResolver = () => ({
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
