import { OPERATOR_PASSWORD } from '@lockstep/contract/words';
import { Button, PasswordInput, type PasswordInputProps, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queryClient, useChange } from '../../api/operations.ts';
import { Failure, Page, Section } from '../../kit/page.tsx';
import { announce } from '../../kit/signs.tsx';
import { sessionWords as words } from './words.ts';

/** Maximum UTF-16 units of a password whose characters are not composed. The field cuts off what exceeds it. */
const MAX_UNITS = 4 * OPERATOR_PASSWORD.maxCharacters;

/** Changes the operator's own password. */
export function PasswordPage() {
  const change = useChange('changeOwnPassword');
  const [fault, setFault] = useState<string>();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const read = (name: string) => String(form.get(name));
    const newPassword = read('newPassword');
    if ([...newPassword.normalize('NFC')].length < OPERATOR_PASSWORD.minCharacters)
      return setFault(words.tooShort(OPERATOR_PASSWORD.minCharacters));
    if (newPassword !== read('newPasswordAgain')) return setFault(words.differs);
    setFault(undefined);
    change.mutate(
      { body: { password: read('password'), newPassword } },
      {
        onSuccess: (me) => {
          queryClient.setQueryData(['getMe', {}], me);
          element.reset();
          announce('good', words.changed);
        },
      },
    );
  };
  return (
    <Page title={words.ownPassword} lead={words.ownPasswordLead}>
      <Section title={words.change}>
        <form onSubmit={submit}>
          <Stack maw="24rem">
            <Field name="password" label={words.present} autoComplete="current-password" />
            <Field
              name="newPassword"
              label={words.next}
              autoComplete="new-password"
              description={words.nextRule(OPERATOR_PASSWORD.minCharacters, OPERATOR_PASSWORD.maxCharacters)}
            />
            <Field name="newPasswordAgain" label={words.nextAgain} autoComplete="new-password" error={fault} />
            {change.error !== null && <Failure failure={change.error} />}
            <Button type="submit" loading={change.isPending}>
              {words.change}
            </Button>
          </Stack>
        </form>
      </Section>
    </Page>
  );
}

function Field(props: PasswordInputProps) {
  return (
    <PasswordInput
      {...props}
      required
      withAsterisk={false}
      maxLength={MAX_UNITS}
      visibilityToggleButtonProps={{ 'aria-label': words.showPassword }}
    />
  );
}
