import type { ConsoleApplication } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useChange, useMay } from '../../api/index.ts';
import { announce, ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { RotateSecret } from './RotateSecret.tsx';
import { applicationsWords } from './words.ts';

/** What an admin may do with an application. */
export function ApplicationActions({ application: { appKey, name, status } }: { application: ConsoleApplication }) {
  const words = useWords(applicationsWords);
  const may = useMay();
  const approve = useChange('approveApplication');
  const suspend = useChange('suspendApplication');
  if (!may('admin')) return null;
  const params = { appKey };
  return (
    <>
      {status !== 'approved' && (
        <ConfirmButton
          label={words.approve}
          title={words.approveTitle(name)}
          onConfirm={async () => {
            await approve.mutateAsync({ params });
            announce('good', words.approvedNow(name));
          }}
        >
          {words.approveSays(name)}
        </ConfirmButton>
      )}
      {status !== 'suspended' && (
        <ConfirmButton
          label={words.suspend}
          title={words.suspendTitle(name)}
          isDangerous
          onConfirm={async () => {
            await suspend.mutateAsync({ params });
            announce('good', words.suspendedNow(name));
          }}
        >
          {words.suspendSays(name)}
        </ConfirmButton>
      )}
      <RotateSecret appKey={appKey} name={name} />
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/applications/$appKey/channels" params={params} {...props} />}
      >
        {words.bind}
      </Button>
    </>
  );
}
