import type { ConsoleApplication } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useChange, useOperation } from '../../api/index.ts';
import { announce, Failure, Notice, Page, Query, RoleGate } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ChannelsField } from './ChannelsField.tsx';
import { findFault, readChoice, writeChoice } from './channel-choice.ts';
import styles from './Form.module.css';
import { applicationsWords } from './words.ts';

const route = getRouteApi('/applications/$appKey/channels');

/** Changes the channels of an application. */
export default function BindingPage() {
  const words = useWords(applicationsWords);
  const { appKey } = route.useParams();
  const application = useOperation('getApplication', { params: { appKey } });
  const [reloads, setReloads] = useState(0);
  const name = application.data?.name ?? appKey;
  return (
    <Page
      title={words.bindTitle(name)}
      crumbs={[
        { text: words.applications, to: '/applications' },
        { text: name, to: '/applications/$appKey', params: { appKey } },
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
  const words = useWords(applicationsWords);
  const navigate = route.useNavigate();
  const bind = useChange('bindApplication');
  const [{ appKey, channels: shownChannels }] = useState(application);
  const [choice, setChoice] = useState(writeChoice(shownChannels));
  const [isSent, setSent] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (findFault(choice) !== undefined) return;
    const body = { channels: readChoice(choice), shownChannels };
    // The page shows the failure from the mutation's state.
    const bound = await bind.mutateAsync({ params: { appKey }, body }).catch(() => undefined);
    if (bound === undefined) return;
    announce('good', words.bound);
    await navigate({ to: '/applications/$appKey', params: { appKey } });
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <Notice tone="warn" title={words.bindSays} />
      <ChannelsField value={choice} onChange={setChoice} showsFault={isSent} />
      {bind.error !== null && (
        <Failure failure={bind.error} {...(bind.error.status === 409 ? { onRetry: onReload } : {})} />
      )}
      <div className={styles.buttons}>
        <Button type="submit" loading={bind.isPending}>
          {words.save}
        </Button>
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/applications/$appKey" params={{ appKey }} {...props} />}
        >
          {words.cancel}
        </Button>
      </div>
    </form>
  );
}
