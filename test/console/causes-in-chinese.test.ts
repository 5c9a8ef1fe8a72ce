import { COMPLETE_IN_CHINESE, causesInChinese } from '@lockstep/console/words';
import { causes } from '@lockstep/contract';
import { consoleCauses } from '@lockstep/contract/console';
import { expect, it } from 'vitest';

const messages: Record<string, { message: string }> = { ...causes, ...consoleCauses };
/** Its only value is the name that the reader has just entered. */
const REPEATS_INPUT = 'name_taken';

it('in Chinese, the English message follows exactly if it has values', () => {
  const withoutValues = Object.keys(causesInChinese).filter((cause) => !messages[cause]!.message.includes('{0}'));
  expect([...COMPLETE_IN_CHINESE].sort()).toEqual([...withoutValues, REPEATS_INPUT].sort());
});
