import { Link } from '@tanstack/react-router';

/** An employee who holds something, with a link to where the enterprise lists them. */
export function HolderLink({
  holder: { name, account },
  enterpriseGlobalId,
}: {
  holder: { name: string; account: string };
  enterpriseGlobalId: string;
}) {
  return (
    <>
      <Link
        to="/enterprises/$enterpriseGlobalId"
        params={{ enterpriseGlobalId }}
        search={{ tab: 'employees', text: account }}
      >
        {name}
      </Link>{' '}
      · {account}
    </>
  );
}
