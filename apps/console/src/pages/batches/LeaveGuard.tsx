import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { resendWords } from './resend-words.ts';

/** Asks before the operator leaves a page with unsaved changes. On closing the tab, the browser asks. */
export function LeaveGuard({ isAsking }: { isAsking: () => boolean }) {
  const words = useWords(resendWords);
  const blocker = useBlocker({ shouldBlockFn: isAsking, enableBeforeUnload: isAsking, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      title={words.leaveTitle}
      onClose={blocker.reset}
      actions={
        <>
          <Button variant="default" onClick={blocker.reset}>
            {words.stay}
          </Button>
          <Button color="red" onClick={blocker.proceed}>
            {words.leave}
          </Button>
        </>
      }
    >
      <p>{words.leaveText}</p>
    </Dialog>
  );
}
