import type { ConsoleData, ConsoleOperationId } from '@lockstep/contract/console';
import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { CallFailure, type CallOf } from '../api/calls.ts';
import { useChange, useMayCall } from '../api/operations.ts';
import { kitWords as words } from '../words/kit.ts';
import { Failure } from './page.tsx';
import { announce, Notice } from './signs.tsx';
import { CopyId, Fields } from './values.tsx';

/** A button that opens a dialog, which says what will happen, before it changes anything. */
interface ConfirmButtonProps<Id extends ConsoleOperationId> {
  /** The operation to call. The button is hidden if the operator's role may not call it. */
  operation: Id;
  call: CallOf<Id>;
  /** The button's text. */
  label: string;
  /** The dialog's title, as a question: `Cancel 12 pending orders?` */
  title: string;
  /** Says what will happen and what cannot be undone. May contain fields. */
  children: ReactNode;
  /** The text of the confirm button. Default: `label`. */
  confirmLabel?: string;
  /** The text of the button that closes the dialog. Default: "Cancel". */
  dismissLabel?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Whether the dialog's fields are valid. Default: true. */
  canConfirm?: boolean;
  /** Announced on success. */
  done?: string | ((data: ConsoleData<Id>) => string);
  /** Return false to keep the dialog open because there is more to answer. */
  onDone?: (data: ConsoleData<Id>) => unknown;
  /** Shown on success until the reader closes it: a password or secret. */
  result?: (data: ConsoleData<Id>, onClose: () => void) => ReactNode;
}

/** Asks before it calls an operation, and shows why the call failed. */
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

type Word = string | ((name: string) => string);

/**
 * Returns the words of an action for its ConfirmButton: `approve`, `approveTitle`, `approveSays` and `approveDone` are
 * its label, title, text and announcement. `name` is of what it changes.
 */
export function wordsOf<const Key extends string>(
  words: Readonly<Record<NoInfer<Key | `${Key}Title` | `${Key}Says` | `${Key}Done`>, Word>>,
  key: Key,
  name = '',
) {
  const say = (word: Word) => (typeof word === 'function' ? word(name) : word);
  return {
    label: say(words[key]),
    title: say(words[`${key}Title`]),
    children: say(words[`${key}Says`]),
    done: say(words[`${key}Done`]),
  };
}

function ConfirmDialog<Id extends ConsoleOperationId>({
  onAnswer,
  onClose,
  ...props
}: ConfirmButtonProps<Id> & { onAnswer: (data: ConsoleData<Id>) => void; onClose: () => void }) {
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
      // The page shows the failure from the mutation's state.
      if (!(error instanceof CallFailure)) throw error;
    }
  };
  const color = props.isDangerous === true ? { color: 'red' } : {};
  return (
    <Dialog
      title={props.title}
      onClose={onClose}
      dismiss={{ children: props.dismissLabel ?? words.cancel, disabled: change.isPending }}
      confirm={{
        children: props.confirmLabel ?? props.label,
        onClick: () => void confirm(),
        loading: change.isPending,
        disabled: props.canConfirm === false,
        ...color,
      }}
    >
      {props.children}
      {change.error !== null && <Failure failure={change.error} />}
    </Dialog>
  );
}

interface OneTimeSecretProps {
  title: string;
  /** Values by their labels. Each value can be copied. */
  secrets: Readonly<Record<string, string>>;
  onClose: () => void;
  children?: ReactNode;
}

/** Shows a password or secret once, until the reader confirms that they saved it. */
export function OneTimeSecret({ title, secrets, onClose, children }: OneTimeSecretProps) {
  const fields = Object.entries(secrets).map(([label, id]) => [label, <CopyId key={label} id={id} what={label} />]);
  return (
    <Dialog title={title} onClose={onClose} mustAnswer confirm={{ children: words.saved, onClick: onClose }}>
      <Notice tone="warn" title={words.shownOnce} />
      <Fields fields={Object.fromEntries(fields)} />
      {children}
    </Dialog>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether Escape leaves it open, because its content is never shown again. */
  mustAnswer?: boolean;
  children: ReactNode;
  /** The button that dismisses the dialog. */
  dismiss?: ButtonProps & { children: ReactNode };
  /** The button that answers it. Default: one that closes it. */
  confirm?: ButtonProps & { children: ReactNode; onClick: () => void };
}

/** Returns the focus to where it was once the component is gone. */
export function useReturnFocus(): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
}

/** Shows a modal dialog while it is mounted. Afterwards the focus returns to where it was. */
export function Dialog({ title, onClose, mustAnswer = false, children, dismiss, confirm }: DialogProps) {
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} closeOnEscape={!mustAnswer} closeOnClickOutside={false} withCloseButton={false}>
      {/* In the body: a header of a dialog would be a second banner of the page. */}
      <Modal.Title mb="md" fw={600}>
        {title}
      </Modal.Title>
      <Stack gap="md">{children}</Stack>
      <Group gap="sm" justify="flex-end" mt="lg">
        {dismiss && <Button variant="default" onClick={onClose} {...dismiss} />}
        <Button {...(confirm ?? { children: words.close, onClick: onClose })} />
      </Group>
    </Modal>
  );
}
