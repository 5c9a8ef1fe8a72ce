import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

/** Sets the security mobile number of an enterprise. */
export function SecurityMobile({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
  const [mobile, setMobile] = useState('');
  const securityMobile = mobile.trim();
  return (
    <ConfirmButton
      operation="setSecurityMobile"
      call={{ params: { enterpriseGlobalId }, body: { securityMobile } }}
      label={words.setMobile}
      title={words.setMobileTitle}
      canConfirm={securityMobile !== ''}
      done={words.mobileSet}
    >
      <p>{words.setMobileAdvice}</p>
      <TextInput
        label={words.newMobile}
        type="tel"
        value={mobile}
        onChange={(event) => setMobile(event.currentTarget.value)}
        maxLength={255}
        autoComplete="off"
        required
      />
    </ConfirmButton>
  );
}
