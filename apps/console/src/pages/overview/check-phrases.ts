import type { HealthCheck } from '@lockstep/contract/console';
import { useDuration, useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { checkWords } from './check-words.ts';

/** A check in words: what was looked at, what was found, and what to do about it. */
interface CheckPhrases {
  name: string;
  says: string;
  whatToDo: string;
}

/** Says checks in words. `time`: when the service looked, by its clock. */
export function useCheckWords(time: number): (check: HealthCheck) => CheckPhrases {
  const words = useWords(checkWords);
  const write = useNumberFormat();
  const writeDuration = useDuration();
  return (check) => {
    const { state, sinceTime, count, names } = check;
    const isOk = state === 'ok';
    const age = writeDuration(Math.max(0, time - (sinceTime ?? time)));
    const many = write(count ?? 0);
    const [first = ''] = names;
    switch (check.check) {
      case 'database':
        return phrases(words.databaseName, isOk ? words.databaseIs : words.databaseWrong, words.databaseDo);
      case 'workers':
        return phrases(words.workersName, isOk ? words.workersIs : words.workersWrong, words.workersDo);
      case 'queue': {
        const kind = first === 'redis' ? 'Redis' : 'PostgreSQL';
        return phrases(words.queueName, isOk ? words.queueIs(kind) : words.queueWrong(kind), words.queueDo);
      }
      case 'pending_orders':
        return phrases(
          words.pendingOrdersName,
          isOk ? words.pendingOrdersIs : words.pendingOrdersWrong(age),
          words.pendingOrdersDo,
        );
      case 'stalled_lanes':
        return phrases(
          words.stalledLanesName,
          isOk ? words.stalledLanesIs : words.stalledLanesWrong(many, age),
          words.stalledLanesDo,
        );
      case 'held_customers':
        return phrases(
          words.heldCustomersName,
          isOk ? words.heldCustomersIs : words.heldCustomersWrong(many, age),
          words.heldCustomersDo,
        );
      case 'events':
        return phrases(words.eventsName, isOk ? words.eventsIs : words.eventsWrong(age), words.eventsDo);
      case 'activity':
        return phrases(words.activityName, isOk ? words.activityIs : words.activityWrong(age), words.activityDo);
      case 'webhooks_disabled':
        return phrases(
          words.webhooksDisabledName,
          isOk ? words.webhooksDisabledIs : words.webhooksDisabledWrong(many),
          words.webhooksDisabledDo,
        );
      case 'webhooks_failing':
        return phrases(
          words.webhooksFailingName,
          isOk ? words.webhooksFailingIs : words.webhooksFailingWrong(many),
          words.webhooksFailingDo,
        );
      case 'webhooks_overdue':
        return phrases(
          words.webhooksOverdueName,
          isOk ? words.webhooksOverdueIs : words.webhooksOverdueWrong(age),
          words.webhooksOverdueDo,
        );
      case 'clean_up':
        return phrases(
          words.cleanUpName,
          isOk ? words.cleanUpIs : words.cleanUpWrong(names.join(', '), age),
          words.cleanUpDo,
        );
      case 'transactions':
        return phrases(
          words.transactionsName,
          isOk ? words.transactionsIs : words.transactionsWrong(age),
          words.transactionsDo,
        );
      case 'connections':
        return phrases(
          words.connectionsName,
          isOk ? words.connectionsIs(many, first) : words.connectionsWrong(many, first),
          words.connectionsDo,
        );
    }
  };
}

const phrases = (name: string, says: string, whatToDo: string): CheckPhrases => ({ name, says, whatToDo });
