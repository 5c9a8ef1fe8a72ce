import { NativeSelect, Textarea } from '@mantine/core';
import { useWords } from '../../words/words.ts';
import { type ChannelChoice, findFault } from './channel-choice.ts';
import { applicationsWords } from './words.ts';

/** Selects channels. Shows what is invalid if `showsFault` is true. */
export function ChannelsField({
  value,
  onChange,
  showsFault,
}: {
  value: ChannelChoice;
  onChange: (value: ChannelChoice) => void;
  showsFault: boolean;
}) {
  const words = useWords(applicationsWords);
  const fault = showsFault ? findFault(value) : undefined;
  return (
    <>
      <NativeSelect
        label={words.channels}
        value={value.isBound ? 'some' : 'all'}
        data={[
          { value: 'all', label: words.allChannels },
          { value: 'some', label: words.bindSome },
        ]}
        onChange={(event) => onChange({ ...value, isBound: event.currentTarget.value === 'some' })}
      />
      {value.isBound && (
        <Textarea
          label={words.bindSome}
          description={words.channelsHint}
          value={value.text}
          onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
          error={fault && words[fault]}
          rows={5}
          spellCheck={false}
          required
        />
      )}
    </>
  );
}
