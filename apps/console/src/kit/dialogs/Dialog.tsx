import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './Dialog.module.css';

/** A modal dialog. The browser keeps the focus in it, and Escape closes it unless `mustAnswer` is true. */
export interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether Escape leaves it open, because its content is never shown again. */
  mustAnswer?: boolean;
  children: ReactNode;
  /** Buttons. Put the one that dismisses the dialog first. */
  actions: ReactNode;
}

/** Shows a modal dialog while it is mounted. It is a child of the body, so that it looks the same wherever it opens. */
export function Dialog({ title, onClose, mustAnswer = false, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect closes the dialog while it is still in the page, so that the browser restores the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!mustAnswer) onClose();
      }}
      // Browsers fire `cancel` only for the first Escape; the next one would close the dialog.
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
    </dialog>,
    document.body,
  );
}
