import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton, OneTimeSecret, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { applicationsWords } from './words.ts';

const MAX_HOURS = 720;
const PROPOSED_HOURS = '24';
/** Lifetime of a token. */
const TOKEN_HOURS = 2;
const HOUR_MS = 3_600_000;

/** Rotates an application's secret and shows the new one once. */
export function RotateSecret({ appKey, name }: { appKey: string; name: string }) {
  const words = useWords(applicationsWords);
  const [hours, setHours] = useState(PROPOSED_HOURS);
  const isValid = /^\d{1,3}$/.test(hours) && Number(hours) <= MAX_HOURS;
  return (
    <ConfirmButton
      operation="rotateApplicationSecret"
      call={{ params: { appKey }, body: { overlapHours: Number(hours) } }}
      label={words.rotate}
      title={words.rotateTitle(name)}
      canConfirm={isValid}
      done={words.rotated}
      result={(rotated, onClose) => (
        <OneTimeSecret
          title={words.rotated}
          secrets={[
            { label: words.appKey, value: rotated.appKey },
            { label: words.appSecret, value: rotated.appSecret },
          ]}
          onClose={onClose}
        >
          {rotated.oldSecretEndTime === null ? (
            <p>{words.oldEnded}</p>
          ) : (
            <>
              <p>
                {words.oldGoodUntil} <Time timeMs={rotated.oldSecretEndTime} withUtc />
              </p>
              <p>
                {words.tokensGoodUntil} <Time timeMs={rotated.oldSecretEndTime + TOKEN_HOURS * HOUR_MS} withUtc />
              </p>
            </>
          )}
          <p>{words.secretOnce}</p>
        </OneTimeSecret>
      )}
    >
      <p>{words.rotateSays}</p>
      <TextInput
        label={words.overlapHours}
        description={words.overlapHint}
        inputMode="numeric"
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value.trim())}
        error={isValid ? undefined : words.overlapInvalid}
        autoComplete="off"
      />
      {isValid && (
        <p>
          {Number(hours) === 0
            ? words.nothingWorks
            : words.stillWorks(String(Number(hours)), String(Number(hours) + TOKEN_HOURS))}
        </p>
      )}
    </ConfirmButton>
  );
}
