import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';

const load = () => import('./PaletteDialog.tsx');
const PaletteDialog = lazy(load);
/** After the first page has loaded, so that the palette takes what is typed at once. */
const PRELOAD_AFTER_MS = 2_000;

let open = () => {};

/** Opens the palette, which searches pages, actions and what the service has. */
export const openPalette = () => open();

/** The palette, which Ctrl-K and / open too. Mounted once, in the frame; its script loads after the page's. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    open = () => {
      // Another dialog keeps the focus.
      if (document.querySelector('dialog[open], [aria-modal="true"]') !== null) return;
      setOpen(true);
    };
    const timer = setTimeout(() => void load().catch(() => {}), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useHotkeys([['mod+K', openPalette]], []);
  useHotkeys([['/', openPalette]]);
  return <Suspense>{isOpen && <PaletteDialog onClose={() => setOpen(false)} />}</Suspense>;
}
