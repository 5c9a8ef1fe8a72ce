import { Link } from '@tanstack/react-router';

/** The application that sent something, with a link to its page. */
export function SenderLink({ sender }: { sender: { appKey: string; applicationName: string } }) {
  const { appKey, applicationName } = sender;
  return (
    <Link to="/applications/$appKey" params={{ appKey }} title={appKey}>
      {applicationName}
    </Link>
  );
}
