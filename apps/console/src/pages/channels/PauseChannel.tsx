import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { channelsWords } from './words.ts';

/** Pauses a channel, for a reason. */
export function PauseChannel({ channelCode }: { channelCode: string }) {
  const words = useWords(channelsWords);
  const [reason, setReason] = useState('');
  return (
    <ConfirmButton
      operation="pauseChannel"
      call={{ params: { channelCode }, body: { reason: reason.trim() } }}
      label={words.pause}
      title={words.pauseTitle(channelCode)}
      isDangerous
      canConfirm={reason.trim() !== ''}
      done={({ isIdle }) => (isIdle ? words.pausedNow(channelCode) : words.stillRuns(channelCode))}
    >
      <p>{words.pauseSays}</p>
      <TextInput
        label={words.reason}
        description={words.reasonHint}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={255}
        autoComplete="off"
        required
      />
    </ConfirmButton>
  );
}

/** Resumes a paused channel. */
export function ResumeChannel({ channelCode }: { channelCode: string }) {
  const words = useWords(channelsWords);
  return (
    <ConfirmButton
      operation="resumeChannel"
      call={{ params: { channelCode } }}
      label={words.resume}
      title={words.resumeTitle(channelCode)}
      done={words.resumedNow(channelCode)}
    >
      {words.resumeSays}
    </ConfirmButton>
  );
}
