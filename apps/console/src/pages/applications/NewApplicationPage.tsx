import type { ApplicationCredentials, ConsoleApplication } from '@lockstep/contract/console';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/index.ts';
import { announce, Failure, OneTimeSecret, Page, RoleGate } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ChannelsField } from './ChannelsField.tsx';
import { type ChannelChoice, findFault, readChoice, writeChoice } from './channel-choice.ts';
import styles from './Form.module.css';
import { applicationsWords } from './words.ts';

type Scope = ConsoleApplication['scopes'][number];

/** Registers an application and shows its secret once. */
export default function NewApplicationPage() {
  const words = useWords(applicationsWords);
  return (
    <Page title={words.newTitle} crumbs={[{ text: words.applications, to: '/applications' }]}>
      <RoleGate operation="createApplication">
        <NewApplicationForm />
      </RoleGate>
    </Page>
  );
}

function NewApplicationForm() {
  const words = useWords(applicationsWords);
  const navigate = useNavigate();
  const create = useChange('createApplication');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['auth_order']);
  const [channels, setChannels] = useState<ChannelChoice>(writeChoice(null));
  const [isApproved, setApproved] = useState(true);
  const [isSent, setSent] = useState(false);
  const [credentials, setCredentials] = useState<ApplicationCredentials>();
  const isFaulty = scopes.length === 0 || findFault(channels) !== undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (isFaulty) return;
    const body = { name, scopes: [...scopes], channels: readChoice(channels), isApproved };
    // The page shows the failure from the mutation's state.
    const created = await create.mutateAsync({ body }).catch(() => undefined);
    if (created === undefined) return;
    announce('good', words.created(name));
    setCredentials(created);
  };
  const scopeBox = (scope: Scope, label: string) => (
    <Checkbox
      label={label}
      checked={scopes.includes(scope)}
      onChange={(event) =>
        setScopes(event.currentTarget.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
      }
    />
  );
  return (
    <>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={255}
          autoComplete="off"
          required
        />
        <fieldset className={styles.group}>
          <legend>{words.scopes}</legend>
          {scopeBox('auth_order', words.scopeOrder)}
          {scopeBox('auth_me', words.scopeMember)}
          {isSent && scopes.length === 0 && (
            <p className={styles.fault} role="alert">
              {words.scopeMissing}
            </p>
          )}
        </fieldset>
        <ChannelsField value={channels} onChange={setChannels} showsFault={isSent} />
        <Checkbox
          label={words.approveAtOnce}
          description={words.approveAtOnceHint}
          checked={isApproved}
          onChange={(event) => setApproved(event.currentTarget.checked)}
        />
        {create.error !== null && <Failure failure={create.error} />}
        <div>
          <Button type="submit" loading={create.isPending}>
            {words.create}
          </Button>
        </div>
      </form>
      {credentials !== undefined && (
        <OneTimeSecret
          title={words.created(name)}
          secrets={[
            { label: words.appKey, value: credentials.appKey },
            { label: words.appSecret, value: credentials.appSecret },
          ]}
          onClose={() =>
            void navigate({ to: '/applications/$appKey', params: { appKey: credentials.appKey }, replace: true })
          }
        >
          <p>{words.secretOnce}</p>
        </OneTimeSecret>
      )}
    </>
  );
}
