import { Link } from '@tanstack/react-router';

/** The sending application, linked to its page. */
export function SenderLink({ sender }: { sender: { appKey: string; applicationName: string } }) {
  const { appKey, applicationName } = sender;
  return (
    <Link to="/applications/$appKey" params={{ appKey }} title={appKey}>
      {applicationName}
    </Link>
  );
}
