import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWords } from '../../words/words.ts';
import { writeTime } from '../../words/write-time.ts';
import { webhooksWords } from './words.ts';

/** A field for a time in the reader's time zone, with UTC below. Undefined: no time selected. */
export function TimeField({
  valueMs,
  onChange,
}: {
  valueMs: number | undefined;
  onChange: (valueMs: number | undefined) => void;
}) {
  const words = useWords(webhooksWords);
  const [text, setText] = useState(valueMs === undefined ? '' : writeTime(valueMs, 'local').replace(' ', 'T'));
  const change = (next: string) => {
    setText(next);
    const timeMs = new Date(next).getTime();
    onChange(Number.isNaN(timeMs) ? undefined : timeMs);
  };
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={words.fromTime}
      description={valueMs === undefined ? undefined : `${writeTime(valueMs, 'utc')} UTC`}
      error={valueMs === undefined ? words.timeInvalid : undefined}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      required
    />
  );
}
