import type { ConsoleApplication } from '@lockstep/contract/console';
import { useWords } from '../../words/words.ts';
import { applicationsWords } from './words.ts';

export function ChannelList({ of: channels }: { of: ConsoleApplication['channels'] }) {
  const words = useWords(applicationsWords);
  return <>{channels === null ? words.allChannels : channels.join(words.comma)}</>;
}
