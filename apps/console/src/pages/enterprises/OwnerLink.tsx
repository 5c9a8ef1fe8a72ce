import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { CopyId } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Owner = ConsoleData<'listAssets'>['assets'][number]['owner'];

/** A customer and its enterprise, linked to the enterprise's page. */
export function OwnerLink({ owner, withIds = false }: { owner: Owner; withIds?: boolean }) {
  const words = useWords(enterprisesWords);
  const { customerId, customerName, channelCode, channelCustomerId, enterpriseGlobalId, enterpriseName } = owner;
  return (
    <>
      <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }} search={{ tab: 'customers' }}>
        {customerName}
      </Link>
      {withIds ? (
        <>
          <div>
            <CopyId id={customerId} what={`${words.id} ${customerId}`} />
          </div>
          <div>
            {channelCode} · <CopyId id={channelCustomerId} />
          </div>
        </>
      ) : (
        enterpriseName !== customerName && <span> · {enterpriseName}</span>
      )}
    </>
  );
}

/** An enterprise, linked to its page. */
export function EnterpriseLink({
  owner: { enterpriseGlobalId, enterpriseName },
}: {
  owner: Pick<Owner, 'enterpriseGlobalId' | 'enterpriseName'>;
}) {
  const words = useWords(enterprisesWords);
  return (
    <>
      <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
        {enterpriseName}
      </Link>
      <div>
        <CopyId id={enterpriseGlobalId} what={`${words.id} ${enterpriseGlobalId}`} />
      </div>
    </>
  );
}
