import type { ConsoleWebhook } from '@lockstep/contract/console';
import { ConfirmButton } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnableWebhook } from './EnableWebhook.tsx';
import { ReplayEvents } from './ReplayEvents.tsx';
import { webhooksWords } from './words.ts';

/** The actions on a webhook: enable it if disabled, otherwise replay events or send a test. */
export function WebhookActions({ webhook }: { webhook: ConsoleWebhook }) {
  const words = useWords(webhooksWords);
  const { webhookId } = webhook;
  if (webhook.state === 'disabled') return <EnableWebhook webhook={webhook} />;
  return (
    <>
      <ReplayEvents webhookId={webhookId} />
      <ConfirmButton
        operation="testWebhook"
        call={{ params: { webhookId } }}
        label={words.test}
        title={words.testTitle}
        done={words.tested}
      >
        {words.testSays}
      </ConfirmButton>
    </>
  );
}
