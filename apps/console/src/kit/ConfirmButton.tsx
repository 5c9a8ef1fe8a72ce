import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CallFailure } from '../api/index.ts';
import { useWords } from '../words/words.ts';
import { Dialog } from './Dialog.tsx';
import { Failure } from './Failure.tsx';
import { kitWords } from './words.ts';

/** A button that changes something only after its reader has seen what will happen. */
export interface ConfirmButtonProps {
  /** On the button. */
  label: string;
  /** The dialog's title, as a question: `Cancel 12 pending orders?` */
  title: string;
  /** What will happen, and what cannot be undone; may hold fields. */
  children: ReactNode;
  /** On the button that does it; `label` where absent. */
  confirmLabel?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Whether the fields of the dialog are filled in such that it can be done; true where absent. */
  canConfirm?: boolean;
  /** Does it. The dialog stays open with the failure where this throws a CallFailure. */
  onConfirm: () => Promise<unknown>;
}

/** Asks before it acts, and shows why it failed. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const colour = props.isDangerous === true ? { color: 'red' } : {};
  return (
    <>
      <Button variant="default" disabled={props.isDisabled === true} onClick={() => setOpen(true)} {...colour}>
        {props.label}
      </Button>
      {isOpen && <ConfirmDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ConfirmDialog({ onClose, ...props }: ConfirmButtonProps & { onClose: () => void }) {
  const words = useWords(kitWords);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await props.onConfirm();
      onClose();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const colour = props.isDangerous === true ? { color: 'red' } : {};
  return (
    <Dialog
      title={props.title}
      onClose={onClose}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            {words.cancel}
          </Button>
          <Button onClick={() => void confirm()} loading={isBusy} disabled={props.canConfirm === false} {...colour}>
            {props.confirmLabel ?? props.label}
          </Button>
        </>
      }
    >
      {props.children}
      {failure !== undefined && <Failure failure={failure} />}
    </Dialog>
  );
}
