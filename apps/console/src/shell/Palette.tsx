import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';

const PaletteDialog = lazy(() => import('./PaletteDialog.tsx'));

let open = () => {};

/** Opens the palette, which searches pages, actions and what the service has. */
export const openPalette = () => open();

/** The palette, which Ctrl-K and / open too. Mounted once, in the frame; its script loads when it opens. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    open = () => {
      // Another dialog keeps the focus.
      if (document.querySelector('dialog[open], [aria-modal="true"]') !== null) return;
      setOpen(true);
    };
  }, []);
  const typed = useRef('');
  useEffect(() => {
    if (!isOpen) return;
    typed.current = '';
    // Until the palette's field has the focus, what is typed is kept for it.
    const keep = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) typed.current += event.key;
      else if (event.key !== 'Enter') return;
      event.preventDefault();
    };
    window.addEventListener('keydown', keep, { capture: true });
    return () => window.removeEventListener('keydown', keep, { capture: true });
  }, [isOpen]);
  useHotkeys([['mod+K', openPalette]], []);
  useHotkeys([['/', openPalette]]);
  return <Suspense>{isOpen && <PaletteDialog typed={typed} onClose={() => setOpen(false)} />}</Suspense>;
}
