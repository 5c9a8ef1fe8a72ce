import type { ConsoleWebhook } from '@lockstep/contract/console';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { TimeField } from './TimeField.tsx';
import { webhooksWords } from './words.ts';

/** Enables a disabled webhook, with or without the events that it missed. */
export function EnableWebhook({ webhook }: { webhook: ConsoleWebhook }) {
  const words = useWords(webhooksWords);
  const [isFromTime, setFromTime] = useState(true);
  const [fromMs, setFromMs] = useState<number | undefined>(
    webhook.failingSinceTime ?? webhook.disabledTime ?? undefined,
  );
  return (
    <ConfirmButton
      operation="enableWebhook"
      call={{ params: { webhookId: webhook.webhookId }, body: isFromTime ? { fromTime: fromMs } : {} }}
      label={words.enable}
      title={words.enableTitle}
      canConfirm={!isFromTime || fromMs !== undefined}
      done={words.enabled}
    >
      <NativeSelect
        label={words.enableWith}
        value={isFromTime ? 'missed' : 'now'}
        data={[
          { value: 'missed', label: words.enableFrom },
          { value: 'now', label: words.enableNow },
        ]}
        onChange={(event) => setFromTime(event.currentTarget.value === 'missed')}
      />
      {isFromTime && <TimeField valueMs={fromMs} onChange={setFromMs} />}
    </ConfirmButton>
  );
}
