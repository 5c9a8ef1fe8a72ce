import type { ConsoleWebhook } from '@lockstep/contract/console';
import { useChange, useMayCall } from '../../api/index.ts';
import { announce, ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnableWebhook } from './EnableWebhook.tsx';
import { ReplayEvents } from './ReplayEvents.tsx';
import { webhooksWords } from './words.ts';

/** What support may do with a webhook: enable a disabled one; have events, or a test, sent to another. */
export function WebhookActions({ webhook }: { webhook: ConsoleWebhook }) {
  const words = useWords(webhooksWords);
  const mayCall = useMayCall();
  const test = useChange('testWebhook');
  const { webhookId } = webhook;
  if (!mayCall('enableWebhook')) return null;
  if (webhook.state === 'disabled') return <EnableWebhook webhook={webhook} />;
  return (
    <>
      <ReplayEvents webhookId={webhookId} />
      <ConfirmButton
        label={words.test}
        title={words.testTitle}
        onConfirm={async () => {
          await test.mutateAsync({ params: { webhookId } });
          announce('good', words.tested);
        }}
      >
        {words.testSays}
      </ConfirmButton>
    </>
  );
}
