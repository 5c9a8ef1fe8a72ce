import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './Dialog.module.css';

/**
 * A dialog in front of the page. The browser keeps the focus in it, and Escape closes it unless it must be answered.
 */
export interface DialogProps {
  title: string;
  onClose: () => void;
  /** Escape does not close it: what it shows is not shown again. */
  mustAnswer?: boolean;
  children: ReactNode;
  /** Buttons; the first that leads back comes first. */
  actions: ReactNode;
}

/** Shows a dialog for as long as it is rendered. */
export function Dialog({ title, onClose, mustAnswer = false, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed while it is still in the page, it gives the focus back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!mustAnswer) onClose();
      }}
      // A browser lets a page refuse to close once: after that it asks no more.
      onKeyDown={(event) => {
        if (mustAnswer && event.key === 'Escape') event.preventDefault();
      }}
      onClose={() => {
        if (mustAnswer && dialog.current?.open === false) dialog.current.showModal();
      }}
    >
      <h2 id={titleId} className={styles.title}>
        {title}
      </h2>
      <div className={styles.content}>{children}</div>
      <div className={styles.actions}>{actions}</div>
    </dialog>
  );
}
