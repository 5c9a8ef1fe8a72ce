import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CallFailure, type CallOf, useChange, useMayCall } from '../../api/index.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { Failure } from '../page/Failure.tsx';
import { announce } from '../signs/announce.ts';
import { Dialog } from './Dialog.tsx';

/** A button that changes something only after its reader has seen what will happen. */
interface ConfirmButtonProps<Id extends ConsoleOperationId> {
  /** What changes it. The button is not there for a reader whose role may not call it. */
  operation: Id;
  call: CallOf<Id>;
  /** On the button. */
  label: string;
  /** The dialog's title, as a question: `Cancel 12 pending orders?` */
  title: string;
  /** What will happen, and what cannot be undone; may hold fields. */
  children: ReactNode;
  /** On the button that does it; `label` where absent. */
  confirmLabel?: string;
  /** On the button that closes the dialog; "Cancel" where absent. */
  dismissLabel?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Whether the fields of the dialog are filled in such that it can be done; true where absent. */
  canConfirm?: boolean;
  /** Announced when it is done. */
  done?: string | ((data: ConsoleData<Id>) => string);
  /** Returns false where there is more to answer: then the dialog stays open. */
  onDone?: (data: ConsoleData<Id>) => unknown;
  /** Shown when it is done, until it is closed: a password or a secret. */
  result?: (data: ConsoleData<Id>, onClose: () => void) => ReactNode;
}

/** Asks before it acts, and shows why it failed. */
export function ConfirmButton<Id extends ConsoleOperationId>(props: ConfirmButtonProps<Id>) {
  const mayCall = useMayCall();
  const [isOpen, setOpen] = useState(false);
  const [answer, setAnswer] = useState<ConsoleData<Id>>();
  if (!mayCall(props.operation)) return null;
  const color = props.isDangerous === true ? { color: 'red' } : {};
  return (
    <>
      <Button variant="default" disabled={props.isDisabled === true} onClick={() => setOpen(true)} {...color}>
        {props.label}
      </Button>
      {isOpen && <ConfirmDialog {...props} onAnswer={setAnswer} onClose={() => setOpen(false)} />}
      {answer !== undefined && props.result?.(answer, () => setAnswer(undefined))}
    </>
  );
}

function ConfirmDialog<Id extends ConsoleOperationId>({
  onAnswer,
  onClose,
  ...props
}: ConfirmButtonProps<Id> & { onAnswer: (data: ConsoleData<Id>) => void; onClose: () => void }) {
  const words = useWords(kitWords);
  const change = useChange(props.operation);
  const confirm = async () => {
    try {
      const data = await change.mutateAsync(props.call);
      if ((await props.onDone?.(data)) === false) return;
      onAnswer(data);
      const told = typeof props.done === 'function' ? props.done(data) : props.done;
      if (told !== undefined) announce('good', told);
      onClose();
    } catch (error) {
      // What it failed for is shown from the change itself.
      if (!(error instanceof CallFailure)) throw error;
    }
  };
  const color = props.isDangerous === true ? { color: 'red' } : {};
  return (
    <Dialog
      title={props.title}
      onClose={onClose}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={change.isPending}>
            {props.dismissLabel ?? words.cancel}
          </Button>
          <Button
            onClick={() => void confirm()}
            loading={change.isPending}
            disabled={props.canConfirm === false}
            {...color}
          >
            {props.confirmLabel ?? props.label}
          </Button>
        </>
      }
    >
      {props.children}
      {change.error !== null && <Failure failure={change.error} />}
    </Dialog>
  );
}
