import type { ConsoleData } from '@lockstep/contract/console';
import { useState } from 'react';
import { useMayCall } from '../../api/index.ts';
import {
  announce,
  Badge,
  type Column,
  ConfirmButton,
  CopyId,
  DataTable,
  Empty,
  OneTimeSecret,
  Section,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Administrator = ConsoleData<'getEnterprise'>['administrators'][number];
type Login = ConsoleData<'createFirstAdministrator'>;

/** The administrators of an enterprise, whose passwords an operator can set. */
export function Administrators({
  enterpriseGlobalId,
  administrators,
}: {
  enterpriseGlobalId: string;
  administrators: readonly Administrator[];
}) {
  const words = useWords(enterprisesWords);
  const mayCall = useMayCall();
  const [login, setLogin] = useState<Login>();
  const columns: Column<Administrator>[] = [
    { header: words.account, cell: ({ account }) => <CopyId id={account} /> },
    { header: words.fieldName, cell: ({ name }) => name },
    {
      header: words.password,
      cell: ({ hasPassword }) => (
        <Badge tone={hasPassword ? 'good' : 'warn'}>{hasPassword ? words.set : words.never}</Badge>
      ),
    },
  ];
  const reset: Column<Administrator> = {
    header: words.actions,
    cell: ({ memberGlobalId, account }) => (
      <ConfirmButton
        operation="resetAdministratorPassword"
        call={{ params: { enterpriseGlobalId, memberGlobalId } }}
        label={words.reset}
        title={words.resetTitle(account)}
        isDangerous
        onDone={setLogin}
      >
        <p>{words.resetAdvice}</p>
      </ConfirmButton>
    ),
  };
  return (
    <Section title={words.administrators}>
      <DataTable
        label={words.administratorList}
        columns={mayCall('resetAdministratorPassword') ? [...columns, reset] : columns}
        rows={administrators}
        rowKey={({ memberGlobalId }) => memberGlobalId}
        empty={
          <Empty title={words.noAdministrator}>
            <p>{words.noAdministratorAdvice}</p>
            <ConfirmButton
              operation="createFirstAdministrator"
              call={{ params: { enterpriseGlobalId } }}
              label={words.create}
              title={words.createTitle}
              onDone={setLogin}
            >
              <p>{words.createAdvice}</p>
            </ConfirmButton>
          </Empty>
        }
      />
      {login !== undefined && (
        <OneTimeSecret
          title={words.newLogin}
          secrets={[
            { label: words.account, value: login.account },
            { label: words.password, value: login.password },
          ]}
          onClose={() => {
            setLogin(undefined);
            announce('good', words.created(login.account));
          }}
        />
      )}
    </Section>
  );
}
