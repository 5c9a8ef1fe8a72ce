import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { CopyId, Count, Fields, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

/** The fields of an enterprise. */
export function EnterpriseFields({ enterprise }: { enterprise: ConsoleData<'getEnterprise'> }) {
  const words = useWords(enterprisesWords);
  const { enterpriseGlobalId, code, crmCustomerId, createdBy } = enterprise;
  return (
    <Fields
      fields={[
        { label: words.id, value: <CopyId id={enterpriseGlobalId} what={`${words.id} ${enterpriseGlobalId}`} /> },
        { label: words.code, value: <CopyId id={code} what={`${words.code} ${code}`} /> },
        { label: words.crmCustomerId, value: crmCustomerId === null ? null : <CopyId id={crmCustomerId} /> },
        { label: words.securityMobile, value: enterprise.securityMobile },
        { label: words.createdTime, value: <Time timeMs={enterprise.createdTime} isRelative withUtc /> },
        {
          label: words.madeBy,
          value:
            createdBy === null ? undefined : (
              <Link to="/applications/$appKey" params={{ appKey: createdBy.appKey }}>
                {createdBy.name}
              </Link>
            ),
        },
        { label: words.counts, value: <Count value={enterprise.customerCount} /> },
        { label: words.employeeCount, value: <Count value={enterprise.employeeCount} /> },
      ]}
    />
  );
}
