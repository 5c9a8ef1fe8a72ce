import type { ConsoleApplication } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMayCall } from '../../api/index.ts';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { RotateSecret } from './RotateSecret.tsx';
import { applicationsWords } from './words.ts';

/** The actions of an admin on an application. */
export function ApplicationActions({ application: { appKey, name, status } }: { application: ConsoleApplication }) {
  const words = useWords(applicationsWords);
  const mayCall = useMayCall();
  const params = { appKey };
  return (
    <>
      {status !== 'approved' && (
        <ConfirmButton
          operation="approveApplication"
          call={{ params }}
          label={words.approve}
          title={words.approveTitle(name)}
          done={words.approvedNow(name)}
        >
          {words.approveSays(name)}
        </ConfirmButton>
      )}
      {status !== 'suspended' && (
        <ConfirmButton
          operation="suspendApplication"
          call={{ params }}
          label={words.suspend}
          title={words.suspendTitle(name)}
          isDangerous
          done={words.suspendedNow(name)}
        >
          {words.suspendSays(name)}
        </ConfirmButton>
      )}
      <RotateSecret appKey={appKey} name={name} />
      {mayCall('bindApplication') && (
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/applications/$appKey/channels" params={params} {...props} />}
        >
          {words.bind}
        </Button>
      )}
    </>
  );
}
