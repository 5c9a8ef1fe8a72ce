import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';

const PaletteDialog = lazy(() => import('./PaletteDialog.tsx'));

let open = () => {};

/** Opens the palette, which searches pages, actions and what the service has. */
export const openPalette = () => open();

/** The palette, which Ctrl-K and / open too. Mounted once, in the frame; its script loads when it first opens. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  const focused = useRef<Element>(null);
  useEffect(() => {
    open = () => {
      // Another dialog keeps the focus.
      if (document.querySelector('dialog[open], [aria-modal="true"]') !== null) return;
      focused.current = document.activeElement;
      setOpen(true);
    };
  }, []);
  useHotkeys([['mod+K', openPalette]], []);
  useHotkeys([['/', openPalette]]);
  const close = () => {
    setOpen(false);
    if (focused.current instanceof HTMLElement) focused.current.focus();
  };
  return <Suspense>{isOpen && <PaletteDialog onClose={close} />}</Suspense>;
}
