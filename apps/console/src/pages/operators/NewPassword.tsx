import type { NewOperatorLogin } from '@lockstep/contract/console';
import { OneTimeSecret } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { operatorsWords } from './words.ts';

/** Shows an operator's new password once. */
export function NewPassword({
  title,
  login,
  onClose,
}: {
  title: string;
  login: NewOperatorLogin;
  onClose: () => void;
}) {
  const words = useWords(operatorsWords);
  return (
    <OneTimeSecret
      title={title}
      secrets={[
        { label: words.name, value: login.name },
        { label: words.password, value: login.password },
      ]}
      onClose={onClose}
    >
      <p>{words.passwordOnce}</p>
    </OneTimeSecret>
  );
}
