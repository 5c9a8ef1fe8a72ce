import { type CSSVariablesResolver, createTheme } from '@mantine/core';

const FONT =
  'Inter, system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Micro Hei", sans-serif';

/** A type scale around 14 px, a grid of 4 px, and controls 32 px high. */
export const theme = createTheme({
  primaryColor: 'blue',
  // Lighter shades of blue have too little contrast with white text.
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'sm',
  fontFamily: FONT,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.3333', sm: '1.5385', md: '1.4286', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem' },
  headings: {
    fontFamily: FONT,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4286' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name: importing the components would load all of them with the first page.
  components: {
    Alert: { defaultProps: { variant: 'light', p: 'md', role: 'group' } },
    Badge: { defaultProps: { variant: 'light', size: 'md', tt: 'none', fw: 500, radius: 'sm' } },
    Button: {
      defaultProps: { size: 'sm', fw: 500 },
      vars: (_: unknown, { size }: { size: string }) => ({
        root: size === 'sm' ? { '--button-height': '2rem', '--button-padding-x': '0.75rem' } : {},
      }),
    },
    Input: { vars: () => ({ wrapper: { '--input-height': '2rem' } }) },
    // Locking the scroll would write a style that the content security policy refuses.
    Modal: {
      defaultProps: { centered: true, size: 'lg', lockScroll: false, overlayProps: { backgroundOpacity: 0.55 } },
    },
    Tabs: { defaultProps: { keepMounted: false } },
  },
});

/** Backgrounds and texts of what a tone colors. Those that Mantine derives have too little contrast. */
const TONES = {
  green: { light: ['#d8f5de', '#14532d'], dark: ['#12351c', '#98ebaa'] },
  red: { light: ['#ffe3e3', '#8f1616'], dark: ['#4a1818', '#ffb9b9'] },
  yellow: { light: ['#fff1c2', '#5c3c00'], dark: ['#42330c', '#ffe17a'] },
  blue: { light: ['#d7ebfd', '#0b4274'], dark: ['#10304e', '#a9d6fb'] },
  gray: { light: ['#e9ecef', '#343a40'], dark: ['#343a40', '#dee2e6'] },
} as const;

const tonesOf = (scheme: 'light' | 'dark') =>
  Object.fromEntries(
    Object.entries(TONES).flatMap(([color, { [scheme]: tone }]) => [
      [`--mantine-color-${color}-light`, tone[0]],
      [`--mantine-color-${color}-light-hover`, tone[0]],
      [`--mantine-color-${color}-light-color`, tone[1]],
    ]),
  );

/** Colors with the contrast that WCAG AA asks for. */
export const resolveColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...tonesOf('light'),
    '--mantine-color-text': '#16191d',
    '--mantine-color-dimmed': '#545b63',
    '--mantine-color-placeholder': '#5c636a',
    '--mantine-color-error': '#b02525',
    '--mantine-color-anchor': '#1560ab',
    '--mantine-color-default-border': '#dee2e6',
    '--mantine-color-default-hover': '#f3f5f7',
    '--ls-raised': '#f8f9fa',
    '--ls-line-good': '#2b8a3e',
    '--ls-line-bad': '#e03131',
    '--ls-line-busy': '#1c7ed6',
    '--ls-line-warn': '#e67700',
  },
  dark: {
    ...tonesOf('dark'),
    '--mantine-color-body': '#17191c',
    '--mantine-color-text': '#e6e8ea',
    '--mantine-color-dimmed': '#a6acb3',
    '--mantine-color-placeholder': '#a0a5aa',
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-anchor': '#8ec5f5',
    '--mantine-color-default': '#1e2125',
    '--mantine-color-default-border': '#373c42',
    '--mantine-color-default-hover': '#25292e',
    '--ls-raised': '#1c1f23',
    '--ls-line-good': '#69db7c',
    '--ls-line-bad': '#ff8787',
    '--ls-line-busy': '#74c0fc',
    '--ls-line-warn': '#ffd43b',
  },
});
