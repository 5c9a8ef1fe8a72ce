import type { ConsoleData } from '@lockstep/contract/console';
import { useMemo, useState } from 'react';
import { useChange, useMayCall } from '../../api/index.ts';
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

/** Who administrates an enterprise, and the passwords that an operator may give them. */
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
  const create = useChange('createFirstAdministrator');
  const { mutateAsync: reset } = useChange('resetAdministratorPassword');
  const mayReset = mayCall('resetAdministratorPassword');
  const columns = useMemo((): Column<Administrator>[] => {
    const resetOf = ({ memberGlobalId, account }: Administrator) => (
      <ConfirmButton
        label={words.reset}
        title={words.resetTitle(account)}
        isDangerous
        onConfirm={async () => setLogin(await reset({ params: { enterpriseGlobalId, memberGlobalId } }))}
      >
        <p>{words.resetAdvice}</p>
      </ConfirmButton>
    );
    return [
      { id: 'account', header: words.account, cell: ({ account }) => <CopyId id={account} /> },
      { id: 'name', header: words.name, cell: ({ name }) => name },
      {
        id: 'password',
        header: words.hasPassword,
        cell: ({ hasPassword }) => (
          <Badge tone={hasPassword ? 'good' : 'warn'}>{hasPassword ? words.set : words.never}</Badge>
        ),
      },
      ...(mayReset ? [{ id: 'reset', header: words.reset, cell: resetOf }] : []),
    ];
  }, [words, mayReset, reset, enterpriseGlobalId]);
  const confirmCreate = async () => setLogin(await create.mutateAsync({ params: { enterpriseGlobalId } }));
  return (
    <Section title={words.administrators}>
      <DataTable
        label={words.administratorList}
        columns={columns}
        rows={administrators}
        rowKey={({ memberGlobalId }) => memberGlobalId}
        empty={
          <Empty title={words.noAdministrator}>
            <p>{words.noAdministratorAdvice}</p>
            {mayCall('createFirstAdministrator') && (
              <ConfirmButton label={words.create} title={words.createTitle} onConfirm={confirmCreate}>
                <p>{words.createAdvice}</p>
              </ConfirmButton>
            )}
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
