import type { ConsoleApplication } from '@lockstep/contract/console';
import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useChange, useOperation } from '../../api/operations.ts';
import { OneTimeSecret } from '../../kit/dialogs.tsx';
import { ButtonLink, Choice, TextField } from '../../kit/inputs.tsx';
import { Failure, Page, Query, RoleGate } from '../../kit/page.tsx';
import { announce, Notice } from '../../kit/signs.tsx';
import { pageOf } from '../links.tsx';
import { type ChannelChoice, findFault, readChoice, writeChoice } from './channel-choice.ts';
import { applicationsWords as words } from './words.ts';

type Scope = ConsoleApplication['scopes'][number];

/** Registers an application and shows its secret once. */
export function NewApplicationPage() {
  return (
    <Page title={words.newTitle} crumbs={[{ text: words.applications, to: '/applications' }]}>
      <RoleGate operation="createApplication">
        <NewApplicationForm />
      </RoleGate>
    </Page>
  );
}

function NewApplicationForm() {
  const navigate = useNavigate();
  const create = useChange('createApplication');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(['auth_order']);
  const [channels, setChannels] = useState<ChannelChoice>(writeChoice(null));
  const [isApproved, setApproved] = useState(true);
  const [isSent, setSent] = useState(false);
  const credentials = create.data;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (scopes.length === 0 || findFault(channels) !== undefined) return;
    const body = { name, scopes, channels: readChoice(channels), isApproved };
    create.mutate({ body }, { onSuccess: () => announce('good', words.created(name)) });
  };
  return (
    <>
      <Stack component="form" maw="40rem" onSubmit={submit}>
        <TextField label={words.name} description={words.nameHint} value={name} onChange={setName} required />
        <Checkbox.Group
          label={words.scopes}
          value={scopes}
          onChange={(chosen) => setScopes(chosen as Scope[])}
          error={isSent && scopes.length === 0 && words.scopeMissing}
        >
          <Stack gap="sm" my="sm">
            <Checkbox value="auth_order" label={words.scopeOrder} />
            <Checkbox value="auth_me" label={words.scopeMember} />
          </Stack>
        </Checkbox.Group>
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
      </Stack>
      {credentials !== undefined && (
        <OneTimeSecret
          title={words.created(name)}
          secrets={{ [words.appKey]: credentials.appKey, [words.appSecret]: credentials.appSecret }}
          onClose={() => void navigate({ ...pageOf.application(credentials.appKey), replace: true })}
        >
          <p>{words.secretOnce}</p>
        </OneTimeSecret>
      )}
    </>
  );
}

/** Changes the channels of an application. */
export function BindingPage() {
  const { appKey } = useParams({ from: '/applications/$appKey/channels' });
  const application = useOperation('getApplication', { params: { appKey } });
  const [reloads, setReloads] = useState(0);
  const name = application.data?.name ?? appKey;
  return (
    <Page
      title={words.bindTitle(name)}
      crumbs={[
        { text: words.applications, to: '/applications' },
        { text: name, ...pageOf.application(appKey) },
      ]}
    >
      <RoleGate operation="bindApplication">
        <Query of={application}>
          {(shown) => (
            <ChannelsForm
              key={reloads}
              application={shown}
              onReload={() => void application.refetch().then(() => setReloads(reloads + 1))}
            />
          )}
        </Query>
      </RoleGate>
    </Page>
  );
}

/** Sends the channels that the form showed first, so that the service refuses to overwrite a change made meanwhile. */
function ChannelsForm({ application, onReload }: { application: ConsoleApplication; onReload: () => void }) {
  const navigate = useNavigate();
  const bind = useChange('bindApplication');
  const [{ appKey, channels: shownChannels }] = useState(application);
  const [choice, setChoice] = useState(writeChoice(shownChannels));
  const [isSent, setSent] = useState(false);
  const address = pageOf.application(appKey);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (findFault(choice) !== undefined) return;
    const onSuccess = () => {
      announce('good', words.bound);
      return navigate(address);
    };
    bind.mutate({ params: { appKey }, body: { channels: readChoice(choice), shownChannels } }, { onSuccess });
  };
  return (
    <Stack component="form" maw="40rem" onSubmit={submit}>
      <Notice tone="warn" title={words.bindSays} />
      <ChannelsField value={choice} onChange={setChoice} showsFault={isSent} />
      {bind.error !== null && (
        <Failure failure={bind.error} onRetry={bind.error.status === 409 ? onReload : undefined} />
      )}
      <Group gap="0.5rem">
        <Button type="submit" loading={bind.isPending}>
          {words.save}
        </Button>
        <ButtonLink variant="default" to={address}>
          {words.cancel}
        </ButtonLink>
      </Group>
    </Stack>
  );
}

interface ChannelsFieldProps {
  value: ChannelChoice;
  onChange: (value: ChannelChoice) => void;
  /** Whether to show what is invalid. */
  showsFault?: boolean;
  hint?: string;
}

/** Selects the channels of an application or an operator. */
export function ChannelsField({ value, onChange, showsFault = true, hint }: ChannelsFieldProps) {
  const fault = showsFault ? findFault(value) : undefined;
  return (
    <>
      <Choice
        label={words.channels}
        value={value.isBound ? 'some' : 'all'}
        options={{ all: words.allChannels, some: words.bindSome }}
        onChange={(chosen) => onChange({ ...value, isBound: chosen === 'some' })}
      />
      {value.isBound && (
        <Textarea
          label={words.bindSome}
          description={hint ?? words.channelsHint}
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
