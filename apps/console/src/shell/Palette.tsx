import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';

const PaletteDialog = lazy(() => import('./PaletteDialog.tsx'));

let open = () => {};

/** Opens the palette, which searches pages, actions and what the service has. */
export const openPalette = () => open();

/** The palette, which Ctrl-K and / open too. Mounted once, in the frame; its script loads when it first opens. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    open = () => {
      // Another dialog keeps the focus.
      if (document.querySelector('dialog[open], [aria-modal="true"]') !== null) return;
      setOpen(true);
    };
  }, []);
  useHotkeys([['mod+K', openPalette]], []);
  useHotkeys([['/', openPalette]]);
  return <Suspense>{isOpen && <PaletteDialog onClose={() => setOpen(false)} />}</Suspense>;
}
