import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { TimeField } from './TimeField.tsx';
import { webhooksWords } from './words.ts';

type Begin = 'time' | 'event' | 'all';

const HOUR_MS = 3_600_000;
const EVENT_ID = /^\d{1,19}$/;

/** Replays events to a webhook: since a time, after an event, or all that are stored. */
export function ReplayEvents({ webhookId }: { webhookId: string }) {
  const words = useWords(webhooksWords);
  const [begin, setBegin] = useState<Begin>('time');
  const [fromMs, setFromMs] = useState<number | undefined>(() => Date.now() - HOUR_MS);
  const [after, setAfter] = useState('');
  const isAfterValid = EVENT_ID.test(after);
  const bodies = { time: { fromTime: fromMs }, event: { after }, all: {} };
  const isValid = { time: fromMs !== undefined, event: isAfterValid, all: true };
  return (
    <ConfirmButton
      operation="replayWebhook"
      call={{ params: { webhookId }, body: bodies[begin] }}
      label={words.replay}
      title={words.replayTitle}
      canConfirm={isValid[begin]}
      done={words.replayed}
    >
      <p>{words.replaySays}</p>
      <NativeSelect
        label={words.replayWhich}
        value={begin}
        data={[
          { value: 'time', label: words.replayFrom },
          { value: 'event', label: words.replayAfter },
          { value: 'all', label: words.replayAll },
        ]}
        onChange={(event) => setBegin(event.currentTarget.value as Begin)}
      />
      {begin === 'time' && <TimeField valueMs={fromMs} onChange={setFromMs} />}
      {begin === 'event' && (
        <TextInput
          label={words.afterEvent}
          description={words.afterEventHint}
          value={after}
          onChange={(event) => setAfter(event.currentTarget.value.trim())}
          error={after === '' || isAfterValid ? undefined : words.afterEventInvalid}
          inputMode="numeric"
          autoComplete="off"
          required
        />
      )}
    </ConfirmButton>
  );
}
