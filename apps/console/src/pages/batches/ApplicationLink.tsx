import { Link } from '@tanstack/react-router';

/** The application that sent a batch or owns a webhook, linked to its page. */
export function ApplicationLink({ of }: { of: { appKey: string; applicationName: string } }) {
  const { appKey, applicationName } = of;
  return (
    <Link to="/applications/$appKey" params={{ appKey }} title={appKey}>
      {applicationName}
    </Link>
  );
}
